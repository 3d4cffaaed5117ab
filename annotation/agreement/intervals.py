"""Intervals of agreement by the bootstrap over captions."""

from collections.abc import Callable

import numpy as np

from scoring.statistics import Floats, resample_weights

Measure = Callable[[Floats], Floats]

RESAMPLES = 2000
SEED = 20260301
_MIDDLE = (2.5, 97.5)
# Where more of the resamples than this have no value, an interval would speak for few of them.
_MOST_UNDEFINED = 0.05


def draws(captions: int, *, resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    """How often each caption is drawn in each resample: resamples x captions.

    Of no captions nothing is drawn: 0 x 0.
    """
    if not captions:
        return np.zeros((0, 0))
    weights = np.empty((resamples, captions))
    start = 0
    for rows in resample_weights(captions, resamples=resamples, seed=seed):
        weights[start : start + len(rows)] = rows
        start += len(rows)
    return weights


def totals(counts: Floats, weights: Floats) -> Floats:
    """Sum counts (captions first) as often as each caption was drawn, resample by resample."""
    return np.asarray(np.tensordot(weights, counts, axes=1))


def intervals(values: Floats) -> tuple[Floats, Floats]:
    """Bounds of the middle 95 % of resamples (first axis), NaN where too few have any."""
    undefined = np.isnan(values).mean(axis=0)
    filled = np.where(undefined > _MOST_UNDEFINED, 0.0, values)
    low, high = np.nanpercentile(filled, _MIDDLE, axis=0)
    unknown = undefined > _MOST_UNDEFINED
    return np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)
