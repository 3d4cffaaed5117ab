"""Comparisons say what the data can tell: checked by hand, by theory and against scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from earmark.statistics import (
    PairedDifference,
    p_values,
    paired_difference,
    percentile_interval,
    rank_intervals,
    rank_probabilities,
    ranks,
    resample_weights,
    resampled_means,
    resampled_sums,
    ties_of,
    two_sided_p_value,
)

VALUES = st.floats(0, 1).map(lambda x: round(x, 2)) | st.just(float("nan"))
TABLES = st.tuples(st.integers(1, 12), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=VALUES)
)


def normal(clips: int, systems: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.5, 0.1, (clips, systems))


def compared(first: np.ndarray, second: np.ndarray, resamples: int = 10_000) -> PairedDifference:
    gain = first - second
    return paired_difference(gain, resampled_means(gain[:, None], resamples=resamples)[:, 0])


def test_the_interval_is_scipys() -> None:
    values = normal(300, 2)
    found = compared(values[:, 0], values[:, 1])
    expected = stats.bootstrap(
        (values[:, 0] - values[:, 1],), np.mean, method="percentile", n_resamples=10_000, rng=3
    ).confidence_interval
    assert found.interval.low == pytest.approx(expected.low, abs=1e-3)
    assert found.interval.high == pytest.approx(expected.high, abs=1e-3)


def test_wins_ties_losses_and_direction() -> None:
    first, second = np.array([1, 0.5, 0.2, np.nan]), np.array([0.5, 0.5, 0.4, 0.1])
    found = compared(first, second)
    assert (found.wins, found.ties, found.losses) == (1, 1, 1)
    assert found.value == pytest.approx(0.1)


def test_sums_are_those_of_the_clips_drawn_and_the_percentile_interval_shares_is_scipys() -> None:
    random = np.random.default_rng(4)
    wholes = random.integers(4, 20, (300, 2)).astype(float)
    parts = random.binomial(wholes.astype(int), [0.3, 0.25]).astype(float)
    draws = resampled_sums(np.hstack([parts, wholes]))
    shares = draws[:, :2] / draws[:, 2:]
    found = percentile_interval(shares[:, 0] - shares[:, 1])

    def difference(*columns: np.ndarray) -> float:
        a, b, all_a, all_b = columns
        return float(a.sum() / all_a.sum() - b.sum() / all_b.sum())

    expected = stats.bootstrap(
        (*parts.T, *wholes.T), difference, paired=True, vectorized=False, method="percentile",
        n_resamples=5_000, rng=3,
    ).confidence_interval  # fmt: skip
    assert found.low == pytest.approx(expected.low, abs=2e-3)
    assert found.high == pytest.approx(expected.high, abs=2e-3)
    (weights,) = resample_weights(300, resamples=40, seed=20)
    assert weights.sum(axis=1).tolist() == [300] * 40
    assert resampled_sums(parts, resamples=40) == pytest.approx(weights @ parts)
    assert percentile_interval(np.array([np.nan, 1, 1])).low == 1
    assert np.isnan(percentile_interval(np.array([np.nan])).high)


def test_nothing_in_common_says_nothing() -> None:
    found = compared(np.array([np.nan, 1.0]), np.array([1.0, np.nan]))
    assert np.isnan([found.value, found.p_value, found.interval.low]).all()


@settings(deadline=None)
@given(TABLES)
def test_systems_keep_their_draws_in_any_order(values: np.ndarray) -> None:
    order = np.random.default_rng(0).permutation(values.shape[1])
    straight = resampled_means(values, resamples=50)
    np.testing.assert_allclose(resampled_means(values[:, order], resamples=50), straight[:, order])


@settings(deadline=None)
@given(TABLES, st.booleans())
def test_ranks_share_and_skip(values: np.ndarray, higher: bool) -> None:
    found = ranks(values, higher_is_better=higher)
    for row, keys in zip(found, values, strict=True):
        known = keys[~np.isnan(keys)]
        for rank, key in zip(row, keys, strict=True):
            ahead = known > key if higher else known < key
            assert rank == (known.size if np.isnan(key) else ahead.sum()) + 1


@settings(deadline=None)
@given(TABLES)
def test_probabilities_of_ranks_sum_to_one(values: np.ndarray) -> None:
    drawn = ranks(resampled_means(values, resamples=40))
    shares = rank_probabilities(drawn)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    low, high = rank_intervals(drawn).T
    assert ((low >= 1) & (low <= high) & (high <= values.shape[1])).all()


def test_a_clear_winner_has_rank_one_and_equals_are_tied() -> None:
    values = normal(300, 3)
    values[:, 0] += 1
    values[:, 2] = values[:, 1]
    draws = resampled_means(values, resamples=500)
    assert rank_intervals(ranks(draws)).tolist() == [[1, 1], [2, 2], [2, 2]]
    pairs = ties_of(p_values(draws))
    assert pairs.tolist() == [[True, False, False], [False, True, True], [False, True, True]]


def test_a_p_value_is_never_zero_nor_above_one() -> None:
    assert two_sided_p_value(np.ones(99)) == pytest.approx(2 / 100)
    assert two_sided_p_value(np.zeros(99)) == 1


def made_up() -> np.ndarray:
    """Scores of 1,045 clips of three systems as they are stored, some of them missing."""
    random = np.random.default_rng(7)
    values = (random.random((1045, 1)) + random.random((1045, 3)) / 2).astype(np.float32)
    values[:, 2] += np.float32(0.02)
    values[::9, 1] = np.nan
    return values.astype(np.float64)


def test_published_numbers_stay_the_same_however_they_are_computed() -> None:
    """Draws, p-values, intervals and ranks of fixed scores, as they were on 25 November 2026."""
    values = made_up()
    gain = values[:, 2] - values[:, 0]
    found = paired_difference(gain, resampled_means(gain[:, None])[:, 0])
    assert (found.wins, found.losses) == (581, 464)
    assert found.p_value == 2 / 10_001
    assert (found.interval.low, found.interval.high) == (0.014348769298, 0.03845772787)
    draws = resampled_means(values, resamples=4000)
    none, two = 2 / 4001, 0.23444138965258685
    assert p_values(draws, values).tolist() == [[1, two, none], [two, 1, none], [none, none, 1]]
    drawn = ranks(draws)
    assert rank_intervals(drawn).tolist() == [[2, 3], [2, 3], [1, 1]]
    assert rank_probabilities(drawn).tolist() == [
        [0, 0.839, 0.161],
        [0, 0.161, 0.839],
        [1, 0, 0],
    ]
