"""Paired bootstrap over clips: means on resampled corpora, and differences between two systems.

All systems are drawn on the same resampled clips, so that what makes a clip hard
for everyone cancels out. Sources: Efron and Tibshirani, An Introduction to the
Bootstrap, 1993, chapter 13; Koehn, Statistical significance tests for machine
translation evaluation, EMNLP 2004.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.results import NO_INTERVAL, Interval

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RESAMPLES = 10_000
SEED = 20
LEVEL = 0.95
_AT_ONCE = 500  # resamples drawn together: bounds the memory


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


def resampled_means(values: Floats, *, resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    """Means of every system on each resampled corpus, shape (resamples, systems).

    ``values`` has shape (clips, systems), NaN where a metric says nothing; a
    resample that has only such clips of a system gives NaN.
    """
    clips, systems = values.shape
    known = ~np.isnan(values)
    filled = np.where(known, values, 0.0)
    whole = bool(known.all())
    draws = np.empty((resamples, systems))
    start = 0
    for weights in resample_weights(clips, resamples=resamples, seed=seed):
        with np.errstate(invalid="ignore", divide="ignore"):
            counted = clips if whole else weights @ known
            draws[start : start + len(weights)] = (weights @ filled) / counted
        start += len(weights)
    return draws


def resampled_sums(values: Floats, *, resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    """Sums of every column over each resampled corpus, shape (resamples, columns).

    ``values`` has shape (clips, columns), all of them numbers. For shares of what clips
    have different amounts of, such as words: one sum over another, and no mean over clips.
    """
    clips, columns = values.shape
    draws = np.empty((resamples, columns))
    start = 0
    for weights in resample_weights(clips, resamples=resamples, seed=seed):
        draws[start : start + len(weights)] = weights @ values
        start += len(weights)
    return draws


def resample_weights(clips: int, *, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each clip is drawn, shape (some, clips), until all resamples are made."""
    random = np.random.default_rng(seed)
    for start in range(0, resamples, _AT_ONCE):
        rows = min(_AT_ONCE, resamples - start)
        drawn = random.integers(0, clips, (rows, clips))
        drawn += np.arange(rows)[:, None] * clips
        counts = np.bincount(drawn.ravel(), minlength=rows * clips)
        yield counts.reshape(rows, clips).astype(np.float64)


def paired_difference(gain: Floats, draws: Floats) -> PairedDifference:
    """How much better the first of two systems is, from its gain on each clip.

    ``gain`` has shape (clips,), NaN where one of them has no value; ``draws``
    (resamples,) are its means over resampled clips.
    """
    known, drawn = gain[~np.isnan(gain)], draws[~np.isnan(draws)]
    if not known.size or not drawn.size:
        return PairedDifference(np.nan, NO_INTERVAL, np.nan, 0, 0, 0)
    wins, losses = int((known > 0).sum()), int((known < 0).sum())
    interval = percentile_interval(drawn)
    ties = known.size - wins - losses
    return PairedDifference(
        float(known.mean()), interval, two_sided_p_value(drawn), wins, ties, losses
    )


def percentile_interval(draws: Floats) -> Interval:
    """The middle 95 % of draws, shape (resamples,); those that are NaN do not count."""
    drawn = draws[~np.isnan(draws)]
    return Interval(*np.quantile(drawn, interval_ends()).tolist()) if drawn.size else NO_INTERVAL


def two_sided_p_value(draws: Floats) -> float:
    """Two-sided p-value of a difference being 0, from its draws."""
    worse = float((draws <= 0).sum()) + 1
    better = float((draws >= 0).sum()) + 1
    return min(1.0, 2 * min(worse, better) / (draws.size + 1))


def interval_ends() -> tuple[float, float]:
    """Shares of the draws below and up to the two ends of a 95 % interval."""
    return (1 - LEVEL) / 2, (1 + LEVEL) / 2
