"""Ranks on resampled corpora: intervals, probabilities, and which systems are tied."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scoring.statistics.resampling import LEVEL, Floats, interval_ends

Ints = NDArray[np.int64]


def p_values(draws: Floats) -> Floats:
    """Two-sided p-values of every pair of systems, shape (systems, systems).

    ``draws`` come from ``resampled_means``; the diagonal is 1.
    """
    values = np.ones((draws.shape[1], draws.shape[1]))
    for system, row in enumerate(_later_p_values(draws)):
        values[system, system + 1 :] = values[system + 1 :, system] = row
    return values


def tied_pairs(draws: Floats, *, level: float = 1 - LEVEL) -> NDArray[np.bool_]:
    """Which pairs the data cannot tell apart, as ``ties_of`` all ``p_values``.

    An eighth of their memory, for thousands of systems.
    """
    tied = np.ones((draws.shape[1], draws.shape[1]), np.bool_)
    for system, row in enumerate(_later_p_values(draws)):
        tied[system, system + 1 :] = tied[system + 1 :, system] = row >= level
    return tied


def _later_p_values(draws: Floats) -> Iterator[Floats]:
    """P-values of each system with those after it, as ``two_sided_p_value`` of the gain."""
    resamples = len(draws)
    columns = np.ascontiguousarray(draws.T)
    for system, column in enumerate(columns):
        later = columns[system + 1 :]
        worse = np.count_nonzero(later >= column, axis=1) + 1
        better = np.count_nonzero(later <= column, axis=1) + 1
        yield np.minimum(1.0, 2 * np.minimum(worse, better) / (resamples + 1))


def ranks(draws: Floats, *, higher_is_better: bool = True) -> Ints:
    """Rank the systems on every resample, 1 is best; equal values share a rank (1, 1, 3).

    Shape (resamples, systems). NaN ranks behind every number.
    """
    keys = -draws if higher_is_better else draws.copy()
    keys[np.isnan(keys)] = np.inf
    ordered = np.sort(keys, axis=1)
    rows = zip(ordered, keys, strict=True)
    return np.array([np.searchsorted(row, key, side="left") + 1 for row, key in rows])


def rank_probabilities(drawn_ranks: Ints) -> Floats:
    """Shares of resamples in which a system has each rank, shape (systems, systems).

    Row: system; column: rank less 1.
    """
    systems = drawn_ranks.shape[1]
    counts = [np.bincount(column - 1, minlength=systems) for column in drawn_ranks.T]
    return np.array(counts, np.float64).reshape(systems, systems) / len(drawn_ranks)


def rank_intervals(drawn_ranks: Ints) -> Ints:
    """Lowest and highest rank in the middle 95 % of resamples, shape (systems, 2)."""
    low, high = np.quantile(drawn_ranks, interval_ends(), axis=0, method="nearest")
    return np.stack([low, high], axis=1).astype(np.int64)


def ties_of(pairwise: Floats, *, level: float = 1 - LEVEL) -> NDArray[np.bool_]:
    """Which pairs the data cannot tell apart, shape (systems, systems)."""
    return pairwise >= level
