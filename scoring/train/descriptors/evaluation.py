"""Agreement of a labeller with people's labels, and the report of a training."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from scoring.models.descriptors import OUTSIDE, spans_of
from scoring.train.descriptors.checkpoints import Epoch
from scoring.train.descriptors.labelled_captions import AnnotatedCaption, LabelSet
from scoring.train.descriptors.recipe import LabellerRecipe

Labels = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class LabelAccuracy:
    """One label over all words: precision, recall, F1 (0 where undefined), words people gave it."""

    precision: float
    recall: float
    f1: float
    words: int


@dataclass(frozen=True, slots=True)
class TokenAgreement:
    """Labels by a model against those of people, over the words of all captions.

    ``micro`` is token F1 over all labels but O; ``weighted`` is the mean token
    F1 over all labels with O, weighted by their words (what papers often
    give); ``accuracy`` counts O as well; ``span`` is the F1 of exact spans,
    runs of words with one label.
    """

    micro: float
    weighted: float
    accuracy: float
    span: float
    captions: int
    labels: dict[str, LabelAccuracy]


def token_agreement(gold_labels: Labels, model_labels: Labels) -> TokenAgreement:
    """Compare labels word by word; both sides have the same captions and words."""
    pairs = [
        (gold_label, model_label)
        for row, other in zip(gold_labels, model_labels, strict=True)
        for gold_label, model_label in zip(row, other, strict=True)
    ]
    right = Counter(a for a, b in pairs if a == b)
    gold = Counter(a for a, _ in pairs)
    predicted = Counter(b for _, b in pairs)
    table = {
        label: _score(right[label], predicted[label], gold[label])
        for label in sorted(gold.keys() | predicted.keys())
    }
    inside = [count.total() - count[OUTSIDE] for count in (right, predicted, gold)]
    return TokenAgreement(
        _score(*inside).f1,
        sum(score.f1 * score.words for score in table.values()) / max(1, len(pairs)),
        right.total() / max(1, len(pairs)),
        _span_f1(gold_labels, model_labels),
        len(gold_labels),
        table,
    )


def _score(right: int, predicted: int, gold: int) -> LabelAccuracy:
    precision = right / predicted if predicted else 0.0
    recall = right / gold if gold else 0.0
    f1 = 2 * right / (predicted + gold) if predicted + gold else 0.0
    return LabelAccuracy(precision, recall, f1, gold)


def _span_f1(gold_labels: Labels, model_labels: Labels) -> float:
    gold_spans, model_spans = _spans(gold_labels), _spans(model_labels)
    return _score(len(gold_spans & model_spans), len(model_spans), len(gold_spans)).f1


def _spans(labels: Labels) -> set[tuple[int, int, int, str]]:
    return {
        (row, span.first, span.last, span.label)
        for row, words in enumerate(labels)
        for span in spans_of([""] * len(words), words)
    }


MOST_ERRORS = 200


@dataclass(frozen=True, slots=True)
class MislabelledCaption:
    """A caption with a wrong label: its words, people's labels, those found."""

    words: tuple[str, ...]
    given: tuple[str, ...]
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InventoryEvaluation:
    """How well one inventory's captions were labelled.

    ``counts[i][j]`` words have people's label ``labels[i]`` and were given
    ``labels[j]``; O is among them. ``errors``: at most 200, most wrong words
    first, then the greater share of wrong words.
    """

    figures: TokenAgreement
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    errors: tuple[MislabelledCaption, ...]


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """Cross-validation: each inventory's pooled figures, and micro F1 of each fold."""

    inventories: dict[str, InventoryEvaluation]
    each: dict[str, list[float]]


@dataclass(frozen=True, slots=True)
class LearningCurvePoint:
    """A point of the learning curve; ``captions`` are those of the first inventory."""

    captions: int
    micro: float
    weighted: float


@dataclass(frozen=True, slots=True)
class LabellerReport:
    """Report of a training: what it learned from and what was measured.

    ``learned`` and ``held_out`` count the captions behind ``inventories``, over all
    sets; ``written`` those that the written labeller learned from. ``inventories`` is
    empty where nothing was held out. ``seconds`` is what the epochs took, with those
    before a resume.
    """

    data_hash: str
    learned: int
    held_out: int
    written: int
    recipe: LabellerRecipe
    encoder: str
    training: list[Epoch]
    inventories: dict[str, InventoryEvaluation]
    folds: CrossValidation | None
    curve: list[LearningCurvePoint] | None
    seconds: float


def evaluate_inventory(
    part: LabelSet, captions: Sequence[AnnotatedCaption], model_labels: Labels
) -> InventoryEvaluation:
    """Compare a model's labels with those of people, for captions of a set."""
    gold_labels = [caption.labels for caption in captions]
    pairs = Counter(
        pair
        for gold_label, model_label in zip(gold_labels, model_labels, strict=True)
        for pair in zip(gold_label, model_label, strict=True)
    )
    counts = tuple(tuple(pairs[row, column] for column in part.labels) for row in part.labels)
    agreement = token_agreement(gold_labels, model_labels)
    return InventoryEvaluation(agreement, part.labels, counts, _errors(captions, model_labels))


def report_json(report: LabellerReport) -> dict[str, Any]:
    """Report as JSON can hold it."""
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


def _folds(folds: CrossValidation) -> dict[str, Any]:
    inventories = _inventories(folds.inventories)
    return {name: {**inventories[name], "each": folds.each[name]} for name in inventories}


def _inventories(judged: Mapping[str, InventoryEvaluation]) -> dict[str, Any]:
    return {name: _judged(evaluation) for name, evaluation in judged.items()}


def _judged(judged: InventoryEvaluation) -> dict[str, Any]:
    return {
        **asdict(judged.figures),
        "confusion": {"labels": list(judged.labels), "counts": [list(c) for c in judged.counts]},
        "errors": [asdict(error) for error in judged.errors],
    }


def _errors(
    captions: Sequence[AnnotatedCaption], model_labels: Labels
) -> tuple[MislabelledCaption, ...]:
    """Captions with wrong words, worst first; in the order of the captions where equal."""
    wrong = [
        (sum(a != b for a, b in zip(caption.labels, labels, strict=True)), caption, labels)
        for caption, labels in zip(captions, model_labels, strict=True)
    ]
    wrong.sort(key=lambda row: (-row[0], -row[0] / max(1, len(row[1].words))))
    return tuple(
        MislabelledCaption(caption.words, caption.labels, tuple(labels))
        for count, caption, labels in wrong[:MOST_ERRORS]
        if count
    )
