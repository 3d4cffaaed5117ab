"""Clotho's constraints on the words of a split, and how far a split is from them.

Drossos, Lipping and Virtanen, "Clotho: an audio captioning dataset" (ICASSP 2020,
arXiv 1910.09387), section 2.3, with the development part's share of the clips s for Clotho's
.6. A word that f clips have, where f is 2 or more,

- is in the development part and in at least one other;
- has f_Dev = floor(s f) of its clips in the development part, give or take the tolerance of
  equation 1: 1 for f from 3 to 6, 2 from 7 to 16, 4 from 17 to 20 and floor(.2 f) above; for
  f = 2 it has exactly one;
- has f_Ev = f - f_Dev clips in each other part, give or take the same.

A word of one clip has no constraint. The development part is the one with the largest share.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from earmark.datasets.splitting.words import Integers


def ideals(frequencies: Integers, share: Fraction) -> Integers:
    """Clips that the development part should have of words of f clips: floor(s f), 1 for f = 2."""
    wanted = frequencies * share.numerator // share.denominator
    return np.where(frequencies == 2, 1, wanted)


def tolerances(frequencies: Integers) -> Integers:
    """How far from the ideal the clips of a word in a part may be."""
    f = frequencies
    return np.select([f <= 2, f <= 6, f <= 16, f <= 20], [0, 1, 2, 4], f // 5)


@dataclass(frozen=True, slots=True)
class PartTerm:
    """What equation 2 sums for one part, of words of f clips: arrays of one shape.

    ``ideals`` are f_Dev or f_Ev, ``weights`` the alphas: 1 / f_Dev in the development part, and
    elsewhere 1 / (q f_Ev), where q is the part's share of all that is not development (.5).
    """

    ideals: Integers
    tolerances: Integers
    weights: NDArray[np.float64]

    @classmethod
    def of(
        cls, frequencies: Integers, shares: tuple[Fraction, ...], development: int, part: int
    ) -> "PartTerm":
        """The term of a part of a split into parts of these shares."""
        wanted, portion = ideals(frequencies, shares[development]), 1.0
        if part != development:
            wanted, portion = frequencies - wanted, float(shares[part] / (1 - shares[development]))
        weights = 1 / (portion * np.maximum(wanted, 1))
        return cls(wanted, tolerances(frequencies), weights)

    def away(self, counts: Integers) -> Integers:
        """How many clips too many or too few a part with these counts has."""
        away: Integers = np.abs(counts - self.ideals)
        return away

    def outside(self, counts: Integers) -> NDArray[np.bool_]:
        """Which words are in the set Psi of the part."""
        return self.away(counts) > self.tolerances

    def distances(self, counts: Integers) -> NDArray[np.float64]:
        """What each word adds: its weight times the clips by which it is out of the range."""
        beyond: Integers = np.maximum(self.away(counts) - self.tolerances, 0)
        return self.weights * beyond

    def printed(self, counts: Integers) -> NDArray[np.float64]:
        """What each word adds as the formula is printed, the tolerance outside of the weight."""
        return self.outside(counts) * (self.weights * self.away(counts) - self.tolerances)


@dataclass(frozen=True, slots=True)
class SplitMeasures:
    """How far a split is from the constraints, counted over the words of two clips or more.

    ``words_in_one_part`` have all their clips in one part, whichever it is;
    ``words_not_in_development`` have none in the development part (a few of them are in one
    other part, and are counted there, too). ``outside_by_part`` counts the words with more or
    fewer clips than the tolerance allows in each part, ``words_outside_tolerance`` those of the
    development part.

    ``distance`` is the sum of equation 2, by which the paper chooses its split, 0 or more:
    each word that is out of its range adds its weight times the clips by which it is. That is
    what the paper's text says; as printed the tolerance is not weighted
    (``distance_as_printed``), so that a frequent word out of its range lowers the sum.
    ``share_distance`` is the mean over words of half the sum over all parts of
    |c / f - share|, c being the clips in a part, 0 to 1. Of all of them lower is better.
    """

    words_in_one_part: int
    words_not_in_development: int
    words_outside_tolerance: int
    outside_by_part: tuple[int, ...]
    distance: float
    distance_as_printed: float
    share_distance: float


def split_measures(
    counts: Integers, shares: tuple[Fraction, ...], development: int
) -> SplitMeasures:
    """Measure a split by the counts of its words, (parts, words), whose sums are f."""
    totals = counts.sum(axis=0)
    counts, f = counts[:, totals > 1], totals[totals > 1]
    terms = [PartTerm.of(f, shares, development, part) for part in range(len(shares))]
    by_part = [*zip(terms, counts, strict=True)]
    outside = tuple(int(term.outside(clips).sum()) for term, clips in by_part)
    wanted = np.array([[float(share)] for share in shares])
    return SplitMeasures(
        words_in_one_part=int(((counts > 0).sum(axis=0) == 1).sum()),
        words_not_in_development=int((counts[development] == 0).sum()),
        words_outside_tolerance=outside[development],
        outside_by_part=outside,
        distance=float(sum(term.distances(clips).sum() for term, clips in by_part)),
        distance_as_printed=float(sum(term.printed(clips).sum() for term, clips in by_part)),
        share_distance=float(np.abs(counts / f - wanted).sum(axis=0).mean() / 2) if f.size else 0.0,
    )
