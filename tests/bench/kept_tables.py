"""Write the tables of what is kept in earmark/resources, whose READMEs say how it is measured.

    python -m tests.bench.kept_tables [--write]

Agreement with people, tricks, false sounds, what parts of earmark are worth, what its altered
captions show, and the descriptor labeller on captions that it was not trained on.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter
from typing import Any

from earmark.benchmark import TOTAL
from earmark.benchmark_results import (
    KINDS,
    BenchmarkedMetric,
    measured,
    published_result,
    validated,
)
from earmark.judgment_files import FACETS
from earmark.metrics.earmark.metric import PARTS
from earmark.metrics.earmark.weights import SHIPPED
from earmark.models.descriptors.words import RESOURCES
from earmark.registry import METRICS
from earmark.tricks.captions import TRICKS
from earmark.tricks.false_sounds import Changes, measured_false_sounds
from earmark.tricks.measuring import MetricUnderTricks, measured_tricks
from tests.bench.tables import arguments, table, tell


def agreement() -> str:
    """Write how often each metric agrees with people, beside what papers have."""
    learned = validated()
    learned = replace(learned, name=f"{learned.name}, by nested cross-validation")
    rows = [*map(_agreement, (*measured().metrics.values(), learned))]
    people = "one person against the other three"
    head = ("metric", *FACETS, "Total (95 %)", "published")
    return table(head, [*rows, (people, "", "", "", "", "", _published(""))])


def _agreement(metric: BenchmarkedMetric) -> tuple[str, ...]:
    ours = (f"{metric.accuracies[facet].percent:.1f}" for facet in FACETS)
    total = metric.accuracies[TOTAL]
    interval = f"{total.interval.low:.1f} to {total.interval.high:.1f}"
    return metric.name, *ours, f"{total.percent:.1f} ({interval})", _published(metric.name)


def _published(name: str) -> str:
    row = published_result(name)
    if row is None:
        return ""
    return " / ".join(f"{row.audiocaps[kind]:.1f}" for kind in KINDS if kind in row.audiocaps)


def tricks() -> str:
    """Write what tricks gain; better than the whole interval of the honest value is bold."""
    head = ("metric", "honest", *(trick.label for trick in TRICKS))
    return table(head, map(_tricks, measured_tricks().metrics.values()))


def _tricks(row: MetricUnderTricks) -> Iterator[str]:
    decimals = METRICS[row.name].decimals
    yield row.name
    yield f"{row.honest:.{decimals}f}"
    for trick in TRICKS:
        told = f"{row.values[trick.name]:.{decimals}f}"
        yield f"**{told}**" if trick.name in row.raised_by else told


def false_sounds() -> str:
    """Write in what share of cases a false sound raises and lowers each metric."""
    head = ["metric", "people: rises", "falls", "cases", "system: rises", "falls", "cases"]
    rows = measured_false_sounds().metrics.values()
    return table(head, ((row.name, *_cases(row.human), *_cases(row.system)) for row in rows))


def _cases(changes: Changes) -> tuple[str, ...]:
    return f"{changes.percent:.1f} %", f"{changes.percent_worse:.1f} %", f"{changes.cases:,}"


def _earmark(file: str) -> Any:
    return json.loads(SHIPPED.with_name(file).read_text())


def earmark_weights() -> str:
    """Write the parts of earmark and what they weigh."""
    weights = _earmark(SHIPPED.name)["weights"].items()
    rows = ((PARTS[name], f"`{name}`", f"{weight:.3f}") for name, weight in weights)
    return table(("part", "name in the file", "weight"), rows)


def earmark_validated() -> str:
    """Write earmark's agreement by nested cross-validation."""
    shares = _earmark("report.json")["validated"]
    return table(("", *KINDS), [("earmark", *(f"{shares[kind]:.1f}" for kind in KINDS))])


def earmark_altered() -> str:
    """Write how often earmark prefers a caption to the same one altered."""
    rows = sorted(_earmark("report.json")["altered"].items(), key=itemgetter(1), reverse=True)
    return table(("what is wrong", "better one preferred"), ((k, f"{v:.1f}") for k, v in rows))


def earmark_parts() -> str:
    """Write what each part of earmark is worth; what changes beyond chance is bold."""
    return table(
        ("left out", "of all pairs", "change (95 %)"), map(_part, _earmark("ablation.json"))
    )


def _part(row: dict[str, Any]) -> tuple[str, ...]:
    change = f"{row['change']:+.1f} ({row['low']:+.1f} to {row['high']:+.1f})"
    told = f"**{change}**" if row["low"] > 0 or row["high"] < 0 else change
    return row["left_out"], f"{row['percent']:.1f}", told


def _folds() -> dict[str, Any]:
    report = json.loads((RESOURCES / "report.json").read_text())
    return dict(report["folds"])


def descriptors() -> str:
    """Write F1 of the descriptor labeller over five folds."""
    head = ("inventory", "captions", "token micro F1 without O", "of the five folds",
            "token F1 with O, weighted", "exact spans F1")  # fmt: skip
    return table(head, (_inventory(name, one) for name, one in _folds().items()))


def _inventory(name: str, one: dict[str, Any]) -> tuple[str, ...]:
    lowest, highest = min(one["each"]), max(one["each"])
    values = f"{one['micro']:.3f}", f"{lowest:.3f} to {highest:.3f}"
    return name, one["captions"], *values, f"{one['weighted']:.3f}", f"{one['span']:.3f}"


def descriptor_labels() -> str:
    """Write its F1 by label, with the number of words to which people gave it."""
    folds = _folds()
    names = dict.fromkeys(label for one in folds.values() for label in one["confusion"]["labels"])
    rows = ((name, *(_label(one["labels"].get(name)) for one in folds.values())) for name in names)
    return table(("label", *folds), rows)


def _label(one: dict[str, Any] | None) -> str:
    return f"{one['f1']:.2f} ({one['words']})" if one else ""


KEPT = {
    "kept_tables: agreement": agreement,
    "kept_tables: tricks": tricks,
    "kept_tables: false sounds": false_sounds,
    "kept_tables: earmark weights": earmark_weights,
    "kept_tables: earmark validated": earmark_validated,
    "kept_tables: earmark parts": earmark_parts,
    "kept_tables: earmark altered": earmark_altered,
    "kept_tables: descriptors": descriptors,
    "kept_tables: descriptor labels": descriptor_labels,
}


if __name__ == "__main__":
    parsed = arguments(__doc__ or "").parse_args()
    tell({name: make() for name, make in KEPT.items()}, write=parsed.write)
