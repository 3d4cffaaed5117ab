"""How well labels agree with those of people."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.models.descriptors import OUTSIDE, spans_of

Labels = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class LabelScore:
    """One label over all words: precision, recall, F1 (0 where undefined), words people gave it."""

    precision: float
    recall: float
    f1: float
    words: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """Labels found against labels given, over the words of all captions.

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
    labels: dict[str, LabelScore]


def agreement(given: Labels, found: Labels) -> Agreement:
    """Compare labels word by word; both sides have the same captions and words."""
    pairs = [
        (ours, theirs)
        for row, other in zip(given, found, strict=True)
        for ours, theirs in zip(row, other, strict=True)
    ]
    right = Counter(a for a, b in pairs if a == b)
    gold = Counter(a for a, _ in pairs)
    said = Counter(b for _, b in pairs)
    table = {
        label: _score(right[label], said[label], gold[label])
        for label in sorted(gold.keys() | said.keys())
    }
    inside = [count.total() - count[OUTSIDE] for count in (right, said, gold)]
    return Agreement(
        _score(*inside).f1,
        sum(score.f1 * score.words for score in table.values()) / max(1, len(pairs)),
        right.total() / max(1, len(pairs)),
        _span_f1(given, found),
        len(given),
        table,
    )


def _score(right: int, said: int, gold: int) -> LabelScore:
    precision = right / said if said else 0.0
    recall = right / gold if gold else 0.0
    f1 = 2 * right / (said + gold) if said + gold else 0.0
    return LabelScore(precision, recall, f1, gold)


def _span_f1(given: Labels, found: Labels) -> float:
    ours, theirs = _spans(given), _spans(found)
    return _score(len(ours & theirs), len(theirs), len(ours)).f1


def _spans(labels: Labels) -> set[tuple[int, int, int, str]]:
    return {
        (row, span.first, span.last, span.label)
        for row, words in enumerate(labels)
        for span in spans_of([""] * len(words), words)
    }
