"""Stored results of the benchmark with human judgments, and results that others published.

``earmark/resources/benchmark/README.md`` says how the file of what was measured is written.
"""

import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from earmark.benchmark import TOTAL, Accuracy, MetricPreferences, Preferences
from earmark.judgment_files import FACETS
from earmark.registry import METRICS
from earmark.results import NO_INTERVAL, Interval
from earmark.statistics import Floats

KINDS = (*FACETS, TOTAL)

_FOLDER = Path(__file__).with_name("resources") / "benchmark"
RESULTS_FILE = _FOLDER / "audiocaps_eval.json"
VALIDATED_FILE = RESULTS_FILE.with_name("earmark_validated.json")
_PUBLISHED = _FOLDER / "published.toml"


@dataclass(frozen=True, slots=True)
class BenchmarkedMetric:
    """A metric's accuracy on each kind of pair, and what it was computed with."""

    name: str
    signature: str
    accuracies: Mapping[str, Accuracy]


@dataclass(frozen=True, slots=True)
class BenchmarkResults:
    """All metrics on one file of judgments, in registry order.

    ``preferences`` has no pairs where the results are from before they were kept.
    """

    judgments: str
    sha256: str
    metrics: Mapping[str, BenchmarkedMetric]
    preferences: Preferences

    @property
    def pairs(self) -> dict[str, int]:
        """How many pairs there are of each kind, and in all."""
        first = next(iter(self.metrics.values()))
        return {kind: accuracy.pairs for kind, accuracy in first.accuracies.items()}


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """Published agreement in per cent by kind of pair; ``metric`` is empty where it is none.

    ``made_with`` distinguishes rows of one metric; ``source`` says who found the numbers.
    """

    metric: str
    made_with: str
    source: str
    audiocaps: Mapping[str, float]
    clotho: Mapping[str, float]


def benchmark_results_of(
    agreement: MetricPreferences, judgments: str, data: bytes
) -> BenchmarkResults:
    """Results of a comparison with the judgments of that file name and content."""
    rows = {
        name: BenchmarkedMetric(name, agreement.signatures[name], accuracies)
        for name, accuracies in agreement.accuracies.items()
    }
    return BenchmarkResults(judgments, sha256(data).hexdigest(), rows, agreement.preferences)


def results_json(measured: BenchmarkResults) -> str:
    """Write as JSON, one line for each metric; null where a kind has no pair.

    Of each pair it has the kind, the clip's number, and 1 or -1 for the caption that people prefer.
    """
    preferences = measured.preferences
    rows = ",\n".join(
        f"    {json.dumps(name)}: {json.dumps(_row(row, preferences), allow_nan=False)}"
        for name, row in measured.metrics.items()
    )
    pairs = {
        "facet": preferences.facets.tolist(),
        "clip": preferences.clips.tolist(),
        "truth": np.sign(preferences.truth).astype(int).tolist(),
    }
    head = {"judgments": measured.judgments, "sha256": measured.sha256, "pairs": pairs}
    stored = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items())
    return f'{{\n{stored}  "metrics": {{\n{rows}\n  }}\n}}\n'


def _row(metric: BenchmarkedMetric, preferences: Preferences) -> dict[str, Any]:
    kept = preferences.differences.get(metric.name)
    return {
        "signature": metric.signature,
        "accuracies": {kind: accuracy_row(row) for kind, row in metric.accuracies.items()},
        **({} if kept is None else {"differences": kept_differences(kept)}),
    }


def kept_differences(differences: Floats) -> list[float | None]:
    """Differences as they are stored: six significant digits, None where there is none."""
    return [None if math.isnan(value) else float(f"{value:.6g}") for value in differences.tolist()]


def differences_from_kept(stored: Sequence[float | None]) -> Floats:
    """Read what ``kept_differences`` wrote."""
    return np.array([math.nan if value is None else value for value in stored], np.float64)


def accuracy_row(accuracy: Accuracy) -> dict[str, float | None]:
    """Counts, the share and its interval as they are stored; None for shares without pairs."""
    shares = {
        "percent": accuracy.percent,
        "low": accuracy.interval.low,
        "high": accuracy.interval.high,
    }
    counts = {"correct": accuracy.correct, "pairs": accuracy.pairs, "undecided": accuracy.undecided}
    return counts | {
        name: round(share, 4) if accuracy.pairs else None for name, share in shares.items()
    }


def accuracy_from_row(row: Mapping[str, Any]) -> Accuracy:
    """Read what ``accuracy_row`` wrote; the share is computed from the counts again."""
    if row["low"] is None:
        # Pairs of one clip were once stored without an interval.
        interval = Interval(0.0, 100.0) if row["pairs"] else NO_INTERVAL
    else:
        interval = Interval(row["low"], row["high"])
    return Accuracy(row["correct"], row["pairs"], row["undecided"], interval)


def results_from_json(text: str) -> BenchmarkResults:
    """Read what ``results_json`` wrote."""
    stored = json.loads(text)
    return BenchmarkResults(
        stored["judgments"],
        stored["sha256"],
        {
            name: BenchmarkedMetric(
                name,
                row["signature"],
                {kind: accuracy_from_row(share) for kind, share in row["accuracies"].items()},
            )
            for name, row in stored["metrics"].items()
        },
        _preferences(stored.get("pairs", {}), stored["metrics"]),
    )


def _preferences(pairs: Mapping[str, Any], metrics: Mapping[str, Any]) -> Preferences:
    return Preferences(
        np.array(pairs.get("facet", ()), np.str_),
        np.array(pairs.get("clip", ()), np.int64),
        np.array(pairs.get("truth", ()), np.float64),
        {
            name: differences_from_kept(row["differences"])
            for name, row in metrics.items()
            if "differences" in row
        },
    )


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
    metric, made_with, source = (row.get(key, "") for key in ("metric", "with", "source"))
    return PublishedResult(metric, made_with, source, audiocaps, clotho)


def published_result(name: str) -> PublishedResult | None:
    """Published row of a metric whose models are nearest to ours; "" stands for people."""
    return next((row for row in published_results() if row.metric == name), None)


def validated_json(signature: str, accuracies: Mapping[str, Accuracy]) -> str:
    """Write a metric's accuracies by kind of pair, with its signature, for ``validated``."""
    rows = {kind: accuracy_row(share) for kind, share in accuracies.items()}
    return json.dumps({"signature": signature, "accuracies": rows}, indent=1) + "\n"


@cache
def validated() -> BenchmarkedMetric:
    """How often ``earmark`` agrees with people by weights that did not see a pair's clip.

    Its weights are learned from the pairs on which the others are measured, so that it stands
    beside them with what nested cross-validation finds.
    """
    stored = json.loads(VALIDATED_FILE.read_text())
    return BenchmarkedMetric(
        stored["signature"].partition("|")[0],
        stored["signature"],
        {kind: accuracy_from_row(row) for kind, row in stored["accuracies"].items()},
    )
