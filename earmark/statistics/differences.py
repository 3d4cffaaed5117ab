"""Differences between two systems on the same clips: intervals and p-values that agree.

Both come from the paired permutation test: the interval holds the differences that the test
does not reject, so that p is below 0.05 exactly where the interval leaves out 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from earmark.results import NO_INTERVAL, Interval
from earmark.statistics.intervals import rate_interval
from earmark.statistics.resampling import Floats, Ints, resampled_means
from earmark.statistics.shapes import check_shape

SIGNIFICANCE = 0.05
# Enough for p-values to two digits, and under a second for all metrics of 1,045 clips.
PAIRED_RESAMPLES = 4000
# Of so many draws one lies beyond each end of the interval: 2 / SIGNIFICANCE.
_PER_END = 40


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """How much better the first of two systems is (in the metric's own direction).

    ``p_value`` is two-sided: below 0.05 exactly where the 95 % interval leaves out 0,
    and never below 2 / (resamples + 1). NaN without a clip that both have.
    """

    value: float
    interval: Interval
    p_value: float
    wins: int
    ties: int
    losses: int

    @property
    def winner(self) -> int | None:
        """Which system is better beyond chance: 0 (the first), 1 or None."""
        if self.interval.low > 0:
            return 0
        return 1 if self.interval.high < 0 else None


def paired_differences(
    first: Floats,
    second: Floats,
    higher_is_better: Sequence[bool],
    *,
    resamples: int = PAIRED_RESAMPLES,
) -> list[PairedDifference]:
    """How much better the first of two systems is by each metric, all drawn on the same clips.

    ``first`` and ``second`` have shape (clips, metrics), NaN where a system has no value, and
    ``higher_is_better`` says it of each metric. Raises ``WrongShape``.
    """
    check_shape("first", first, "clips", "metrics")
    check_shape("second", second, *first.shape)
    check_shape("higher_is_better", higher_is_better, first.shape[1])
    gains = (first - second) * np.where(higher_is_better, 1.0, -1.0)
    rates = [
        bool(np.isin(columns, (0, 1)).all()) for columns in zip(first.T, second.T, strict=True)
    ]
    draws = resampled_means(gains, resamples=resamples)
    return [
        paired_difference(gain, drawn, rate=rate)
        for gain, drawn, rate in zip(gains.T, draws.T, rates, strict=True)
    ]


def paired_difference(gain: Floats, draws: Floats, *, rate: bool = False) -> PairedDifference:
    """How much better the first of two systems is, from its gain on each clip.

    ``gain`` has shape (clips,), NaN where one of them has no value; ``draws``
    (resamples,) are its ``resampled_means``. ``rate``: the scores of clips are all 0 or 1.
    """
    check_shape("gain", gain, "clips")
    check_shape("draws", draws, "resamples")
    known = gain[~np.isnan(gain)]
    if not known.size or not draws.size:
        return PairedDifference(np.nan, NO_INTERVAL, np.nan, 0, 0, 0)
    wins, losses = int((known > 0).sum()), int((known < 0).sum())
    interval = difference_interval(draws)
    if rate:
        interval = _widened(interval, wins, losses, known.size)
    ties = known.size - wins - losses
    p_value = two_sided_p_value(draws)
    return PairedDifference(float(known.mean()), interval, p_value, wins, ties, losses)


def two_sided_p_value(draws: Floats) -> float:
    """Two-sided p-value of a difference being 0, from its draws, shape (resamples,).

    Draws of 0 and empty ones (NaN) count half on either side (mid-p), which keeps the power where
    metrics say yes or no. Sources: Davison and Hinkley, Bootstrap Methods and their Application,
    1997, equation 4.11; Fagerland, Lydersen and Laake, The McNemar test for binary matched-pairs
    data, BMC Medical Research Methodology 13, 2013.
    """
    check_shape("draws", draws, "resamples")
    return float(p_from_counts((draws < 0).sum(), (draws > 0).sum(), draws.size))


def p_from_counts(below: Ints, above: Ints, resamples: int) -> Floats:
    """Two-sided p-values from how many draws are below and above 0."""
    neither = resamples - below - above
    fewer = np.minimum(below, above) + neither / 2 + 1
    return np.asarray(np.minimum(1.0, 2 * fewer / (resamples + 1)))


def difference_interval(draws: Floats) -> Interval:
    """The 95 % interval of a difference, from its draws, shape (resamples,).

    All values whose p-value (``two_sided_p_value`` of the draws less the value) is 0.05 or more.
    Draws too few, or too many of them empty, give no interval: those of less than 40 resamples or
    of less than five clips.
    """
    check_shape("draws", draws, "resamples")
    drawn = np.sort(draws[~np.isnan(draws)])
    needed = (draws.size + 1) / _PER_END - 1 - (draws.size - drawn.size) / 2
    if needed <= 0:
        return NO_INTERVAL
    return Interval(_low_end(drawn, needed), -_low_end(-drawn[::-1], needed))


def _low_end(ordered: Floats, needed: float) -> float:
    """The lowest value with ``needed`` draws below it, of those equal to it half."""
    end = ordered[math.ceil(needed) - 1]
    first, last = np.searchsorted(ordered, end), np.searchsorted(ordered, end, side="right")
    # With too few there the interval begins right behind it.
    return float(end if (first + last) / 2 >= needed else np.nextafter(end, np.inf))


def _widened(interval: Interval, wins: int, losses: int, clips: int) -> Interval:
    """Widen the interval of a difference of rates by what clips not drawn may hold.

    Resampling knows of no clip on which the two differ but those that are there: without one its
    interval is 0 to 0. The distances of the two rates of such clips from their ``rate_interval``
    ends, squared and added, give an interval that is wide enough then. It does not move an end
    over 0, which would contradict the p-value. Source: Newcombe, Improved confidence intervals
    for the difference between binomial proportions based on paired data, Statistics in Medicine
    17, 1998 (square and add, between the rates of wins and of losses).
    """
    won, lost = wins / clips, losses / clips
    of_wins, of_losses = rate_interval(wins, clips), rate_interval(losses, clips)
    low = won - lost - math.hypot(won - of_wins.low, of_losses.high - lost)
    high = won - lost + math.hypot(of_wins.high - won, lost - of_losses.low)
    return Interval(
        interval.low if interval.low > 0 >= low else min(interval.low, low),
        interval.high if interval.high < 0 <= high else max(interval.high, high),
    )
