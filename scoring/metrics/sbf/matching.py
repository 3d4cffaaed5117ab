"""Hits, false alarms and misses of a caption's tags against a reference's, and as people see them.

Source: Mahfuz et al., arXiv 2309.03326, equations 3 to 6; docs/reference/sbf.md.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.metrics.sbf.tags import Mask, Tags, tag_names
from scoring.text.arrays import Ints


@dataclass(frozen=True, slots=True)
class TagMatch:
    """Places of tags: ``hits`` and ``misses`` among the reference's, others among the caption's.

    Redundancy is not removed from them again: they are parts of what has none
    (see ``without_redundant``).
    """

    hits: Ints
    false_alarms: Ints
    misses: Ints


Scores = tuple[float, float, float]


def match(candidate: Ints, reference: Ints, similar: Mask) -> TagMatch:
    """Compare two captions' tags; ``similar`` says which two classes mean the same."""
    table = similar[reference[:, None], candidate[None, :]]
    hit, known = table.any(axis=1), table.any(axis=0)
    return TagMatch(np.flatnonzero(hit), np.flatnonzero(~known), np.flatnonzero(~hit))


def scores_of(tags: TagMatch) -> Scores:
    """Precision, recall and F, each 0 to 1.

    All are 0 where one side has no tag, and NaN where neither has one.
    """
    hits, alarms, misses = tags.hits.size, tags.false_alarms.size, tags.misses.size
    if not hits + alarms + misses:
        return math.nan, math.nan, math.nan
    if not hits:
        return 0.0, 0.0, 0.0
    precision, recall = hits / (hits + alarms), hits / (hits + misses)
    return precision, recall, 2 * precision * recall / (precision + recall)


@dataclass(frozen=True, slots=True)
class TaggedCaption:
    """A caption's phrases, and its tags with the phrase that each comes from."""

    phrases: tuple[str, ...]
    tags: Tags


# A tag where it was found: the caption that has it and the tag's place there.
_Mention = tuple[TaggedCaption, int]


def clip_details(
    candidate: TaggedCaption, references: Sequence[TaggedCaption], matches: Sequence[TagMatch]
) -> dict[str, Any]:
    """List the tags of a clip, ready for JSON.

    A row of ``hits`` or ``misses`` is a class that is a tag of so many of the
    references, with or without a tag of the candidate that means the same; a
    row of ``false_alarms`` is a tag of the candidate that so many references
    have nothing like. ``phrase`` is the one closest to the class, on the side
    that has the tag. Rows with most references come first, then as the
    ontology has them.
    """
    sides = list(zip(references, matches, strict=True))
    return {
        "phrases": list(candidate.phrases),
        "reference_phrases": [list(reference.phrases) for reference in references],
        "hits": _rows(_mentions((reference, match.hits) for reference, match in sides)),
        "false_alarms": _rows(_mentions((candidate, match.false_alarms) for _, match in sides)),
        "misses": _rows(_mentions((reference, match.misses) for reference, match in sides)),
    }


def _mentions(parts: Iterable[tuple[TaggedCaption, Ints]]) -> list[_Mention]:
    return [(caption, place) for caption, places in parts for place in places.tolist()]


def _rows(mentions: Sequence[_Mention]) -> list[dict[str, Any]]:
    """Count mentions per class and show the closest one's phrase."""
    groups: dict[int, list[_Mention]] = {}
    for caption, place in mentions:
        groups.setdefault(int(caption.tags.classes[place]), []).append((caption, place))
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return [_row(class_, group) for class_, group in ordered]


def _row(class_: int, group: Sequence[_Mention]) -> dict[str, Any]:
    caption, place = max(group, key=lambda mention: float(mention[0].tags.similarities[mention[1]]))
    return {
        "class": tag_names()[class_],
        "references": len(group),
        "phrase": caption.phrases[int(caption.tags.phrases[place])],
        "similarity": round(float(caption.tags.similarities[place]), 6),
    }
