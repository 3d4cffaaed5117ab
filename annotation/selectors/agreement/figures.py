"""Figures of agreement."""

from collections.abc import Sequence

from annotation.agreement.measures import STEP, Estimate, Stretch
from leaderboard.selectors.figures.figure import Figure, Numbers, axis, base_layout, three


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
        guide="reference/agreement",
        point=f"{STEP} captions that both have finished",
    )


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
