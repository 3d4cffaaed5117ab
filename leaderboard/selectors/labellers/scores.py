"""What a labeller did on captions that it had not seen, read from a report.

A report may have come with a labeller that was made elsewhere, so that nothing in it is
taken to be there, or to be what it should be: what is not, reads as not measured.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

# More of each kind no inventory has.
MOST_LABELS = 60
MOST_STEPS = 50
# Title and definition of each measure, in the order of pages.
MEASURES = (
    (
        "micro",
        "Token F1, micro, without O",
        (
            "Of all words with a label, by people or by the labeller: twice the right labels, "
            "divided by the labels of both. Words that neither labels do not count."
        ),
    ),
    (
        "weighted",
        "Token F1, weighted, with O",
        (
            "The F1 of each label, no label being one of them, weighted by the words that people "
            "gave it. Many papers report this; easy words without a label raise it."
        ),
    ),
    (
        "span",
        "F1 of exact spans",
        "A span is right if its first word, its last word and its label are.",
    ),
    ("accuracy", "Words labelled right", "Share of all words, those without a label among them."),
)


@dataclass(frozen=True, slots=True)
class LabellerFigures:
    """Measures of one inventory, 0 to 1; ``captions`` were measured on, ``learned`` from.

    ``micro`` is the token micro F1 without O, ``weighted`` the token F1 weighted by label
    with O, ``span`` the F1 of exact spans. ``crossed``: the captions were divided and each
    part measured by a labeller that learned from the others; the figures are of the parts
    together, and ``folds`` has the micro F1 of each. ``labels`` has, by label, shares 0 to 1 and
    the ``words`` that people gave it. ``confusion`` has labels and the counts of words by the
    label that people gave them (rows) and that the labeller gave (columns).
    """

    inventory: str
    micro: float | None
    weighted: float | None
    accuracy: float | None
    span: float | None
    captions: int | None
    learned: int | None
    labels: Mapping[str, Mapping[str, Any]]
    confusion: tuple[tuple[str, ...], list[list[int]]] | None
    crossed: bool
    folds: tuple[float, ...]

    @property
    def how(self) -> str:
        """What they were measured on, in words."""
        if not self.crossed:
            return "held-out captions"
        return f"{len(self.folds)} folds" if self.folds else "folds"


@dataclass(frozen=True, slots=True)
class CurveStep:
    """A point of the learning curve."""

    captions: int
    micro: float
    weighted: float | None


def measure_rows(*columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The measures in the order of pages, with their definitions; each column has them by name.

    ``values`` are a share 0 to 1 for each column, None where not measured.
    """
    return [
        {"title": title, "about": about, "values": [_share(one.get(name)) for one in columns]}
        for name, title, about in MEASURES
    ]


def cells_off_diagonal(
    labels: Sequence[str], counts: Sequence[Sequence[int]]
) -> list[tuple[str, str, int]]:
    """Words labelled otherwise than by people: their label, the labeller's, count; most first."""
    cells = [
        (one, other, count)
        for one, row in zip(labels, counts, strict=True)
        for other, count in zip(labels, row, strict=True)
        if one != other and count
    ]
    return sorted(cells, key=lambda cell: -cell[2])


def in_use_then(report: Any) -> Mapping[str, Any]:
    """Measures of the labeller that was in use at the training, on the same captions."""
    return _mapping(_mapping(_mapping(report).get("comparison")).get("scores"))


def scores_of(report: Any, labels: Sequence[str]) -> LabellerFigures | None:
    """Read the measures of the inventory that a labeller with these labels has.

    Those on captions held out are preferred, as they are of this very labeller; where it
    learned from all, those of the folds are of others made in the same way.
    """
    content = _mapping(report)
    if "micro" in content:  # the measures of one inventory alone
        return _scores("", content, None, labels, crossed=False)
    for part in ("inventories", "folds"):
        inventory = _own_inventory(_mapping(content.get(part)), labels)
        if inventory is not None:
            counts = _mapping(content.get("captions"))
            learned = _count(counts.get("written", counts.get("learned")))
            return _scores(*inventory, learned, labels, crossed=part == "folds")
    return None


def curve_of(report: Any) -> tuple[CurveStep, ...]:
    """Read the learning curve, fewest captions first; empty where there is none."""
    steps = []
    for row in _list(_mapping(report).get("curve"))[:MOST_STEPS]:
        step = _mapping(row)
        captions, micro = _count(step.get("captions")), _share(step.get("micro"))
        if captions is not None and micro is not None:
            steps.append(CurveStep(captions, micro, _share(step.get("weighted"))))
    return tuple(sorted(steps, key=lambda step: step.captions))


# Differences of F1 below this are hardly more than chance on a few hundred captions.
HARDLY = 0.005
# A curve that falls by more than this from one point to the next is mostly chance.
SCATTER = 0.025
# Two doublings, and a point between that shows whether the curve is even.
FEWEST_POINTS = 4


def curve_summary(steps: Sequence[CurveStep], held_out: int | None) -> str:
    """What more labels would bring, as far as the learning curve can tell; "" without one.

    ``held_out`` is how many captions it was measured on, None where that is not known.
    """
    if not steps:
        return ""
    captions = "held-out captions" if held_out is None else f"{held_out:,} held-out captions"
    judged = f"It is measured on {captions}, one draw of them."
    if len(steps) < FEWEST_POINTS:
        return f"With fewer than {FEWEST_POINTS} points there is no forecast. {judged}"
    last = steps[-1]
    half = _step_at(steps, last.captions / 2)
    gain = last.micro - half.micro
    before = half.micro - _step_at(steps, last.captions / 4).micro
    gained = (
        f"From {half.captions:,} to {last.captions:,} captions F1 went from "
        f"{half.micro:.3f} to {last.micro:.3f}."
    )
    fall = max(one.micro - other.micro for one, other in pairwise(steps))
    if fall > SCATTER or gain > max(before, HARDLY) or last.micro + gain > 1:
        return f"{gained} The points are too uneven to say what more captions would bring. {judged}"
    if gain < HARDLY:
        return f"{gained} More captions of the same kind would bring little. {judged}"
    return (
        f"{gained} A doubling usually brings less than the one before, so {last.captions:,} "
        f"captions more would probably bring less than {gain:.3f}. {judged}"
    )


def _step_at(steps: Sequence[CurveStep], captions: float) -> CurveStep:
    return min(steps, key=lambda step: abs(step.captions - captions))


def _own_inventory(
    inventories: Mapping[str, Any], labels: Sequence[str]
) -> tuple[str, Mapping[str, Any]] | None:
    """Find the inventory whose labels are most of all the labeller's own."""
    own = set(labels)
    rows = [
        (str(name)[:60], _mapping(row))
        for name, row in sorted(inventories.items())
        if _mapping(row)
    ]
    rows = [row for row in rows if _share(row[1].get("micro")) is not None]
    if not rows:
        return None

    def likeness(row: tuple[str, Mapping[str, Any]]) -> float:
        names = set(_mapping(row[1].get("labels")))
        return len(names & own) / len(names | own) if names else 0.0

    return max(rows, key=likeness)


def _scores(
    name: str, row: Mapping[str, Any], learned: int | None, labels: Sequence[str], *, crossed: bool
) -> LabellerFigures:
    each = [_share(value) for value in _list(row.get("each"))[:MOST_STEPS]]
    return LabellerFigures(
        inventory=name,
        micro=_share(row.get("micro")),
        weighted=_share(row.get("weighted")),
        accuracy=_share(row.get("accuracy")),
        span=_share(row.get("span")),
        captions=_count(row.get("captions")),
        learned=learned,
        labels={
            label: {
                **{name: _share(own.get(name)) for name in ("precision", "recall", "f1")},
                "words": _count(own.get("words")),
            }
            for label in labels
            if (own := _mapping(_mapping(row.get("labels")).get(label)))
        },
        confusion=_confusion(_mapping(row.get("confusion"))),
        crossed=crossed,
        folds=tuple(value for value in each if value is not None),
    )


def _confusion(table: Mapping[str, Any]) -> tuple[tuple[str, ...], list[list[int]]] | None:
    labels = tuple(str(label)[:60] for label in _list(table.get("labels")))
    counts = [[_count(cell) for cell in _list(row)] for row in _list(table.get("counts"))]
    known = [[cell for cell in row if cell is not None] for row in counts]
    square = len(labels) == len(counts) and all(len(row) == len(labels) for row in known)
    if not labels or len(labels) > MOST_LABELS or not square or known != counts:
        return None
    return labels, known


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _share(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 1 and math.isfinite(value) else None


def _count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < 10**9 else None
