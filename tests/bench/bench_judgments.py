"""Write how often each metric agrees with people: the table of docs/measurements/benchmark.md.

    python -m tests.bench.bench_judgments

The numbers are those kept in scoring/resources/benchmark, whose README says how they are measured.
"""

import sys
from dataclasses import replace

from scoring.benchmark import TOTAL
from scoring.benchmark_results import KINDS, BenchmarkedMetric, measured, published_result
from scoring.judgment_files import FACETS
from scoring.validated_results import validated

HEAD = "| metric | HC | HI | HM | MM | Total (95 %) | published |\n|---|---|---|---|---|---|---|\n"


def line(metric: BenchmarkedMetric) -> str:
    """Write a row: our accuracies, the total with its interval, what is published."""
    ours = " | ".join(f"{metric.accuracies[facet].percent:.1f}" for facet in FACETS)
    total = metric.accuracies[TOTAL]
    interval = f"{total.interval.low:.1f} to {total.interval.high:.1f}"
    return f"| {metric.name} | {ours} | {total.percent:.1f} ({interval}) | {told(metric.name)} |\n"


def told(name: str) -> str:
    """Write what a paper has of a metric, or with "" of people."""
    row = published_result(name)
    if row is None:
        return ""
    return " / ".join(f"{row.audiocaps[kind]:.1f}" for kind in KINDS if kind in row.audiocaps)


def table() -> str:
    """Write the whole table."""
    learned = validated()
    learned = replace(learned, name=f"{learned.name}, by nested cross-validation")
    rows = "".join(line(metric) for metric in (*measured().metrics.values(), learned))
    return f"{HEAD}{rows}| one person against the other three | | | | | | {told('')} |\n"


if __name__ == "__main__":
    sys.stdout.write(table())
