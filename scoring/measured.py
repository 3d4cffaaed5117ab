"""How often each metric agrees with people: what was measured and is kept, what others published.

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

from scoring.benchmark import FACETS, TOTAL, Accuracy, Agreement
from scoring.registry import METRICS

KINDS = (*FACETS, TOTAL)

_FOLDER = Path(__file__).with_name("resources") / "benchmark"
MEASURED = _FOLDER / "audiocaps_eval.json"
_PUBLISHED = _FOLDER / "published.toml"


@dataclass(frozen=True, slots=True)
class MeasuredMetric:
    """A metric's accuracy on each kind of pair, and what it was computed with."""

    name: str
    signature: str
    accuracies: Mapping[str, Accuracy]


@dataclass(frozen=True, slots=True)
class Measured:
    """All metrics on one file of judgments, in registry order."""

    judgments: str
    sha256: str
    metrics: Mapping[str, MeasuredMetric]

    @property
    def pairs(self) -> dict[str, int]:
        """How many pairs there are of each kind, and in all."""
        first = next(iter(self.metrics.values()))
        return {kind: accuracy.pairs for kind, accuracy in first.accuracies.items()}


@dataclass(frozen=True, slots=True)
class Published:
    """What a paper has, in per cent by kind of pair; ``metric`` empty where it is none.

    ``made_with`` tells rows of one metric apart.
    """

    metric: str
    made_with: str
    audiocaps: Mapping[str, float]
    clotho: Mapping[str, float]


def measured_of(found: Agreement, judgments: str, data: bytes) -> Measured:
    """Give what was found on the judgments of that file name and content."""
    rows = {
        name: MeasuredMetric(name, found.signatures[name], accuracies)
        for name, accuracies in found.accuracies.items()
    }
    return Measured(judgments, sha256(data).hexdigest(), rows)


def measured_text(measured: Measured) -> str:
    """Write as JSON, one line for each metric; null where a kind has no pair."""
    rows = ",\n".join(
        f"    {json.dumps(name)}: {json.dumps(_row(row), allow_nan=False)}"
        for name, row in measured.metrics.items()
    )
    head = {"judgments": measured.judgments, "sha256": measured.sha256}
    told = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items())
    return f'{{\n{told}  "metrics": {{\n{rows}\n  }}\n}}\n'


def _row(metric: MeasuredMetric) -> dict[str, Any]:
    return {
        "signature": metric.signature,
        "accuracies": {kind: _numbers(found) for kind, found in metric.accuracies.items()},
    }


def _numbers(found: Accuracy) -> dict[str, float | None]:
    shares = {"percent": found.percent, "low": found.interval.low, "high": found.interval.high}
    counts = {"correct": found.correct, "pairs": found.pairs, "undecided": found.undecided}
    return counts | {
        name: round(share, 4) if found.pairs else None for name, share in shares.items()
    }


def measured_from(text: str) -> Measured:
    """Read what ``measured_text`` wrote; shares are computed from the counts again."""
    told = json.loads(text)
    return Measured(
        told["judgments"],
        told["sha256"],
        {
            name: MeasuredMetric(name, row["signature"], _accuracies(row["accuracies"]))
            for name, row in told["metrics"].items()
        },
    )


def _accuracies(row: Mapping[str, Mapping[str, int]]) -> dict[str, Accuracy]:
    return {
        kind: Accuracy(told["correct"], told["pairs"], told["undecided"])
        for kind, told in row.items()
    }


@cache
def measured() -> Measured:
    """Give what was measured on AudioCaps-Eval, as the project keeps it."""
    return measured_from(MEASURED.read_text())


@cache
def published() -> tuple[Published, ...]:
    """Give what papers have, the metrics in registry order; what is no metric comes last."""
    order = {name: at for at, name in enumerate(METRICS)}
    rows = [_published(row) for row in tomllib.loads(_PUBLISHED.read_text())["row"]]
    return tuple(sorted(rows, key=lambda row: order.get(row.metric, len(order))))


def _published(row: Mapping[str, Any]) -> Published:
    # A paper that has no total leaves it off.
    audiocaps, clotho = (
        dict(zip(KINDS, row.get(benchmark, ()), strict=False))
        for benchmark in ("audiocaps", "clotho")
    )
    return Published(row.get("metric", ""), row.get("with", ""), audiocaps, clotho)


def published_beside(name: str) -> Published | None:
    """Give the row of a metric whose models are nearest to ours; "" gives people's."""
    return next((row for row in published() if row.metric == name), None)
