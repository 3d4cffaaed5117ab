"""Ranks on resampled corpora: intervals, probabilities, and which systems are tied."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earmark.statistics.differences import SIGNIFICANCE, p_from_counts
from earmark.statistics.resampling import DECIMALS, SEED, Floats, interval_ends, subset_weights
from earmark.statistics.shapes import check_shape

Ints = NDArray[np.int64]


def p_values(draws: Floats, values: Floats | None = None, *, seed: int = SEED) -> Floats:
    """Two-sided p-values of every pair of systems, shape (systems, systems).

    ``draws`` are the ``resampled_means`` of ``values`` with ``seed``; the diagonal is 1. Without
    ``values`` each system is taken by its own clips; with them, two that lack values of
    different clips are compared on the clips that both have.
    """
    _check_shapes(draws, values)
    pairs = np.ones((draws.shape[1], draws.shape[1]))
    for system, row in enumerate(_later_p_values(draws, values, seed)):
        pairs[system, system + 1 :] = pairs[system + 1 :, system] = row
    return pairs


def tied_pairs(
    draws: Floats, values: Floats | None = None, *, seed: int = SEED
) -> NDArray[np.bool_]:
    """Which pairs the data cannot tell apart, as ``ties_of`` all ``p_values``.

    An eighth of their memory, for thousands of systems.
    """
    _check_shapes(draws, values)
    tied = np.ones((draws.shape[1], draws.shape[1]), np.bool_)
    for system, row in enumerate(_later_p_values(draws, values, seed)):
        tied[system, system + 1 :] = tied[system + 1 :, system] = ties_of(row)
    return tied


def _check_shapes(draws: Floats, values: Floats | None) -> None:
    check_shape("draws", draws, "resamples", "systems")
    if values is not None:
        check_shape("values", values, "clips", draws.shape[1])


def _later_p_values(draws: Floats, values: Floats | None, seed: int) -> Iterator[Floats]:
    """P-values of each system with those after it, as ``two_sided_p_value`` of the gain."""
    shared = None if values is None else _SharedClips.of(values, len(draws), seed)
    columns = _comparable(draws)
    for system, column in enumerate(columns):
        row = _p_values_of(columns[system + 1 :], column)
        if shared is not None:
            unlike = shared.unlike(system)
            row[unlike] = _p_values_of(shared.gains(system, unlike), np.zeros_like(column))
        yield row


def _comparable(draws: Floats) -> NDArray[Any]:
    """What compares within each draw as the draws do, shape (systems, resamples), for less."""
    if np.isnan(draws).any():
        return np.ascontiguousarray(draws.T)
    kind = np.uint8 if draws.shape[1] < 2**8 else np.uint16
    return np.ascontiguousarray(ranks(draws, higher_is_better=False).T.astype(kind))


def _p_values_of(later: NDArray[Any], column: NDArray[Any]) -> Floats:
    """P-values of systems with one, whose draws are ``column``."""
    return p_from_counts(_counted(later < column), _counted(later > column), column.size)


def _counted(drawn: NDArray[np.bool_]) -> Ints:
    """How many of each row are true; by bits, since a sum over an axis takes twice as long."""
    bits = np.bitwise_count(np.packbits(drawn, axis=1))
    return np.asarray(bits.sum(axis=1, dtype=np.int64))


class _SharedClips:
    """Gains over the clips that two systems share, where some lack values that others have.

    ``sums`` (resamples, systems) and ``counts`` (resamples, 1) are of the clips of which all
    have a value, ``weights`` (resamples, others) and ``values`` (others, systems) of the rest.
    """

    def __init__(
        self, values: Floats, common: NDArray[np.bool_], resamples: int, seed: int
    ) -> None:
        parts = [
            (
                weights[:, common] @ values[common],
                weights[:, common].sum(axis=1),
                weights[:, ~common],
            )
            for weights in subset_weights(len(values), resamples=resamples, seed=seed)
        ]
        sums, counts, rest = zip(*parts, strict=True)
        self._sums = np.concatenate(sums).T
        self._counts = np.concatenate(counts)
        self._weights = np.concatenate(rest).T
        self._values = values[~common].T

    @classmethod
    def of(cls, values: Floats, resamples: int, seed: int) -> "_SharedClips | None":
        """None where all systems have values of the same clips: their means say all."""
        known = ~np.isnan(values)
        common: NDArray[np.bool_] = np.asarray(known.all(axis=1))
        alike = np.array_equal(common, known.any(axis=1))
        return None if alike else cls(values, common, resamples, seed)

    def unlike(self, system: int) -> Ints:
        """Which of the later systems have values of other clips than one, counted from it."""
        known = ~np.isnan(self._values[system:])
        return np.flatnonzero((known[1:] != known[0]).any(axis=1))

    def gains(self, system: int, later: Ints) -> Floats:
        """Gains of later systems over one, shape (later, resamples); NaN without a clip."""
        others = later + system + 1
        gains = self._values[others] - self._values[system]
        known = ~np.isnan(gains)
        sums = self._sums[others] - self._sums[system]
        sums += np.where(known, gains, 0.0) @ self._weights
        with np.errstate(invalid="ignore", divide="ignore"):
            means: Floats = sums / (self._counts + known @ self._weights)
        return means.round(DECIMALS, out=means)


def without_empty(draws: Floats) -> Floats:
    """The draws that have a clip of some system: of five clips one subset in 32 has none."""
    check_shape("draws", draws, "resamples", "systems")
    return draws[~np.isnan(draws).all(axis=1)]


def ranks(draws: Floats, *, higher_is_better: bool = True) -> Ints:
    """Rank the systems on every resample, 1 is best; equal values share a rank (1, 1, 3).

    Shape (resamples, systems). NaN ranks behind every number.
    """
    check_shape("draws", draws, "resamples", "systems")
    keys = -draws if higher_is_better else draws.copy()
    keys[np.isnan(keys)] = np.inf
    order = np.argsort(keys, axis=1)
    ordered = np.take_along_axis(keys, order, axis=1)
    # Where a value is another than the one before it, a rank begins.
    begins = np.zeros(keys.shape, np.int64)
    begins[:, 1:] = np.where(ordered[:, 1:] != ordered[:, :-1], np.arange(1, keys.shape[1]), 0)
    result = np.empty_like(begins)
    np.put_along_axis(result, order, np.maximum.accumulate(begins, axis=1) + 1, axis=1)
    return result


def rank_probabilities(drawn_ranks: Ints) -> Floats:
    """Shares of resamples in which a system has each rank, shape (systems, systems).

    Row: system; column: rank less 1.
    """
    check_shape("drawn_ranks", drawn_ranks, "resamples", "systems")
    systems = drawn_ranks.shape[1]
    counts = [np.bincount(column - 1, minlength=systems) for column in drawn_ranks.T]
    return np.array(counts, np.float64).reshape(systems, systems) / len(drawn_ranks)


def rank_intervals(drawn_ranks: Ints) -> Ints:
    """Lowest and highest rank in the middle 95 % of resamples, shape (systems, 2)."""
    check_shape("drawn_ranks", drawn_ranks, "resamples", "systems")
    low, high = np.quantile(drawn_ranks, interval_ends(), axis=0, method="nearest")
    return np.stack([low, high], axis=1).astype(np.int64)


def ties_of(pairwise: Floats) -> NDArray[np.bool_]:
    """Which pairs the data cannot tell apart, by their p-values."""
    return pairwise >= SIGNIFICANCE
