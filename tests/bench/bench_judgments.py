"""Write how often each metric agrees with people, as the Markdown table of docs/benchmark.md.

    python -m tests.bench.bench_judgments [--judgments FILE]

The same numbers as ``python -m scoring benchmark --metrics all``, beside those published.
"""

import argparse
import sys
import time
from pathlib import Path

from scoring.benchmark import FACETS, TOTAL, Accuracy, agreement, benchmark_metrics, read_judgments
from scoring.registry import METRICS
from scoring.workspace import Workspace
from tests.bench.data import DATA, stop_without

# AudioCaps-Eval, per cent: HC, HI, HM, MM, Total. From the papers of the metrics; some have
# another encoder or parser than ours, which the page says.
PUBLISHED: dict[str, str] = {
    "bleu_1": "58.6 / 90.3 / 77.4 / 50.3 / 62.4",
    "bleu_4": "54.7 / 85.8 / 78.7 / 50.6 / 61.6",
    "rouge_l": "61.1 / 91.5 / 82.8 / 52.1 / 64.9",
    "meteor": "66.0 / 96.4 / 90.0 / 60.1 / 71.7",
    "cider_d": "56.2 / 96.0 / 90.4 / 61.2 / 71.0",
    "spice": "50.2 / 83.8 / 77.8 / 49.1 / 59.7",
    "spider": "56.7 / 96.0 / 90.4 / 63.4 / 72.2",
    "spider_fl": "57.1 / 95.5 / 90.0 / 76.3 / 79.1",
    "bert_score": "60.6 / 97.6 / 92.9 / 65.0 / 74.3",
    "sbert_sim": "63.5 / 99.2 / 92.9 / 75.4 / 80.6",
    "fense": "64.0 / 98.4 / 92.1 / 84.4 / 85.2",
    "sbf": "40.9 / 93.5 / 92.1 / 66.4",
    "spice_plus": "59.1 / 85.4 / 83.7 / 49.0 / 62.0",
    "spice_plus_emb": "63.5 / 96.4 / 91.6 / 70.0 / 77.0",
    "aces": "64.5 / 95.1 / 89.5 / 82.0 / 83.0",
}
HUMAN = "| one person against the other three | | | | | | 68.1 / 97.6 / 93.0 / 80.2 / 83.2 |\n"


def line(name: str, facets: dict[str, Accuracy]) -> str:
    """Write a row: our accuracies, the total with its interval, what is published."""
    ours = " | ".join(f"{facets[facet].percent:.1f}" for facet in FACETS)
    total = facets[TOTAL]
    interval = f"{total.interval.low:.1f} to {total.interval.high:.1f}"
    return f"| {name} | {ours} | {total.percent:.1f} ({interval}) | {PUBLISHED.get(name, '')} |\n"


def main() -> None:
    """Score all pairs by every metric and write the table."""
    parser = argparse.ArgumentParser(description="Agreement of the metrics with people.")
    parser.add_argument(
        "--judgments", type=Path, default=DATA / "benchmark" / "audiocaps_eval.json"
    )
    parsed = parser.parse_args()
    stop_without(parsed.judgments)
    judgments = read_judgments(parsed.judgments.read_bytes())
    started = time.monotonic()
    found = agreement(judgments, benchmark_metrics(), Workspace())
    sys.stdout.write("| metric | HC | HI | HM | MM | Total (95 %) | published |\n")
    sys.stdout.write("|---|---|---|---|---|---|---|\n")
    for name in METRICS:
        if name in found.accuracies:
            sys.stdout.write(line(name, dict(found.accuracies[name])))
    sys.stdout.write(HUMAN)
    for name, why in found.unavailable.items():
        sys.stdout.write(f"{name} is unavailable: {why.reason}\n")
    sys.stderr.write(f"{len(judgments.decidable):,} pairs, {time.monotonic() - started:.0f} s\n")


if __name__ == "__main__":
    main()
