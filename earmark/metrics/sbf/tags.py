"""Sounds that a caption's phrases bring to mind: AudioSet classes by the likeness of names.

Source: Mahfuz et al., 2023, equations 1, 2 and 6. What the paper leaves open is
chosen so that its Table 2 comes out as printed; docs/reference/sbf.md has both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from earmark.metrics.cb.vocabulary import SoundClass, classes_above, load_classes
from earmark.models.encoder import Encoder, Vectors, embed
from earmark.runtime import Device
from earmark.text.arrays import Ints

Cosines = NDArray[np.float32]
Mask = NDArray[np.bool_]

# Branches of classes that say where, how or what for something sounds, or that something does, but
# not which sound; and a class of this kind with sounds below it.
NO_SOUNDS = {
    *("Acoustic environment", "Background noise", "Silence"),
    *("Music mood", "Music role", "Other sourceless"),
}
NO_SOUND_ITSELF = "Noise"
# The parent of so many classes of a sound names it.
_CHILDREN = 2


@dataclass(frozen=True, slots=True)
class HeardSound:
    """A sound of a caption: tags of one phrase that mean the same.

    ``members`` (tags,) are places in ``tag_names()``: the one that names the sound,
    then the others, the closest first. ``similarities`` (tags,) are their
    cosines with the phrase, ``phrase`` its place among the caption's.
    """

    phrase: int
    members: Ints
    similarities: Cosines

    @property
    def name(self) -> int:
        """The class that names the sound, a place in ``tag_names()``."""
        return int(self.members[0])


Sounds = tuple[HeardSound, ...]


@cache
def tag_names() -> tuple[str, ...]:
    """Names of AudioSet's classes neither abstract nor blacklisted, in their order."""
    return tuple(one.name for one in load_classes().values() if not one.restrictions)


@cache
def _are_sounds() -> Mask:
    """Whether each class of ``tag_names()`` is a sound, and so may be a tag."""
    classes = load_classes()

    def is_sound(one: SoundClass) -> bool:
        lineage = {one.name, *(classes[above].name for above in classes_above(one.id))}
        return one.name != NO_SOUND_ITSELF and not lineage & NO_SOUNDS

    return np.array([is_sound(one) for one in classes.values() if not one.restrictions], np.bool_)


@cache
def _are_parents() -> Mask:
    """Whether the first class is a parent of the second, (classes, classes)."""
    usable = [one for one in load_classes().values() if not one.restrictions]
    return np.array([[upper.id in lower.parents for lower in usable] for upper in usable], np.bool_)


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


def class_cosines(vectors: Vectors) -> Cosines:
    """Cosine of every two classes, (classes, classes); read-only, once for the same vectors."""
    single = np.ascontiguousarray(vectors, np.float32)
    return _class_cosines(single.tobytes(), single.shape[1])


@lru_cache(maxsize=4)
def _class_cosines(content: bytes, dimensions: int) -> Cosines:
    vectors = np.frombuffer(content, np.float32).reshape(-1, dimensions).astype(np.float64)
    table = np.array([cosines_to_all(vectors, one) for one in vectors])
    table.flags.writeable = False
    return table


def sounds_of(
    phrases: Sequence[str],
    cosines: Mapping[str, Cosines],
    redundant: Mask,
    *,
    threshold: float,
    deviations: float,
) -> Sounds:
    """Find the sounds of a caption, phrase by phrase, each phrase's closest first.

    A class belongs to the phrase that it is closest to. It is a tag where that
    cosine exceeds ``threshold`` and is at least ``deviations`` standard
    deviations above the mean of the phrase's cosines with all classes: a short
    phrase is somewhat close to everything. ``cosines`` has those of every
    phrase, ``redundant`` (classes, classes) says which two tags mean the same.
    """
    if not phrases:
        return ()
    table = np.array([cosines[phrase] for phrase in phrases], np.float64)
    outstanding = table.mean(axis=1) + deviations * table.std(axis=1)
    closest, best = table.argmax(axis=0), table.max(axis=0)
    is_tag = _are_sounds() & (best > threshold) & (best >= outstanding[closest])
    tags = np.flatnonzero(is_tag)
    ranked = tags[np.argsort(-best[tags], kind="stable")]
    return tuple(
        _named(place, members, best)
        for place in range(len(phrases))
        for members in same_sounds(ranked[closest[ranked] == place].tolist(), redundant)
    )


def same_sounds(ranked: Sequence[int], redundant: Mask) -> list[list[int]]:
    """Gather tags that mean the same, directly or through others, in the order given."""
    left, groups = list(ranked), []
    while left:
        group = [left.pop(0)]
        for tag in group:  # grows meanwhile
            group += [other for other in left if redundant[tag, other]]
            left = [other for other in left if other not in group]
        groups.append([tag for tag in ranked if tag in group])
    return groups


def _named(phrase: int, members: Sequence[int], best: NDArray[np.float64]) -> HeardSound:
    """Put the tag first that names a sound: the closest parent of others, or the closest of all.

    A closest tag whose own parent is there is not named by somebody else's.
    """
    are_parents = _are_parents()[np.ix_(members, members)]
    of_closest = are_parents[:, 0]
    wide = are_parents.sum(axis=1) >= _CHILDREN
    if of_closest.any():
        wide &= of_closest | (np.arange(len(members)) == 0)
    name = members[int(wide.argmax())]
    ordered = np.array([name, *(tag for tag in members if tag != name)], np.int64)
    return HeardSound(phrase, ordered, best[ordered].astype(np.float32))
