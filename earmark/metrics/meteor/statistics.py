"""The counts that METEOR keeps of an alignment, and the score that follows from them.

Counts stand in the order of METEOR's own SCORE lines, 23 in all: words of
candidate and reference, function words of both; for each matcher the matched
content words of both and the matched function words of both; chunks, matched
words of both. Source: Denkowski and Lavie, Meteor Universal, WMT 2014, section
3; the order of the floating-point operations is METEOR 1.5's.
"""

import math
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from earmark.metrics.meteor.alignment import Match
from earmark.text.arrays import ranges

ALPHA, BETA, GAMMA, DELTA = 0.85, 0.2, 0.6, 0.75
MODULE_WEIGHTS = (1.0, 0.6, 0.8, 0.6)
COUNTS = 23
_CHUNKS = 20
_PARAPHRASE = 3
_ROUNDING = 1e-9

Counts = Sequence[float]
Ints = NDArray[np.int64]
# One side of matches: first word and words of each, and of each pair of captions which words
# are function words.
Side = tuple[Ints, Ints, Sequence[Sequence[bool]]]


class Score(NamedTuple):
    """A score in 0..1 and what it is made of, each 0 where there is no match."""

    value: float
    precision: float
    recall: float
    penalty: float


NOTHING = Score(0.0, 0.0, 0.0, 0.0)


def count(
    alignment: Sequence[Match], candidate: Sequence[bool], reference: Sequence[bool]
) -> list[int]:
    """Count an alignment; the sequences say of each word whether it is a function word."""
    counts = [0] * COUNTS
    counts[:4] = len(candidate), len(reference), sum(candidate), sum(reference)
    expected = (-1, -1)
    for start, kind, _, _, _, span, candidate_start, candidate_span in alignment:
        at = 4 + 4 * min(kind, _PARAPHRASE)
        for function in candidate[candidate_start : candidate_start + candidate_span]:
            counts[at + 2 * function] += 1
        for function in reference[start : start + span]:
            counts[at + 1 + 2 * function] += 1
        counts[21] += candidate_span
        counts[22] += span
        if expected != (start, candidate_start):
            counts[_CHUNKS] += 1
        expected = (start + span, candidate_start + candidate_span)
    return counts


def _weighted_matches(counts: Counts, side: int) -> float:
    """Sum matched words by matcher and kind; side 0 is the candidate, 1 the reference."""
    total = 0.0
    for kind, share in ((side, DELTA), (side + 2, 1.0 - DELTA)):
        for module, weight in enumerate(MODULE_WEIGHTS):
            total += counts[4 + 4 * module + kind] * weight * share
    return total


def _weighted_length(words: float, function_words: float) -> float:
    return DELTA * (words - function_words) + (1.0 - DELTA) * function_words


def score(counts: Counts) -> Score:
    """Compute the score of one segment's counts, or of a corpus's summed counts."""
    candidate = _weighted_matches(counts, 0)
    reference = _weighted_matches(counts, 1)
    if not candidate or not reference:
        return NOTHING
    precision = candidate / _weighted_length(counts[0], counts[2])
    recall = reference / _weighted_length(counts[1], counts[3])
    mean = 1.0 / ((1.0 - ALPHA) / precision + ALPHA / recall)
    complete = counts[21] == counts[0] and counts[22] == counts[1] and counts[_CHUNKS] == 1
    fragments = 0.0 if complete else counts[_CHUNKS] / ((counts[21] + counts[22]) / 2)
    penalty = GAMMA * math.pow(fragments, BETA)
    return Score(max(mean * (1.0 - penalty), 0.0), precision, recall, penalty)


def summable(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Prepare segments' counts, shape (clips, 23), for a sum over the corpus.

    METEOR leaves the one chunk of a complete match out of the corpus's chunks.
    """
    complete = (
        (counts[:, 21] == counts[:, 0])
        & (counts[:, 22] == counts[:, 1])
        & (counts[:, _CHUNKS] == 1)
    )
    out = counts.copy()
    out[complete, _CHUNKS] = 0
    return out


def highest_scores(pair: Ints, kind: Ints, candidate: Side, reference: Side) -> NDArray[np.float64]:
    """A bound, for each pair of captions, that no alignment of its matches scores above.

    As if every word that a match touches were matched by its best matcher, in one chunk. ``pair``
    and ``kind`` are those of each match. The bound is a little high, so that rounding cannot make
    it too low.
    """
    weight = np.array(MODULE_WEIGHTS)[np.minimum(kind, _PARAPHRASE)]
    (precision, touched, words), (recall, touched_there, words_there) = (
        _most_matched(pair, weight, side) for side in (candidate, reference)
    )
    mean = np.zeros(len(words))
    matched = np.flatnonzero((precision > 0) & (recall > 0))
    mean[matched] = 1 / ((1 - ALPHA) / precision[matched] + ALPHA / recall[matched])
    fragments = 2 / np.maximum(touched + touched_there, 1)
    fragments[(touched == words) & (touched_there == words_there)] = 0
    bounds: NDArray[np.float64] = mean * (1 - GAMMA * fragments**BETA) * (1 + _ROUNDING)
    return bounds + _ROUNDING


def _most_matched(
    pair: Ints, weight: NDArray[np.float64], side: Side
) -> tuple[NDArray[np.float64], Ints, Ints]:
    """Of one side of each pair: the highest precision, the words touched by matches, all words."""
    start, span, functions = side
    words = np.fromiter(map(len, functions), np.int64, len(functions))
    function = np.fromiter(chain.from_iterable(functions), np.bool_, words.sum())
    owner = np.repeat(np.arange(len(words)), words)
    share = np.where(function, 1 - DELTA, DELTA)
    at = ranges((np.cumsum(words) - words)[pair] + start, span)
    weights = np.repeat(weight, span)
    best = np.zeros(len(owner))
    for module_weight in sorted(set(MODULE_WEIGHTS)):
        best[at[weights == module_weight]] = module_weight
    total, length, touched = (
        np.bincount(owner, values, len(words)) for values in (best * share, share, best > 0)
    )
    return total / np.maximum(length, 1 - DELTA), touched.astype(np.int64), words
