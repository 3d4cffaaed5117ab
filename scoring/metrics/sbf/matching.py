"""Hits, false alarms and misses of a caption's tags against a reference's.

Source: METRICS.md, "SBF", 3 and 4.
"""

import math
from dataclasses import dataclass

import numpy as np

from scoring.metrics.sbf.tags import Mask
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


def scores_of(found: TagMatch) -> Scores:
    """Give precision, recall and F, each 0 to 1.

    All are 0 where one side has no tag, and NaN where neither has one.
    """
    hits, alarms, misses = found.hits.size, found.false_alarms.size, found.misses.size
    if not hits + alarms + misses:
        return math.nan, math.nan, math.nan
    if not hits:
        return 0.0, 0.0, 0.0
    precision, recall = hits / (hits + alarms), hits / (hits + misses)
    return precision, recall, 2 * precision * recall / (precision + recall)
