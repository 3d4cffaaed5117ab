"""Corpora drawn anew from the clips of one: by halves for comparisons, by the bootstrap otherwise.

All systems are drawn on the same clips, so that what makes a clip hard for everyone cancels
out. Sources: ``subset_weights`` and ``resample_weights``.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from earmark.results import NO_INTERVAL, Interval
from earmark.statistics.shapes import check_shape

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RESAMPLES = 10_000
SEED = 20
LEVEL = 0.95
_AT_ONCE = 500  # resamples drawn together: bounds the memory
# Means are rounded to so many decimals: those of equal systems are equal in any order of additions.
DECIMALS = 12


def resampled_means(values: Floats, *, resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    """Means of every system over each random subset of the clips, shape (resamples, systems).

    ``values`` has shape (clips, systems), NaN where a metric says nothing; a subset without a
    clip of which a system has a value gives NaN. They vary as the mean does over corpora of as
    many clips as there are (``subset_weights``).
    """
    check_shape("values", values, "clips", "systems")
    clips, systems = values.shape
    known = ~np.isnan(values)
    filled = np.where(known, values, 0.0)
    whole = bool(known.all())
    draws = np.empty((resamples, systems))
    start = 0
    for weights in subset_weights(clips, resamples=resamples, seed=seed):
        with np.errstate(invalid="ignore", divide="ignore"):
            counted = weights.sum(axis=1, keepdims=True) if whole else weights @ known
            draws[start : start + len(weights)] = (weights @ filled) / counted
        start += len(weights)
    return draws.round(DECIMALS, out=draws)


def subset_weights(clips: int, *, resamples: int, seed: int) -> Iterator[Floats]:
    """Which clips random subsets have (1 or 0), shape (some, clips), until all are made.

    Each clip is in with the probability 1/2. The subsets' means of a difference between two
    systems are the differences that the paired permutation test, which lets the systems change
    places on a random half of the clips, cannot tell from the one observed. Sources: Hartigan,
    Using subsample values as typical values, JASA 64, 1969; for the test Fisher, The Design of
    Experiments, 1935, section 21.
    """
    random = np.random.default_rng(seed)
    for start in range(0, resamples, _AT_ONCE):
        rows = min(_AT_ONCE, resamples - start)
        bits = random.integers(0, 256, (rows, -(-clips // 8)), np.uint8)
        yield np.unpackbits(bits, axis=1, count=clips).astype(np.float64)


def resample_weights(clips: int, *, resamples: int, seed: int) -> Iterator[Floats]:
    """How often the bootstrap draws each clip, shape (some, clips), until all are made.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 6.
    """
    random = np.random.default_rng(seed)
    for start in range(0, resamples, _AT_ONCE):
        rows = min(_AT_ONCE, resamples - start)
        drawn = random.integers(0, clips, (rows, clips))
        drawn += np.arange(rows)[:, None] * clips
        counts = np.bincount(drawn.ravel(), minlength=rows * clips)
        yield counts.reshape(rows, clips).astype(np.float64)


Weights = Callable[..., Iterator[Floats]]


def resampled_sums(
    values: Floats,
    *,
    weights_of: Weights = resample_weights,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Floats:
    """Sums of every column over each resampled corpus, shape (resamples, columns).

    ``values`` has shape (clips, columns), all of them numbers; ``weights_of`` is
    ``resample_weights`` or ``subset_weights``. For shares of what clips have different amounts
    of, such as words: one sum over another, and no mean over clips.
    """
    check_shape("values", values, "clips", "columns")
    clips, columns = values.shape
    draws = np.empty((resamples, columns))
    start = 0
    for weights in weights_of(clips, resamples=resamples, seed=seed):
        draws[start : start + len(weights)] = weights @ values
        start += len(weights)
    return draws


def percentile_interval(draws: Floats) -> Interval:
    """The middle 95 % of draws, shape (resamples,); those that are NaN do not count."""
    check_shape("draws", draws, "resamples")
    drawn = draws[~np.isnan(draws)]
    return Interval(*np.quantile(drawn, interval_ends()).tolist()) if drawn.size else NO_INTERVAL


def interval_ends() -> tuple[float, float]:
    """Shares of the draws below and up to the two ends of a 95 % interval."""
    return (1 - LEVEL) / 2, (1 + LEVEL) / 2
