"""Stored results of the benchmark with human judgments, and results that others published.

``scoring/resources/benchmark/README.md`` says how the file of what was measured is written.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from scoring.benchmark import FACETS, TOTAL, Accuracy, HumanAgreement
from scoring.registry import METRICS

KINDS = (*FACETS, TOTAL)

_FOLDER = Path(__file__).with_name("resources") / "benchmark"
RESULTS_FILE = _FOLDER / "audiocaps_eval.json"
_PUBLISHED = _FOLDER / "published.toml"


@dataclass(frozen=True, slots=True)
class BenchmarkedMetric:
    """A metric's accuracy on each kind of pair, and what it was computed with."""

    name: str
    signature: str
    accuracies: Mapping[str, Accuracy]


@dataclass(frozen=True, slots=True)
class BenchmarkResults:
    """All metrics on one file of judgments, in registry order."""

    judgments: str
    sha256: str
    metrics: Mapping[str, BenchmarkedMetric]

    @property
    def pairs(self) -> dict[str, int]:
        """How many pairs there are of each kind, and in all."""
        first = next(iter(self.metrics.values()))
        return {kind: accuracy.pairs for kind, accuracy in first.accuracies.items()}


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """Published agreement in per cent by kind of pair; ``metric`` is empty where it is none.

    ``made_with`` distinguishes rows of one metric.
    """

    metric: str
    made_with: str
    audiocaps: Mapping[str, float]
    clotho: Mapping[str, float]


def benchmark_results_of(
    agreement: HumanAgreement, judgments: str, data: bytes
) -> BenchmarkResults:
    """Results of a comparison with the judgments of that file name and content."""
    rows = {
        name: BenchmarkedMetric(name, agreement.signatures[name], accuracies)
        for name, accuracies in agreement.accuracies.items()
    }
    return BenchmarkResults(judgments, sha256(data).hexdigest(), rows)


def results_json(measured: BenchmarkResults) -> str:
    """Write as JSON, one line for each metric; null where a kind has no pair."""
    rows = ",\n".join(
        f"    {json.dumps(name)}: {json.dumps(_row(row), allow_nan=False)}"
        for name, row in measured.metrics.items()
    )
    head = {"judgments": measured.judgments, "sha256": measured.sha256}
    stored = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items())
    return f'{{\n{stored}  "metrics": {{\n{rows}\n  }}\n}}\n'


def _row(metric: BenchmarkedMetric) -> dict[str, Any]:
    return {
        "signature": metric.signature,
        "accuracies": {kind: _numbers(accuracy) for kind, accuracy in metric.accuracies.items()},
    }


def _numbers(accuracy: Accuracy) -> dict[str, float | None]:
    shares = {
        "percent": accuracy.percent,
        "low": accuracy.interval.low,
        "high": accuracy.interval.high,
    }
    counts = {"correct": accuracy.correct, "pairs": accuracy.pairs, "undecided": accuracy.undecided}
    return counts | {
        name: round(share, 4) if accuracy.pairs else None for name, share in shares.items()
    }


def results_from_json(text: str) -> BenchmarkResults:
    """Read what ``results_json`` wrote; shares are computed from the counts again."""
    stored = json.loads(text)
    return BenchmarkResults(
        stored["judgments"],
        stored["sha256"],
        {
            name: BenchmarkedMetric(name, row["signature"], _accuracies(row["accuracies"]))
            for name, row in stored["metrics"].items()
        },
    )


def _accuracies(row: Mapping[str, Mapping[str, int]]) -> dict[str, Accuracy]:
    return {
        kind: Accuracy(stored["correct"], stored["pairs"], stored["undecided"])
        for kind, stored in row.items()
    }


@cache
def measured() -> BenchmarkResults:
    """Results on AudioCaps-Eval that are stored with the project."""
    return results_from_json(RESULTS_FILE.read_text())


@cache
def published_results() -> tuple[PublishedResult, ...]:
    """Results from papers, metrics in registry order; rows that are no metric come last."""
    order = {name: at for at, name in enumerate(METRICS)}
    rows = [_published_row(row) for row in tomllib.loads(_PUBLISHED.read_text())["row"]]
    return tuple(sorted(rows, key=lambda row: order.get(row.metric, len(order))))


def _published_row(row: Mapping[str, Any]) -> PublishedResult:
    # A paper that has no total leaves it off.
    audiocaps, clotho = (
        dict(zip(KINDS, row.get(benchmark, ()), strict=False))
        for benchmark in ("audiocaps", "clotho")
    )
    return PublishedResult(row.get("metric", ""), row.get("with", ""), audiocaps, clotho)


def published_result(name: str) -> PublishedResult | None:
    """Published row of a metric whose models are nearest to ours; "" stands for people."""
    return next((row for row in published_results() if row.metric == name), None)
