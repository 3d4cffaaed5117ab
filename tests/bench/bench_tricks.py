"""Write what tricks gain by each metric: the second table of docs/measurements/benchmark.md.

    python -m tests.bench.bench_tricks

The numbers are those kept in scoring/resources/tricks, whose README says how they are measured.
"""

import sys

from scoring.registry import METRICS
from scoring.tricks.captions import TRICKS
from scoring.tricks.measuring import MetricUnderTricks, measured_tricks

HEAD = f"| metric | honest | {' | '.join(trick.label for trick in TRICKS)} |\n"
RULE = f"|---|---|{'---|' * len(TRICKS)}\n"


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


if __name__ == "__main__":
    sys.stdout.write(table())
