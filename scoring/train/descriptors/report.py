"""What a training came to: figures, confusion and errors, as JSON can hold them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from scoring.train.descriptors.checkpoints import Epoch
from scoring.train.descriptors.evaluation import Agreement, Labels, agreement
from scoring.train.descriptors.reading import Annotated, LabelSet
from scoring.train.descriptors.recipe import Recipe

MOST_ERRORS = 200


@dataclass(frozen=True, slots=True)
class Error:
    """A caption with a wrong label: its words, people's labels, those found."""

    words: tuple[str, ...]
    given: tuple[str, ...]
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """How well one inventory's captions were labelled.

    ``counts[i][j]`` words have people's label ``labels[i]`` and were given
    ``labels[j]``; O is among them. ``errors``: at most 200, most wrong words
    first, then the greater share of wrong words.
    """

    figures: Agreement
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    errors: tuple[Error, ...]


@dataclass(frozen=True, slots=True)
class Folds:
    """Cross-validation: each inventory's pooled figures, and micro F1 of each fold."""

    inventories: dict[str, Judged]
    each: dict[str, list[float]]


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the learning curve; ``captions`` are those of the first inventory."""

    captions: int
    micro: float
    weighted: float


@dataclass(frozen=True, slots=True)
class Report:
    """What a training learned from and what was measured.

    ``learned`` and ``held_out`` count the captions behind ``inventories``, over all
    sets; ``written`` those that the written labeller learned from. ``inventories`` is
    empty where nothing was held out. ``seconds`` is what the epochs took, with those
    before a resume.
    """

    data_hash: str
    learned: int
    held_out: int
    written: int
    recipe: Recipe
    encoder: str
    training: list[Epoch]
    inventories: dict[str, Judged]
    folds: Folds | None
    curve: list[Point] | None
    seconds: float


def judge(part: LabelSet, captions: Sequence[Annotated], found: Labels) -> Judged:
    """Compare labels found with those of people, for captions of a set."""
    given = [caption.labels for caption in captions]
    pairs = Counter(
        pair
        for ours, theirs in zip(given, found, strict=True)
        for pair in zip(ours, theirs, strict=True)
    )
    counts = tuple(tuple(pairs[row, column] for column in part.labels) for row in part.labels)
    return Judged(agreement(given, found), part.labels, counts, _errors(captions, found))


def report_json(report: Report) -> dict[str, Any]:
    """Give a report as JSON can hold it."""
    return {
        "data_hash": report.data_hash,
        "captions": {
            "learned": report.learned,
            "held_out": report.held_out,
            "written": report.written,
        },
        "recipe": asdict(report.recipe),
        "encoder": report.encoder,
        "training": [asdict(epoch) for epoch in report.training],
        "inventories": _inventories(report.inventories),
        "folds": None if report.folds is None else _folds(report.folds),
        "curve": None if report.curve is None else [asdict(point) for point in report.curve],
        "seconds": round(report.seconds, 1),
    }


def _folds(folds: Folds) -> dict[str, Any]:
    told = _inventories(folds.inventories)
    return {name: {**told[name], "each": folds.each[name]} for name in told}


def _inventories(judged: Mapping[str, Judged]) -> dict[str, Any]:
    return {name: _judged(one) for name, one in judged.items()}


def _judged(judged: Judged) -> dict[str, Any]:
    return {
        **asdict(judged.figures),
        "confusion": {"labels": list(judged.labels), "counts": [list(c) for c in judged.counts]},
        "errors": [asdict(error) for error in judged.errors],
    }


def _errors(captions: Sequence[Annotated], found: Labels) -> tuple[Error, ...]:
    """Give the captions with wrong words, worst first; the order of the captions where equal."""
    wrong = [
        (sum(a != b for a, b in zip(caption.labels, labels, strict=True)), caption, labels)
        for caption, labels in zip(captions, found, strict=True)
    ]
    wrong.sort(key=lambda row: (-row[0], -row[0] / max(1, len(row[1].words))))
    return tuple(
        Error(caption.words, caption.labels, tuple(labels))
        for count, caption, labels in wrong[:MOST_ERRORS]
        if count
    )
