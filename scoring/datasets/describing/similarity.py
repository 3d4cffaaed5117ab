"""Similarity of captions of one clip, beside that of captions of different clips."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from random import Random

WordSet = frozenset[str]


def jaccard(one: WordSet, other: WordSet) -> float:
    """Words that both have, as a share of the words that either has; 1 where both are empty."""
    either = len(one | other)
    return len(one & other) / either if either else 1.0


def similarity_within(clips: Iterable[Sequence[WordSet]]) -> float | None:
    """Mean over clips of the mean Jaccard similarity of their pairs of captions.

    0 to 1; None where no clip has two captions.
    """
    means = []
    for captions in clips:
        alike = [jaccard(one, other) for one, other in combinations(captions, 2)]
        if alike:
            means.append(sum(alike) / len(alike))
    return sum(means) / len(means) if means else None


def similarity_across(clips: Sequence[Sequence[WordSet]], seed: int = 0) -> float | None:
    """Mean Jaccard similarity of each caption and one of another clip, drawn by ``seed``.

    0 to 1; None where there is no other clip.
    """
    filled = [captions for captions in clips if captions]
    if len(filled) < 2:
        return None
    random = Random(seed)  # noqa: S311 a reproducible draw, no secret
    alike = []
    for place, captions in enumerate(filled):
        for caption in captions:
            # Any clip but this one: as if it were taken out and the rest moved up.
            drawn = random.randrange(len(filled) - 1)
            other = filled[drawn + (drawn >= place)]
            alike.append(jaccard(caption, random.choice(other)))
    return sum(alike) / len(alike)
