"""Hits, false alarms and misses of a caption's sounds against a reference's.

Source: Mahfuz et al., 2023, equations 3 to 6.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from earmark.metrics.sbf.tags import Cosines, HeardSound, Sounds, tag_names


@dataclass(frozen=True, slots=True)
class Mention:
    """A class where a caption has it: its place in ``tag_names()``, the phrase's, their cosine."""

    class_: int
    phrase: int
    similarity: float


@dataclass(frozen=True, slots=True)
class TagMatch:
    """``hits`` and ``misses`` are mentions of the reference, ``false_alarms`` of the caption."""

    hits: tuple[Mention, ...]
    false_alarms: tuple[Mention, ...]
    misses: tuple[Mention, ...]


Scores = tuple[float, float, float]


def match(candidate: Sounds, reference: Sounds, alike: Cosines, threshold: float) -> TagMatch:
    """Compare two captions' sounds; ``alike`` (classes, classes) has the cosines of classes.

    A sound is known to the other side where one of its tags is as close to the name of one of the
    other's sounds as to exceed ``threshold``. A hit is told by the tag that is closest.
    """
    ours = [sound.name for sound in candidate]
    theirs = [sound.name for sound in reference]
    heard = [(sound, *_closest(sound, ours, alike)) for sound in reference]
    closest = [(sound, _closest(sound, theirs, alike)[1]) for sound in candidate]
    return TagMatch(
        tuple(_mention(sound, member) for sound, member, cosine in heard if cosine > threshold),
        tuple(_mention(sound) for sound, cosine in closest if cosine <= threshold),
        tuple(_mention(sound) for sound, _, cosine in heard if cosine <= threshold),
    )


def _closest(sound: HeardSound, names: Sequence[int], alike: Cosines) -> tuple[int, float]:
    """Which member of a sound is closest to any of some names, and how close."""
    if not names:
        return 0, -1.0
    best = alike[sound.members[:, None], names].max(axis=1)
    place = int(best.argmax())
    return place, float(best[place])


def _mention(sound: HeardSound, member: int = 0) -> Mention:
    return Mention(int(sound.members[member]), sound.phrase, float(sound.similarities[member]))


def scores_of(tags: TagMatch) -> Scores:
    """Precision, recall and F, each 0 to 1.

    All are 0 where one side has no sound, and NaN where neither has one.
    """
    hits, alarms, misses = len(tags.hits), len(tags.false_alarms), len(tags.misses)
    if not hits + alarms + misses:
        return math.nan, math.nan, math.nan
    if not hits:
        return 0.0, 0.0, 0.0
    precision, recall = hits / (hits + alarms), hits / (hits + misses)
    return precision, recall, 2 * precision * recall / (precision + recall)


@dataclass(frozen=True, slots=True)
class TaggedCaption:
    """A caption's phrases and sounds."""

    phrases: tuple[str, ...]
    sounds: Sounds


def clip_details(
    candidate: TaggedCaption, references: Sequence[TaggedCaption], matches: Sequence[TagMatch]
) -> dict[str, Any]:
    """List the tags of a clip, ready for JSON.

    A row of ``hits`` or ``misses`` is a class that so many of the references have,
    with or without a sound of the candidate that means the same; a row of
    ``false_alarms`` is a class of the candidate that so many references have
    nothing like. ``phrase`` is the one closest to the class, on the side that
    has it. Rows with most references come first, then as the ontology has them.
    """
    sides = list(zip(references, matches, strict=True))
    return {
        "phrases": list(candidate.phrases),
        "reference_phrases": [list(reference.phrases) for reference in references],
        "hits": _rows((reference, match.hits) for reference, match in sides),
        "false_alarms": _rows((candidate, match.false_alarms) for _, match in sides),
        "misses": _rows((reference, match.misses) for reference, match in sides),
    }


def _rows(parts: Iterable[tuple[TaggedCaption, Iterable[Mention]]]) -> list[dict[str, Any]]:
    """Count the captions per class and show the closest phrase."""
    groups: dict[int, list[tuple[Mention, str]]] = {}
    for caption, mentions in parts:
        closest: dict[int, Mention] = {}
        for one in mentions:
            before = closest.get(one.class_, one)
            closest[one.class_] = max(before, one, key=lambda mention: mention.similarity)
        for class_, one in closest.items():
            groups.setdefault(class_, []).append((one, caption.phrases[one.phrase]))
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return [_row(class_, group) for class_, group in ordered]


def _row(class_: int, group: Sequence[tuple[Mention, str]]) -> dict[str, Any]:
    mention, phrase = max(group, key=lambda pair: pair[0].similarity)
    return {
        "class": tag_names()[class_],
        "references": len(group),
        "phrase": phrase,
        "similarity": round(mention.similarity, 6),
    }
