"""The way of teams to their ranks, as a figure."""

from datetime import UTC
from typing import Any

from leaderboard.selectors.figures.figure import (
    Figure,
    Numbers,
    about,
    axis,
    base_layout,
    plain,
    shortened,
)
from leaderboard.selectors.ranking.history import History, Step

DEEP = 30
COLOURED = 6  # teams that stand out by a colour of their own
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star")
_AFTER: dict[Step, str] = {
    "submission": "after each submission that changed them",
    "day": "at the end of each day that changed them",
    "week": "at the end of each week that changed them",
    "month": "at the end of each month that changed them",
}


def history_figure(history: History) -> Figure:
    """Ranks over time, one line for each team; the reader's own lines are thicker."""
    names = [shortened(line.team_name) for line in history.lines]
    times = [moment.at.astimezone(UTC) for moment in history.moments]
    traces = []
    for at, line in enumerate(history.lines):
        own = line.team in history.own
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": plain(f"{names[at]} (yours)" if own else names[at]),
                "x": [f"{time:%Y-%m-%d %H:%M:%S}" for time in times],
                "y": [moment.ranks[at] for moment in history.moments],
                "line": {"width": 4 if own else 2 if at < COLOURED else 1, "shape": "hv"},
                "marker": {"size": 6, "symbol": _SYMBOLS[at % len(_SYMBOLS)]},
                "meta": {"tone": at if at < COLOURED else "soft"},
                "hovertemplate": "%{fullData.name}<br>%{x}: rank %{y}<extra></extra>",
            }
        )
    deepest = max(
        (rank for moment in history.moments for rank in moment.ranks if rank is not None), default=1
    )
    return Figure(
        name="rank-history",
        title=f"Ranks of teams {_AFTER[history.step]}",
        alt="Lines of ranks over time, one for each team; the table has the same numbers.",
        data=traces,
        layout=base_layout(
            max(360, 150 + 24 * len(names)),
            showlegend=True,
            legend={"orientation": "v", "x": 1.01, "y": 1, "traceorder": "normal"},
            margin={"l": 48, "r": 16, "t": 16, "b": 56},
            xaxis=axis("Time (UTC)", type="date"),
            yaxis=axis("Rank", autorange="reversed", **_ticks(deepest)),
        ),
        numbers=Numbers(
            ("Time (UTC)", *(line.team_name for line in history.lines)),
            tuple(
                (
                    f"{time:%Y-%m-%d %H:%M}",
                    *("" if rank is None else str(rank) for rank in moment.ranks),
                )
                for time, moment in zip(times, history.moments, strict=True)
            ),
        ),
        about=about(history.phase.ranking_metric),
        point="change of the ranks",
    )


def _ticks(deepest: int) -> dict[str, Any]:
    """Mark the ranks; where they go deep, the first ones get the more room."""
    if deepest <= DEEP:
        return {"dtick": max(1, deepest // 10), "tick0": 1}
    marks = [n * 10**power for power in range(7) for n in (1, 2, 5)]
    return {"type": "log", "tickvals": [mark for mark in marks if mark <= 2 * deepest]}
