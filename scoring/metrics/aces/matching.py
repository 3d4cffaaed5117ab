"""Spans of two sides compared label by label.

Source: Wijngaard et al., ACES, WASPAA 2023; METRICS.md, "ACES", steps 2 and 3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.models.descriptors import LabelledCaption

MISSING = 1850.0  # what the share of labels that are not shared is divided by

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
    """The labels that both sides share, in the order of the inventory, and the score, 0..1."""

    matches: tuple[SpanMatch, ...]
    score: float


def bag_of(captions: Sequence[LabelledCaption]) -> dict[str, list[str]]:
    """Pool the span texts of captions by label; a text that recurs counts each time."""
    found: dict[str, list[str]] = {}
    for caption in captions:
        for span in caption.spans:
            found.setdefault(span.label, []).append(span.text)
    return found


def f_beta(precision: float, recall: float, beta: float) -> float:
    """Give F; beta 9 is 82 P R / (81 P + R). 0 where a side is not over 0.

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
    return AcesJudgement(matches, score_of([match.f for match in matches], len(labels)))


def score_of(fs: Sequence[float], inventory: int) -> float:
    """Give the mean F less a little for each label that is not shared, at least 0.

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
