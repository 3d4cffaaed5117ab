"""Is one system better than another, and what rank may it have: paired bootstrap over clips.

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
class Difference:
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
    """Give every system's mean on each resampled corpus, shape (resamples, systems).

    ``values`` has shape (clips, systems), NaN where a metric says nothing; a
    resample that has only such clips of a system gives NaN.
    """
    clips, systems = values.shape
    known = ~np.isnan(values)
    filled = np.where(known, values, 0.0)
    whole = bool(known.all())
    draws = np.empty((resamples, systems))
    start = 0
    for weights in _weights(clips, resamples, seed):
        with np.errstate(invalid="ignore", divide="ignore"):
            counted = clips if whole else weights @ known
            draws[start : start + len(weights)] = (weights @ filled) / counted
        start += len(weights)
    return draws


def resampled_sums(values: Floats, *, resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    """Give every column's sum over each resampled corpus, shape (resamples, columns).

    ``values`` has shape (clips, columns), all of them numbers. For shares of what clips
    have different amounts of, such as words: one sum over another, and no mean over clips.
    """
    clips, columns = values.shape
    draws = np.empty((resamples, columns))
    start = 0
    for weights in _weights(clips, resamples, seed):
        draws[start : start + len(weights)] = weights @ values
        start += len(weights)
    return draws


def _weights(clips: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Give how often each clip is drawn, shape (some, clips), until all resamples are made."""
    random = np.random.default_rng(seed)
    for start in range(0, resamples, _AT_ONCE):
        rows = min(_AT_ONCE, resamples - start)
        drawn = random.integers(0, clips, (rows, clips))
        drawn += np.arange(rows)[:, None] * clips
        counts = np.bincount(drawn.ravel(), minlength=rows * clips)
        yield counts.reshape(rows, clips).astype(np.float64)


def paired_difference(
    first: Floats,
    second: Floats,
    *,
    higher_is_better: bool = True,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Difference:
    """Compare two systems by the mean of a metric over the clips that both have.

    ``first`` and ``second`` have shape (clips,).
    """
    gain = np.asarray(first, np.float64) - np.asarray(second, np.float64)
    gain = gain if higher_is_better else -gain
    draws = resampled_means(gain[:, None], resamples=resamples, seed=seed)[:, 0]
    return difference_of(gain, draws)


def difference_of(gain: Floats, draws: Floats) -> Difference:
    """Sum up how much better the first of two systems is on each clip.

    ``gain`` has shape (clips,), NaN where one of them has no value; ``draws``
    (resamples,) are its means over resampled clips.
    """
    known, drawn = gain[~np.isnan(gain)], draws[~np.isnan(draws)]
    if not known.size or not drawn.size:
        return Difference(np.nan, NO_INTERVAL, np.nan, 0, 0, 0)
    wins, losses = int((known > 0).sum()), int((known < 0).sum())
    interval = interval_of(drawn)
    ties = known.size - wins - losses
    return Difference(float(known.mean()), interval, two_sided(drawn), wins, ties, losses)


def interval_of(draws: Floats) -> Interval:
    """Give the middle 95 % of draws, shape (resamples,); those that are NaN do not count."""
    drawn = draws[~np.isnan(draws)]
    return Interval(*np.quantile(drawn, _ends()).tolist()) if drawn.size else NO_INTERVAL


def two_sided(draws: Floats) -> float:
    """Give the two-sided p-value of draws of a difference being 0."""
    worse = float((draws <= 0).sum()) + 1
    better = float((draws >= 0).sum()) + 1
    return min(1.0, 2 * min(worse, better) / (draws.size + 1))


def p_values(draws: Floats) -> Floats:
    """Give the two-sided p-value of every pair of systems, shape (systems, systems).

    ``draws`` is what ``resampled_means`` gives; the diagonal is 1.
    """
    found = np.ones((draws.shape[1], draws.shape[1]))
    for one, row in enumerate(_later_p_values(draws)):
        found[one, one + 1 :] = found[one + 1 :, one] = row
    return found


def tied_pairs(draws: Floats, *, level: float = 1 - LEVEL) -> NDArray[np.bool_]:
    """Say which pairs the data cannot tell apart, as ``tied_with`` of all ``p_values``.

    An eighth of their memory, for thousands of systems.
    """
    found = np.ones((draws.shape[1], draws.shape[1]), np.bool_)
    for one, row in enumerate(_later_p_values(draws)):
        found[one, one + 1 :] = found[one + 1 :, one] = row >= level
    return found


def _later_p_values(draws: Floats) -> Iterator[Floats]:
    """Give, for each system, its p-values with those after it, as ``two_sided`` of the gain."""
    resamples = len(draws)
    columns = np.ascontiguousarray(draws.T)
    for one, column in enumerate(columns):
        later = columns[one + 1 :]
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
    """Give the share of resamples in which a system has each rank, shape (systems, systems).

    Row: system; column: rank less 1.
    """
    systems = drawn_ranks.shape[1]
    counts = [np.bincount(column - 1, minlength=systems) for column in drawn_ranks.T]
    return np.array(counts, np.float64).reshape(systems, systems) / len(drawn_ranks)


def rank_intervals(drawn_ranks: Ints) -> Ints:
    """Give the lowest and highest rank of the middle 95 % of resamples, shape (systems, 2)."""
    low, high = np.quantile(drawn_ranks, _ends(), axis=0, method="nearest")
    return np.stack([low, high], axis=1).astype(np.int64)


def tied_with(pairwise: Floats, *, level: float = 1 - LEVEL) -> NDArray[np.bool_]:
    """Say which pairs the data cannot tell apart, shape (systems, systems)."""
    return pairwise >= level


def _ends() -> tuple[float, float]:
    return (1 - LEVEL) / 2, (1 + LEVEL) / 2
