"""Correlations of every pair of many columns: Kendall's tau-b and Spearman's."""

import numpy as np

from earmark.statistics.resampling import Floats, Ints
from earmark.statistics.shapes import check_shape

# Points that are compared with all others together: their bits stay in the processor's cache.
_AT_ONCE = 128


def kendall_matrix(columns: Floats) -> Floats:
    """Kendall's tau-b of every pair, shape (columns, columns), each over the points of both.

    ``columns`` has shape (points, columns), NaN where there is no value; NaN too where one
    does not vary. The same numbers as ``scipy.stats.kendalltau``, for less: the points that
    are smaller than a point are bits, so that a pair of columns costs one "and" of the bits and a
    count. Points grow with their square; up to some 10,000 that is cheaper than sorting.
    """
    check_shape("columns", columns, "points", "columns")
    codes = _codes(columns)
    known = codes >= 0
    concordant = _concordant(codes)
    taus = np.full(concordant.shape, np.nan)
    for one in range(len(codes)):
        for other in range(one, len(codes)):
            both = known[one] & known[other]
            tau = _tau_b(codes[other, both], codes[one, both], int(concordant[one, other]))
            taus[one, other] = taus[other, one] = tau
    return taus


def _codes(columns: Floats) -> Ints:
    """Places of the values among those of a column, shape (columns, points); -1 for NaN."""
    numbered = [np.unique(column, return_inverse=True)[1] for column in columns.T]
    codes = np.array(numbered, np.int64).reshape(columns.T.shape)
    return np.where(np.isnan(columns.T), -1, codes)


def _concordant(codes: Ints) -> Ints:
    """How many pairs of points two columns order alike, shape (columns, columns)."""
    columns, points = codes.shape
    kind = np.int16 if points < 2**15 else np.int32
    smaller = np.where(codes < 0, points, codes).astype(kind)
    # Whole words of bits; what has no value is larger than nothing and smaller than nothing.
    larger = np.pad(codes.astype(kind), ((0, 0), (0, -points % 64)), constant_values=-1)
    counts = np.zeros((columns, columns), np.int64)
    for start in range(0, points, _AT_ONCE):
        rows = smaller[:, start : start + _AT_ONCE, None]
        bits = np.stack(
            [
                np.packbits(less < row).view(np.uint64)
                for less, row in zip(rows, larger, strict=True)
            ]
        )
        for one in range(columns):
            alike = np.bitwise_count(bits[one:] & bits[one])
            counts[one, one:] += alike.sum(axis=1, dtype=np.int64)
    return counts


def _tau_b(one: Ints, other: Ints, concordant: int) -> float:
    """Tau-b from the pairs of points that are ordered alike; Kendall, Biometrika 33, 1945."""
    pairs = one.size * (one.size - 1) // 2
    tied, other_tied = _tied(one), _tied(other)
    if pairs in (tied, other_tied):
        return float("nan")
    in_both = _tied(one * (int(other.max()) + 1) + other) if tied and other_tied else 0
    discordant = pairs - tied - other_tied + in_both - concordant
    tau = (concordant - discordant) / np.sqrt(pairs - tied) / np.sqrt(pairs - other_tied)
    return float(min(1.0, max(-1.0, tau)))


def _tied(codes: Ints) -> int:
    """How many pairs of points have the same code."""
    ordered = np.sort(codes)
    begins = np.flatnonzero(np.diff(ordered, prepend=-1))
    counts = np.diff(begins, append=codes.size)
    return int((counts * (counts - 1) // 2).sum())


def spearman_matrix(columns: Floats) -> Floats:
    """Spearman's correlation of every pair, as ``kendall_matrix``; equal values share a rank."""
    check_shape("columns", columns, "points", "columns")
    known = ~np.isnan(columns.T)
    rhos = np.full((len(known), len(known)), np.nan)
    ranked = [_mean_ranks(column[here]) for column, here in zip(columns.T, known, strict=True)]
    for one, here in enumerate(known):
        for other in range(one + 1):
            pair = [ranked[one], ranked[other]]
            both = here & known[other]
            if not np.array_equal(here, known[other]):
                pair = [_mean_ranks(columns[both, at]) for at in (one, other)]
            rhos[one, other] = rhos[other, one] = pearson(*pair)
    return rhos


def _mean_ranks(values: Floats) -> Floats:
    """Ranks from 1 on; equal values have the mean of theirs."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    means: Floats = np.cumsum(counts) - (counts - 1) / 2
    return means[codes] if values.size else values


def pearson(one: Floats, other: Floats) -> float:
    """Pearson's correlation of two columns of numbers; NaN where one does not vary."""
    check_shape("one", one, "points")
    check_shape("other", other, len(one))
    if one.size < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(np.corrcoef(one, other)[0, 1])
