"""A lab's ranking as CSV."""

from leaderboard.selectors.lab.report import LabPlacement, LabReport, LabReportRow
from leaderboard.web.csv_cells import csv_line, csv_text

_SIDE = ("system", "id", "rank", "rank_low", "rank_high", "value")


def lab_csv(report: LabReport) -> str:
    """Write one line for each team or baseline: now, then, and by how much it rises."""
    names = [f"{name}_{when}" for when in ("now", "then") for name in _SIDE]
    head = ["team", "kind", *names, "change", "why_not_ranked"]
    return "".join(map(csv_line, [head, *map(_cells, report.rows)]))


def _cells(row: LabReportRow) -> list[str]:
    change = "" if row.change is None else str(row.change)
    kind = "baseline" if row.baseline else "team"
    return [
        csv_text(row.line.team_name),
        kind,
        *_side(row.now),
        *_side(row.then),
        change,
        row.why,
    ]


def _side(side: LabPlacement | None) -> list[str]:
    if side is None:
        return [""] * len(_SIDE)
    ends = [side.range.low, side.range.high] if side.range else ["", ""]
    line = side.line
    return [
        csv_text(line.system_name),
        line.public_id,
        str(side.rank),
        *map(str, ends),
        f"{side.value:.6f}",
    ]
