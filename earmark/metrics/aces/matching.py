"""Spans of two sides compared label by label, and what a person sees of that.

Source: Wijngaard et al., ACES, arXiv 2403.18572, section III-B.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earmark.models.descriptors import LabelledCaption

MISSING = 1850.0  # what the share of labels that are not shared is divided by
# From this cosine on two spans match in the balanced form: what SBF takes two classes for the
# same from, by the same encoder.
MATCH = 0.45

Bag = Mapping[str, Sequence[str]]
Vectors = Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class SpanMatch:
    """One label that both sides have; ``cosines`` has shape (candidate's spans, references')."""

    label: str
    candidate: tuple[str, ...]
    reference: tuple[str, ...]
    cosines: NDArray[np.float64]
    precision: float
    recall: float
    f: float


@dataclass(frozen=True, slots=True)
class AcesJudgement:
    """The labels that both sides share, in the order of the inventory, and the score, 0..1.

    ``balanced`` is the other form of the score.
    """

    matches: tuple[SpanMatch, ...]
    score: float
    balanced: "BalancedF"


@dataclass(frozen=True, slots=True)
class BalancedF:
    """Precision and recall over the spans of all labels, and their harmonic mean; all 0..1.

    ``nearness``, 0..1, tells captions apart that match nothing: 1 / (1 + the sum over the
    caption's spans of 1 less the cosine of the nearest span of the label, whatever it is).
    """

    precision: float
    recall: float
    f: float
    nearness: float

    @property
    def score(self) -> float:
        """F, and a little of the nearness; 0..1."""
        return (MISSING * self.f + self.nearness) / (MISSING + 1)


def bag_of(captions: Sequence[LabelledCaption]) -> dict[str, list[str]]:
    """Pool the span texts of captions by label; a text that recurs counts each time."""
    texts: dict[str, list[str]] = {}
    for caption in captions:
        for span in caption.spans:
            texts.setdefault(span.label, []).append(span.text)
    return texts


def f_beta(precision: float, recall: float, beta: float) -> float:
    """F-measure; beta 9 is 82 P R / (81 P + R). 0 where a side is not over 0.

    >>> round(f_beta(0.5, 1.0, 9.0), 4)
    0.988
    """
    if precision <= 0 or recall <= 0:
        return 0.0
    square = beta * beta
    return (1 + square) * precision * recall / (square * precision + recall)


def judge(
    candidate: Bag, reference: Bag, vectors: Vectors, labels: Sequence[str], *, beta: float
) -> AcesJudgement:
    """Compare two sides; ``labels`` is the whole inventory with O, ``vectors`` unit vectors."""
    shared = [name for name in labels if name in candidate and name in reference]
    matches = tuple(
        _match(name, candidate[name], reference[name], vectors, beta=beta) for name in shared
    )
    return AcesJudgement(
        matches,
        score_of([match.f for match in matches], len(labels)),
        balanced_of([match.cosines for match in matches], _spans(candidate), _spans(reference)),
    )


def _spans(side: Bag) -> int:
    return sum(map(len, side.values()))


def balanced_of(
    cosines: Sequence[NDArray[np.float64]], ours: int, theirs: int, *, match: float = MATCH
) -> BalancedF:
    """Compare all ``ours`` spans of a caption with all ``theirs`` of references.

    ``cosines`` has for each shared label those of both sides' spans, shape (ours, theirs) of
    that label. For precision and recall a span counts with its best cosine where that is ``match``
    or more, and 0 elsewhere: so a span more of the caption that matches nothing lowers the
    precision and leaves the recall. No span more raises the nearness.
    """
    kept = [np.where(one >= match, one, 0.0) for one in cosines]
    precision = sum(float(one.max(axis=1).sum()) for one in kept) / max(1, ours)
    recall = sum(float(one.max(axis=0).sum()) for one in kept) / max(1, theirs)
    precision, recall = min(1.0, precision), min(1.0, recall)
    near = sum(float(one.max(axis=1).clip(0.0, 1.0).sum()) for one in cosines)
    return BalancedF(precision, recall, f_beta(precision, recall, 1.0), 1 / (1 + ours - near))


def score_of(fs: Sequence[float], inventory: int) -> float:
    """Mean F less a little for each label that is not shared, at least 0.

    >>> score_of([1.0], 13) == 1 - 12 / 13 / 1850
    True
    >>> score_of([], 13)
    0.0
    """
    mean = sum(fs) / len(fs) if fs else 0.0
    return min(1.0, max(0.0, mean - (inventory - len(fs)) / inventory / MISSING))


def _match(
    label: str, ours: Sequence[str], theirs: Sequence[str], vectors: Vectors, *, beta: float
) -> SpanMatch:
    cosines = np.array(
        [[float(vectors[mine] @ vectors[other]) for other in theirs] for mine in ours]
    )
    precision = float(cosines.max(axis=1).mean())
    recall = float(cosines.max(axis=0).mean())
    return SpanMatch(
        label,
        tuple(ours),
        tuple(theirs),
        cosines,
        precision,
        recall,
        f_beta(precision, recall, beta),
    )


def clip_details(
    caption: LabelledCaption,
    references: Sequence[LabelledCaption],
    judgement: AcesJudgement,
    best: int | None,
    balanced: BalancedF,
) -> dict[str, Any]:
    """Words of one clip with their labels, and for each shared label the nearest spans.

    ``best`` is the place of the reference that counts, None where all are pooled; ``balanced``
    is of the reference that is best by it.
    """
    labels = {span.label for span in caption.spans}
    counted = references if best is None else [references[best]]
    reference_labels = {span.label for other in counted for span in other.spans}
    shared = [match.label for match in judgement.matches]
    return {
        "words": [
            {"text": word.text, "label": label, "confidence": round(sure, 6)}
            for word, label, sure in zip(
                caption.words, caption.labels, caption.confidences, strict=True
            )
        ],
        "references": [
            [
                {"text": word.text, "label": label}
                for word, label in zip(other.words, other.labels, strict=True)
            ]
            for other in references
        ],
        "reference": best,
        "labels": [_label(match) for match in judgement.matches],
        "only_candidate": sorted(labels.difference(shared)),
        "only_references": sorted(reference_labels.difference(shared)),
        "balanced": {name: round(value, 6) for name, value in asdict(balanced).items()},
    }


def _label(match: SpanMatch) -> dict[str, Any]:
    """Figures of a label, and for every span on both sides the nearest one on the other."""
    return {
        "label": match.label,
        "precision": round(match.precision, 6),
        "recall": round(match.recall, 6),
        "f": round(match.f, 6),
        "spans": _nearest(match.candidate, match.reference, match.cosines.tolist()),
        "reference_spans": _nearest(match.reference, match.candidate, match.cosines.T.tolist()),
    }


def _nearest(
    spans: Sequence[str], others: Sequence[str], cosines: Sequence[Sequence[float]]
) -> list[dict[str, Any]]:
    rows = []
    for span, row in zip(spans, cosines, strict=True):
        place = max(range(len(row)), key=row.__getitem__)
        rows.append({"span": span, "match": others[place], "similarity": round(row[place], 6)})
    return rows
