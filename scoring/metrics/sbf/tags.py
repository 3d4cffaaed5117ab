"""Tags of a caption: AudioSet classes whose names are close to one of its phrases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from scoring.metrics.cb.vocabulary import load_classes
from scoring.models.encoder import Encoder, Vectors, embed
from scoring.runtime import Device
from scoring.text.arrays import Ints

Cosines = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Tags:
    """The tags of one caption, the closest first.

    ``classes`` (tags,) are places in ``tag_names()``, ``phrases`` (tags,)
    places among the caption's phrases: the one that is closest to the tag, at
    cosine ``similarities`` (tags,).
    """

    classes: Ints
    phrases: Ints
    similarities: Cosines

    def __len__(self) -> int:
        return self.classes.size


NO_TAGS = Tags(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))


@cache
def tag_names() -> tuple[str, ...]:
    """Names that are tags: AudioSet's classes neither abstract nor blacklisted, in their order."""
    return tuple(one.name for one in load_classes().values() if not one.restrictions)


@lru_cache(maxsize=4)
def tag_vectors(encoder: Encoder, device: Device) -> Vectors:
    """Embed the names that are tags as unit vectors, (classes, dimensions); read-only.

    They depend on the encoder alone, so that a process does it once.
    """
    vectors = embed(encoder, tag_names(), device=device)
    vectors.flags.writeable = False
    return vectors


def cosines_to_all(vectors: NDArray[np.floating], phrase: NDArray[np.floating]) -> Cosines:
    """Cosine of each of ``vectors``, unit and (classes, dimensions), with a phrase's.

    Phrase by phrase: sums of a product of matrices, and so what is just above a
    threshold, depend on how many phrases there are. To 6 decimals,
    so that phrases which are names themselves all have the cosine 1: between
    their tags the ontology's order decides, and not the last digit of a sum.
    """
    wide = vectors.astype(np.float64, copy=False)
    rounded: Cosines = (wide @ phrase.astype(np.float64)).round(6).astype(np.float32)
    return rounded


def close_pairs(vectors: Vectors, threshold: float) -> Mask:
    """Whether the cosine of two classes exceeds a threshold, shape (classes, classes).

    Read-only: a process works it out once for the same vectors.
    """
    single = np.ascontiguousarray(vectors, np.float32)
    return _close_pairs(single.tobytes(), single.shape[1], threshold)


@lru_cache(maxsize=4)
def _close_pairs(content: bytes, dimensions: int, threshold: float) -> Mask:
    vectors = np.frombuffer(content, np.float32).reshape(-1, dimensions).astype(np.float64)
    pairs = np.array([cosines_to_all(vectors, one) > threshold for one in vectors], np.bool_)
    pairs.flags.writeable = False
    return pairs


def tags_of(
    phrases: Sequence[str], cosines: Mapping[str, Cosines], threshold: float, redundant: Mask
) -> Tags:
    """Tag a caption with the classes that exceed the threshold for one of its phrases.

    ``cosines`` has for each phrase those of all classes, ``redundant`` says
    which two classes do not stand beside each other.
    """
    if not phrases:
        return NO_TAGS
    table = np.array([cosines[phrase] for phrase in phrases])
    best = table.max(axis=0)
    above = np.flatnonzero(best > threshold)
    ranked = above[np.argsort(-best[above], kind="stable")]
    chosen = np.array(without_redundant(ranked.tolist(), redundant), np.int64)
    return Tags(chosen, table[:, chosen].argmax(axis=0), best[chosen])


def without_redundant(ranked: Sequence[int], redundant: Mask) -> list[int]:
    """Keep each class, in the order given, that no class kept before it makes redundant.

    What is kept stays whole when this is done again, to all of it or to a
    part: no two of them are redundant.
    """
    remaining: list[int] = []
    blocked = np.zeros(len(redundant), np.bool_)
    for tag in ranked:
        if not blocked[tag]:
            remaining.append(tag)
            blocked |= redundant[tag]
    return remaining
