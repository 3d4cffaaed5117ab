"""Intervals of corpus values and of shares."""

import math

import numpy as np
from numpy.typing import NDArray

from scoring.results import NO_INTERVAL, Interval, PerClip

Z95 = 1.959963984540054


def jackknife(value: float, leave_one_out: NDArray[np.float64]) -> Interval:
    """Jackknife 95 % interval of a corpus value.

    ``leave_one_out[i]``, shape (clips,), is the corpus value without clip i,
    recounted. Normal interval with the jackknife standard error (Efron and
    Tibshirani, An Introduction to the Bootstrap, 1993, equation 11.5). Fewer
    than two clips give no interval.
    """
    n = leave_one_out.size
    if n < 2 or not math.isfinite(value):
        return NO_INTERVAL
    deviations = leave_one_out - leave_one_out.mean()
    error = math.sqrt((n - 1) / n * float(np.dot(deviations, deviations)))
    return Interval(value - Z95 * error, value + Z95 * error)


def wilson_interval(successes: int, trials: int) -> Interval:
    """Wilson's 95 % interval of a share, within 0..1 (no interval without trials).

    Source: Wilson, Probable inference, JASA 22, 1927.
    """
    if not trials:
        return NO_INTERVAL
    share, z2 = successes / trials, Z95**2 / trials
    middle = share + z2 / 2
    reach = Z95 * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials))
    low, high = (middle - reach) / (1 + z2), (middle + reach) / (1 + z2)
    # Rounding must not leave the share itself outside.
    return Interval(max(min(low, share), 0.0), min(max(high, share), 1.0))


def mean_and_interval(per_clip: PerClip | NDArray[np.float64]) -> tuple[float, Interval]:
    """Mean over the clips that have a value, with its jackknife interval.

    Pass float64 where it is at hand: float32 per-clip values are what is
    stored, not what the corpus value is computed from.
    """
    values = per_clip[~np.isnan(per_clip)].astype(np.float64)
    if values.size == 0:
        return math.nan, NO_INTERVAL
    mean = float(values.mean())
    if values.size == 1:
        return mean, NO_INTERVAL
    return mean, jackknife(mean, (values.sum() - values) / (values.size - 1))
