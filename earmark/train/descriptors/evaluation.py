"""Agreement of a labeller with people's labels."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from earmark.models.descriptors import OUTSIDE, spans_of
from earmark.train.descriptors.labelled_captions import AnnotatedCaption, LabelSet

Labels = Sequence[Sequence[str]]
MOST_ERRORS = 200


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
    gold_spans, model_spans = _spans(gold_labels), _spans(model_labels)
    inside = [count.total() - count[OUTSIDE] for count in (right, predicted, gold)]
    return TokenAgreement(
        _score(*inside).f1,
        sum(score.f1 * score.words for score in table.values()) / max(1, len(pairs)),
        right.total() / max(1, len(pairs)),
        _score(len(gold_spans & model_spans), len(model_spans), len(gold_spans)).f1,
        len(gold_labels),
        table,
    )


def _score(right: int, predicted: int, gold: int) -> LabelAccuracy:
    precision = right / predicted if predicted else 0.0
    recall = right / gold if gold else 0.0
    f1 = 2 * right / (predicted + gold) if predicted + gold else 0.0
    return LabelAccuracy(precision, recall, f1, gold)


def _spans(labels: Labels) -> set[tuple[int, int, int, str]]:
    return {
        (row, span.first, span.last, span.label)
        for row, words in enumerate(labels)
        for span in spans_of([""] * len(words), words)
    }


def evaluate_inventory(
    part: LabelSet, captions: Sequence[AnnotatedCaption], model_labels: Labels
) -> dict[str, Any]:
    """Compare a model's labels with those of people, for captions of a set, as reports have it.

    Beside the figures of ``TokenAgreement``: in ``confusion``, ``counts[i][j]`` words have people's
    label ``labels[i]`` and were given ``labels[j]``, O among them; ``errors`` are at most 200
    captions with a wrong label, their words, people's labels and those found, most wrong words
    first, then the greater share of wrong words.
    """
    gold_labels = [caption.labels for caption in captions]
    pairs = Counter(
        pair
        for gold_label, model_label in zip(gold_labels, model_labels, strict=True)
        for pair in zip(gold_label, model_label, strict=True)
    )
    counts = [[pairs[row, column] for column in part.labels] for row in part.labels]
    return {
        **asdict(token_agreement(gold_labels, model_labels)),
        "confusion": {"labels": list(part.labels), "counts": counts},
        "errors": _errors(captions, model_labels),
    }


def _errors(captions: Sequence[AnnotatedCaption], model_labels: Labels) -> list[dict[str, Any]]:
    """Captions with wrong words, worst first; in the order of the captions where equal."""
    wrong = [
        (sum(a != b for a, b in zip(caption.labels, labels, strict=True)), caption, labels)
        for caption, labels in zip(captions, model_labels, strict=True)
    ]
    wrong.sort(key=lambda row: (-row[0], -row[0] / max(1, len(row[1].words))))
    return [
        {"words": caption.words, "given": caption.labels, "found": tuple(labels)}
        for count, caption, labels in wrong[:MOST_ERRORS]
        if count
    ]
