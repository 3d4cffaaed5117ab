"""Figures of agreement."""

from collections.abc import Callable, Sequence

import numpy as np

from annotation.agreement.measures import Estimate, Stretch
from annotation.selectors.labels import LabelBook
from leaderboard.selectors.figures.figure import Figure, Numbers, axis, base_layout, plain

_ROW = 34


def confusion_figure(
    names: Sequence[str],
    counts: Sequence[Sequence[int]],
    people: tuple[str, str],
    book: LabelBook,
    link: Callable[[str, str], str],
) -> Figure:
    """Words by what one person (rows) and the other (columns) call them.

    ``counts`` are labels x labels, in the order of ``names``. ``link`` gives the
    address that a cell with words opens, from both labels' names.
    """
    used = [at for at, row in enumerate(counts) if any(row) or any(line[at] for line in counts)]
    names = [names[at] for at in used]
    titles = [book[name].title for name in names]
    table = np.array([[counts[row][column] for column in used] for row in used])
    shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    return Figure(
        name="confusion",
        title=f"Words by the label of {people[0]} (rows) and {people[1]} (columns)",
        alt="Heatmap of counts of words; darker is a greater share of the row. The table has "
        "the same numbers, and the list below it opens the captions.",
        data=[
            {
                "type": "heatmap",
                "x": [plain(title) for title in titles],
                "y": [plain(title) for title in titles],
                "z": np.round(shares, 4).tolist(),
                "zmin": 0,
                "zmax": 1,
                "text": [[str(count) if count else "" for count in row] for row in table.tolist()],
                "texttemplate": "%{text}",
                "xgap": 1,
                "ygap": 1,
                "showscale": False,
                "meta": {"scale": "share"},
                "hovertemplate": f"{plain(people[0])}: %{{y}}<br>{plain(people[1])}: %{{x}}<br>"
                "%{text} words, %{z:.0%} of the row<extra></extra>",
            }
        ],
        layout=base_layout(
            170 + _ROW * len(names),
            margin={"l": 130, "r": 16, "t": 16, "b": 120},
            xaxis=axis(plain(people[1]), type="category", showgrid=False, tickangle=-45, dtick=1),
            yaxis=axis(plain(people[0]), type="category", autorange="reversed", showgrid=False),
        ),
        numbers=Numbers(
            (f"{people[0]} (rows) by {people[1]} (columns)", *titles),
            tuple(
                (title, *(f"{count:,}" if count else "" for count in row))
                for title, row in zip(titles, table.tolist(), strict=True)
            ),
        ),
        links=tuple(
            link(one, other) if table[row, column] else ""
            for row, one in enumerate(names)
            for column, other in enumerate(names)
        ),
    )


def trend_figure(stretches: Sequence[Stretch], measure: str, who: str) -> Figure:
    """Agreement, with its intervals, in the order in which captions were finished."""
    known = [row for row in stretches if row.agreement.value is not None]
    return Figure(
        name="trend",
        title=f"{measure} of {who} over time",
        alt="A line with intervals; the table has the same numbers.",
        data=[
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": [row.last for row in known],
                "y": [_rounded(row.agreement.value) for row in known],
                "error_y": {
                    "type": "data",
                    "symmetric": False,
                    "array": [_reach(row.agreement, row.agreement.high) for row in known],
                    "arrayminus": [_reach(row.agreement, row.agreement.low) for row in known],
                    "thickness": 1,
                },
                "marker": {"size": 8},
                "hovertemplate": "Captions up to %{x}: %{y:.3f}<extra></extra>",
            }
        ],
        layout=base_layout(
            300,
            xaxis=axis("Captions, in the order in which they were finished", rangemode="tozero"),
            yaxis=axis(measure, range=[min([0.0, *map(_lowest, known)]), 1.05]),
        ),
        numbers=Numbers(
            ("Captions", "Finished until", measure, "95 % interval", "Words"),
            tuple(
                (
                    f"{row.first} to {row.last}",
                    f"{row.until:%Y-%m-%d}" if row.until else "",
                    three(row.agreement.value),
                    between(row.agreement),
                    f"{row.agreement.n:,}",
                )
                for row in stretches
            ),
        ),
    )


def three(value: float | None) -> str:
    """Write a number with three decimals, nothing for what is not defined."""
    return "" if value is None else f"{value:.3f}"


def between(estimate: Estimate) -> str:
    """Write the interval of an estimate."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{estimate.low:.3f} to {estimate.high:.3f}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _reach(estimate: Estimate, bound: float | None) -> float:
    if bound is None or estimate.value is None:
        return 0.0
    return round(abs(bound - estimate.value), 4)


def _lowest(stretch: Stretch) -> float:
    low, value = stretch.agreement.low, stretch.agreement.value
    return (value if low is None else low) or 0.0
