"""Clotho's constraints on the words of a split, and how far a split is from them.

Drossos, Lipping and Virtanen, "Clotho: an audio captioning dataset" (ICASSP 2020,
arXiv 1910.09387), with the development part's share of the clips s for Clotho's .6. A word
that f clips have, where f is 2 or more,

- is in the development part and in at least one other;
- has floor(s f) of its clips in the development part, give or take a tolerance: 1 for f from
  3 to 6, 2 from 7 to 16, 4 from 17 to 20 and floor(.2 f) above; for f = 2 it has exactly one.

A word of one clip has no constraint. The development part is the one with the largest share.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from scoring.datasets.splitting.words import Integers


def ideals(frequencies: Integers, share: Fraction) -> Integers:
    """Clips that the development part should have of words of f clips: floor(s f), 1 for f = 2."""
    wanted = frequencies * share.numerator // share.denominator
    return np.where(frequencies == 2, 1, wanted)


def tolerances(frequencies: Integers) -> Integers:
    """How far from the ideal the clips of a word in the development part may be."""
    f = frequencies
    return np.select([f <= 2, f <= 6, f <= 16, f <= 20], [0, 1, 2, 4], f // 5)


@dataclass(frozen=True, slots=True)
class SplitMeasures:
    """How far a split is from the constraints, counted over the words of two clips or more.

    ``words_in_one_part`` have all their clips in one part, whichever it is;
    ``words_not_in_development`` have none in the development part (a few of them are in one
    other part, and are counted there, too). ``words_outside_tolerance`` have more or fewer
    clips there than the tolerance allows.

    ``weighted_distance`` is the mean over these words of |d - ideal| / f, d being the clips
    in the development part: a word's distance weighs 1 / f, so that rare words count as much
    as frequent ones. From 0 to 1, lower is better. The paper chooses the split by a weighted
    distance between words' clips and their ideal number; its exact formula was not at hand,
    so numbers are comparable with each other and not with the paper's. ``share_distance`` is
    the mean of half the sum over all parts of |c / f - share|, c being the clips in a part.
    """

    words_in_one_part: int
    words_not_in_development: int
    words_outside_tolerance: int
    weighted_distance: float
    share_distance: float


def split_measures(
    counts: Integers, shares: tuple[Fraction, ...], development: int
) -> SplitMeasures:
    """Measure a split by the counts of its words, (parts, words), whose sums are f."""
    totals = counts.sum(axis=0)
    counts, f = counts[:, totals > 1], totals[totals > 1]
    here = counts[development]
    distances = np.abs(here - ideals(f, shares[development]))
    wanted = np.array([[float(share)] for share in shares])
    return SplitMeasures(
        words_in_one_part=int(((counts > 0).sum(axis=0) == 1).sum()),
        words_not_in_development=int((here == 0).sum()),
        words_outside_tolerance=int((distances > tolerances(f)).sum()),
        weighted_distance=float((distances / f).mean()) if f.size else 0.0,
        share_distance=float(np.abs(counts / f - wanted).sum(axis=0).mean() / 2) if f.size else 0.0,
    )
