"""Intervals by drawing captions anew."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Measure = Callable[[Floats], Floats]

RESAMPLES = 2000
SEED = 20260301
_MIDDLE = (2.5, 97.5)
# Where more of the resamples than this have no value, an interval would speak for few of them.
_MOST_UNDEFINED = 0.05
_AT_ONCE = 2_000_000


def draws(captions: int, *, resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    """Tell how often each caption is drawn in each resample: resamples x captions.

    Of no captions nothing is drawn: 0 x 0.
    """
    if not captions:
        return np.zeros((0, 0))
    random = np.random.default_rng(seed)
    weights = np.empty((resamples, captions))
    step = max(1, _AT_ONCE // captions)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = random.integers(0, captions, size=(rows, captions))
        drawn += np.arange(rows)[:, None] * captions
        counted = np.bincount(drawn.ravel(), minlength=rows * captions)
        weights[start : start + rows] = counted.reshape(rows, captions)
    return weights


def totals(counts: Floats, weights: Floats) -> Floats:
    """Sum counts (captions first) as often as each caption was drawn, resample by resample."""
    return np.asarray(np.tensordot(weights, counts, axes=1))


def intervals(values: Floats) -> tuple[Floats, Floats]:
    """Give the bounds of the middle 95 % of resamples (first axis), NaN where too few have any."""
    undefined = np.isnan(values).mean(axis=0)
    filled = np.where(undefined > _MOST_UNDEFINED, 0.0, values)
    low, high = np.nanpercentile(filled, _MIDDLE, axis=0)
    unknown = undefined > _MOST_UNDEFINED
    return np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)
