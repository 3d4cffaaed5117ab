"""Write what each part of earmark is worth: a table of docs/reference/earmark.md.

    python -m tests.bench.bench_earmark

The numbers are those that ``train earmark --ablation`` wrote into scoring/resources/earmark.
"""

import json
import sys

from scoring.metrics.earmark.weights import SHIPPED

HEAD = "| left out | of all pairs | change (95 %) |\n|---|---|---|\n"


def ablation_table() -> str:
    """Write the whole table; what changes beyond chance is bold."""
    rows = json.loads(SHIPPED.with_name("ablation.json").read_text())
    return HEAD + "".join(map(_line, rows))


def _line(row: dict[str, float | str]) -> str:
    low, high = float(row["low"]), float(row["high"])
    change = f"{float(row['change']):+.1f} ({low:+.1f} to {high:+.1f})"
    told = f"**{change}**" if low > 0 or high < 0 else change
    return f"| {row['left_out']} | {float(row['percent']):.1f} | {told} |\n"


if __name__ == "__main__":
    sys.stdout.write(ablation_table())
