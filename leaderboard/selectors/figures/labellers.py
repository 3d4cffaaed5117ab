"""Figures of labels: which are taken for which, and what more captions bring."""

from collections.abc import Callable, Sequence

import numpy as np

from leaderboard.selectors.figures.figure import (
    LEGEND_ABOVE,
    Figure,
    Numbers,
    axis,
    base_layout,
    line,
    plain,
    three,
)
from leaderboard.selectors.figures.matrix import SHARES, Key, matrix_layout, matrix_traces
from leaderboard.selectors.labellers.scores import MEASURES, CurveStep

_ROW = 34


def confusion_figure(
    names: Sequence[str],
    counts: Sequence[Sequence[int]],
    people: tuple[str, str],
    title: Callable[[str], str],
    link: Callable[[str, str], str] = lambda one, other: "",
) -> Figure:
    """Words by what one person (rows) and the other (columns) call them.

    ``counts`` are labels x labels, in the order of ``names``. ``title`` gives what a
    label is called, ``link`` the address that a cell with words opens, from both labels' names.
    """
    used = [at for at, row in enumerate(counts) if any(row) or any(line[at] for line in counts)]
    names = [names[at] for at in used]
    titles = [title(name) for name in names]
    table = np.array([[counts[row][column] for column in used] for row in used])
    shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    key = Key("Share of the row", "share", 0, 1, SHARES)
    return Figure(
        name="confusion",
        title=f"Words by the label of {people[0]} (rows) and {people[1]} (columns)",
        alt="Heatmap of counts of words; darker is a greater share of the row. The table has "
        "the same numbers.",
        data=matrix_traces(
            shares,
            titles,
            titles,
            key,
            cell=str,
            hovertemplate=f"{plain(people[0])}: %{{y}}<br>{plain(people[1])}: %{{x}}<br>"
            "%{text} words, %{z:.0%} of the row<extra></extra>",
            text=[[str(count) if count else "" for count in row] for row in table.tolist()],
        ),
        layout=matrix_layout(_ROW, titles, titles, key, (plain(people[1]), plain(people[0]))),
        numbers=Numbers.of(
            (f"{people[0]} (rows) by {people[1]} (columns)", *titles),
            titles,
            table.tolist(),
            lambda count: f"{count:,}" if count else "",
        ),
        links=tuple(
            link(one, other) if table[row, column] else ""
            for row, one in enumerate(names)
            for column, other in enumerate(names)
        ),
    )


def curve_figure(points: Sequence[CurveStep]) -> Figure:
    """F1 by the number of captions learned from."""
    names = [(name, title, tone) for tone, (name, title, _) in enumerate(MEASURES[:2])]
    return Figure(
        name="curve",
        title="F1 by number of training captions",
        alt="Two lines, measured on the same held-out captions; the table has the same numbers.",
        data=[
            line(
                title,
                [point.captions for point in points],
                [round(getattr(point, name) or 0, 4) for point in points],
                marker={"size": 8},
                meta={"tone": tone},
                hovertemplate=f"{title}, %{{x}} captions: %{{y:.3f}}<extra></extra>",
            )
            for name, title, tone in names
        ],
        layout=base_layout(
            300,
            showlegend=True,
            legend=LEGEND_ABOVE,
            margin={"l": 56, "r": 16, "t": 56, "b": 48},
            xaxis=axis("Training captions", rangemode="tozero"),
            yaxis=axis("F1", range=[0, 1.03]),
        ),
        numbers=Numbers.of(
            ("Captions", *(title for _, title, _ in names)),
            (f"{point.captions:,}" for point in points),
            ([getattr(point, name) for name, _, _ in names] for point in points),
            three,
        ),
        point="number of captions learned from",
    )
