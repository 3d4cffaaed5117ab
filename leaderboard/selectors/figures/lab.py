"""Ranks now and as they would be, as a figure."""

from collections.abc import Mapping, Sequence

from leaderboard.selectors.figures.figure import (
    Figure,
    Numbers,
    base_layout,
    plain,
    shortened_apart,
)
from leaderboard.selectors.lab.report import LabReport, LabReportRow

MOST_LINES = 40
# As many as have room beside the lines on a phone.
MOST_LETTERS = 17
_ROW = 24
_RISES, _FALLS = 0, 1


def lab_figure(report: LabReport) -> Figure | None:
    """Lines from the ranks of now to those of then; None where nobody is ranked both times.

    Of many the best ``MOST_LINES`` of then are drawn.
    """
    rows = report.both[:MOST_LINES]
    if not rows:
        return None
    places = _places(rows)
    sides = [side for row in rows for side in (row.now, row.then) if side is not None]
    names = {line.key: line.system_name for line in sides}
    cut = dict(zip(names, shortened_apart(list(names.values()), MOST_LETTERS), strict=True))
    part = f", the first {len(rows)} of {len(report.both)}" if len(rows) < len(report.both) else ""
    return Figure(
        name="ranks-now-and-then",
        title=f"From the current ranks to those with these rules{part}",
        alt="A line for each system from its current rank to its rank with these rules; "
        "the table has the same.",
        data=[_line(row, places[at], at, cut) for at, row in enumerate(rows)],
        layout=base_layout(
            64 + _ROW * len(rows),
            margin={"l": 2, "r": 2, "t": 32, "b": 8},
            xaxis={
                "range": [-2.2, 3.2],
                "tickvals": [0, 1],
                "ticktext": ["Current", "With these rules"],
                "side": "top",
                "fixedrange": True,
                "showgrid": False,
                "zeroline": False,
            },
            yaxis={"range": [len(rows) - 0.4, -0.6], "visible": False, "fixedrange": True},
        ),
        numbers=Numbers(
            ("System", "Current rank", "Rank with these rules", "Change"),
            tuple(
                (
                    row.line.system_name,
                    *map(str, _ranks(row)),
                    f"{row.change:+d}" if row.change else "0",
                )
                for row in rows
            ),
        ),
    )


def _places(rows: Sequence[LabReportRow]) -> list[int]:
    """The place of each row among the present ranks, equals one below the other."""
    order = sorted(range(len(rows)), key=lambda at: (_ranks(rows[at])[0], at))
    return [order.index(at) for at in range(len(rows))]


def _line(row: LabReportRow, now: int, then: int, cut: Mapping[int, str]) -> dict[str, object]:
    ranks = _ranks(row)
    change = row.change or 0
    sides = (side for side in (row.now, row.then) if side is not None)
    names = [cut[side.key] for side in sides]
    return {
        "type": "scatter",
        "mode": "lines+markers+text",
        "x": [0, 1],
        "y": [now, then],
        "text": [f"{plain(names[0])} · {ranks[0]}", f"{ranks[1]} · {plain(names[1])}"],
        "textposition": ["middle left", "middle right"],
        "textfont": {"size": 11},
        "cliponaxis": False,
        "line": {"width": 2 if change else 1},
        "marker": {"size": 7},
        "meta": {"tone": _RISES if change > 0 else _FALLS if change < 0 else "soft"},
        "hovertemplate": f"{plain(row.line.system_name)}, {plain(row.line.team_name)}"
        f"<br>current rank {ranks[0]}, with these rules {ranks[1]}<extra></extra>",
    }


def _ranks(row: LabReportRow) -> tuple[int, int]:
    now, then = (side.rank if side else None for side in (row.now, row.then))
    return now or 0, then or 0
