"""Intervals of corpus values and of shares."""

import math

import numpy as np
from numpy.typing import NDArray

from earmark.results import NO_INTERVAL, Interval, PerClip
from earmark.statistics.shapes import check_shape

Z95 = 1.959963984540054
# One-sided level of the exact limits out to which ``rate_interval`` goes: the highest with which
# its coverage is .93 or more at every rate, from 50 trials on.
_EXACT = 0.04


def jackknife(value: float, leave_one_out: NDArray[np.float64]) -> Interval:
    """Jackknife 95 % interval of a corpus value.

    ``leave_one_out[i]``, shape (clips,), is the corpus value without clip i,
    recounted. Normal interval with the jackknife standard error (Efron and
    Tibshirani, An Introduction to the Bootstrap, 1993, equation 11.5). Fewer
    than two clips give no interval.
    """
    check_shape("leave_one_out", leave_one_out, "clips")
    n = leave_one_out.size
    if n < 2 or not math.isfinite(value):
        return NO_INTERVAL
    deviations = leave_one_out - leave_one_out.mean()
    error = math.sqrt((n - 1) / n * float(np.dot(deviations, deviations)))
    return Interval(value - Z95 * error, value + Z95 * error)


def rate_interval(successes: float, trials: float) -> Interval:
    """95 % interval of a rate: Wilson's, moved out near 0 and 1 (no interval without trials).

    Wilson's covers some rates of less than 1 in 100 five times in six only. Below a half the
    lower end is moved out to the exact one-sided limit, above it the upper end, as Brown, Cai
    and DasGupta do with a Poisson limit (Interval estimation for a binomial proportion,
    Statistical Science 16, 2001, section 4.1.1). ``trials`` may be an effective number.
    Coverage: ``python -m tests.bench.bench_intervals``.
    """
    from scipy.special import betaincinv

    wilson, failures = wilson_interval(successes, trials), trials - successes
    if 0 < successes < failures:
        low = float(betaincinv(successes, failures + 1, _EXACT))
        return Interval(min(wilson.low, low), wilson.high)
    if 0 < failures < successes:
        high = 1 - float(betaincinv(failures, successes + 1, _EXACT))
        return Interval(wilson.low, max(wilson.high, high))
    return wilson


def wilson_interval(successes: float, trials: float) -> Interval:
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
    check_shape("per_clip", per_clip, "clips")
    values = per_clip[~np.isnan(per_clip)].astype(np.float64)
    if values.size == 0:
        return math.nan, NO_INTERVAL
    mean = float(values.mean())
    if values.size == 1:
        return mean, NO_INTERVAL
    return mean, jackknife(mean, (values.sum() - values) / (values.size - 1))
