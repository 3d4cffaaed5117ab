"""Write what tricks gain by each metric, and how often false sounds raise one.

    python -m tests.bench.bench_tricks

These are tables of docs/measurements/benchmark.md. The numbers are those kept in
scoring/resources/tricks, whose README says how they are measured.
"""

import sys

from scoring.registry import METRICS
from scoring.tricks.captions import TRICKS
from scoring.tricks.false_sounds import Changes, measured_false_sounds
from scoring.tricks.measuring import MetricUnderTricks, measured_tricks

HEAD = f"| metric | honest | {' | '.join(trick.label for trick in TRICKS)} |\n"
RULE = f"|---|---|{'---|' * len(TRICKS)}\n"
CHANGES_HEAD = """\
| metric | people: rises | falls | cases | system: rises | falls | cases |
|---|---|---|---|---|---|---|
"""


def line(row: MetricUnderTricks) -> str:
    """Write a row; what is better than the whole interval of the honest value is bold."""
    decimals, raised = METRICS[row.name].decimals, row.raised_by
    cells = (
        f"**{row.values[trick.name]:.{decimals}f}**"
        if trick.name in raised
        else f"{row.values[trick.name]:.{decimals}f}"
        for trick in TRICKS
    )
    return f"| {row.name} | {row.honest:.{decimals}f} | {' | '.join(cells)} |\n"


def table() -> str:
    """Write the whole table."""
    return HEAD + RULE + "".join(map(line, measured_tricks().metrics.values()))


def changes_table() -> str:
    """Write in what share of cases a false sound raises and lowers each metric."""
    rows = measured_false_sounds().metrics.values()
    return CHANGES_HEAD + "".join(
        f"| {row.name} | {_cells(row.human)} | {_cells(row.system)} |\n" for row in rows
    )


def _cells(changes: Changes) -> str:
    shares = (changes.percent, changes.percent_worse)
    return " | ".join([*(f"{share:.1f} %" for share in shares), f"{changes.cases:,}"])


if __name__ == "__main__":
    sys.stdout.write(f"{table()}\n{changes_table()}")
