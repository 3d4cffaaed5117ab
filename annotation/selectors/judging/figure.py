"""The strengths of systems by what judges say, as a figure."""

import math
from collections.abc import Sequence

from annotation.selectors.judging.results import JudgedSystem
from leaderboard.selectors.figures.figure import (
    Figure,
    Numbers,
    axis,
    base_layout,
    plain,
    shortened,
)

_ROW = 30


def strengths_figure(systems: Sequence[JudgedSystem]) -> Figure:
    """A dot with its interval for each system, the strongest at the top."""
    labels = [plain(f"{at}. {shortened(row.name)}") for at, row in enumerate(systems, 1)]
    known = [math.isfinite(row.interval.low) for row in systems]
    return Figure(
        name="strengths",
        title="Strength by what judges say",
        alt="Dots with intervals, one for each system, the strongest at the top; "
        "the table has the same numbers.",
        data=[
            {
                "type": "scatter",
                "mode": "markers",
                "x": [round(row.strength, 3) for row in systems],
                "y": labels,
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": [
                        round(row.interval.high - row.strength, 3) if has else 0
                        for row, has in zip(systems, known, strict=True)
                    ],
                    "arrayminus": [
                        round(row.strength - row.interval.low, 3) if has else 0
                        for row, has in zip(systems, known, strict=True)
                    ],
                    "thickness": 1.5,
                    "width": 0,
                },
                "marker": {"size": 9},
                "hovertemplate": "%{y}: %{x:.2f}<extra></extra>",
            }
        ],
        layout=base_layout(
            96 + _ROW * len(systems),
            margin={"l": 170, "r": 16, "t": 16, "b": 48},
            xaxis=axis("Log strength, 0 is the average"),
            yaxis=axis("", type="category", autorange="reversed"),
        ),
        numbers=Numbers(
            ("System", "Strength", "From", "to", "Votes"),
            tuple(
                (
                    row.name,
                    f"{row.strength:.2f}",
                    *(f"{end:.2f}" if has else "" for end in (row.interval.low, row.interval.high)),
                    f"{row.votes:,}",
                )
                for row, has in zip(systems, known, strict=True)
            ),
        ),
    )
