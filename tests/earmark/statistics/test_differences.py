"""Paired tests: p-values and intervals that say the same, exact levels, rates near 0."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from earmark.results import Interval
from earmark.statistics import (
    difference_interval,
    p_values,
    paired_difference,
    paired_differences,
    rate_interval,
    resampled_means,
    subset_weights,
    tied_pairs,
    ties_of,
    two_sided_p_value,
    wilson_interval,
)

Floats = np.ndarray
# Whole numbers, so that draws are equal often; NaN for subsets without a clip.
DRAWS = st.integers(1, 500).flatmap(
    lambda size: st.builds(
        lambda seed, spread, shift, empty: drawn(size, seed, spread, shift, empty),
        st.integers(0, 10**6),
        st.integers(1, 60),
        st.integers(-60, 60),
        st.sampled_from([0.0, 0.02]),
    )
)


def drawn(size: int, seed: int, spread: int, shift: int, empty: float) -> Floats:
    random = np.random.default_rng(seed)
    draws = random.integers(-spread, spread + 1, size) + float(shift)
    draws[random.random(size) < empty] = np.nan
    return draws


def compared(
    gain: Floats, resamples: int = 4000, *, rate: bool = False
) -> tuple[float, tuple[float, float]]:
    draws = resampled_means(gain[:, None], resamples=resamples)[:, 0]
    found = paired_difference(gain, draws, rate=rate)
    return found.p_value, (found.interval.low, found.interval.high)


@given(DRAWS)
def test_significant_exactly_where_the_interval_leaves_out_zero(draws: Floats) -> None:
    """At every number of resamples; no interval leaves out nothing."""
    interval = difference_interval(draws)
    outside = interval.low > 0 or interval.high < 0
    assert (two_sided_p_value(draws) < 0.05) == outside


@given(DRAWS, st.integers(-120, 120))
def test_the_interval_holds_the_values_that_are_not_rejected(draws: Floats, value: int) -> None:
    interval = difference_interval(draws)
    if math.isnan(interval.low):
        assert two_sided_p_value(draws - value) >= 0.05 or draws.size < 1
    else:
        held = interval.low <= value <= interval.high
        assert held == (two_sided_p_value(draws - value) >= 0.05)


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=60))
def test_rates_too_are_significant_exactly_where_the_interval_leaves_out_zero(
    gains: list[float],
) -> None:
    p_value, (low, high) = compared(np.array(gains), resamples=400, rate=True)
    assert (p_value < 0.05) == (low > 0 or high < 0)
    assert not low > np.mean(gains)
    assert not high < np.mean(gains)


@given(st.integers(0, 1000), st.tuples(st.booleans(), st.booleans()))
def test_all_metrics_are_compared_as_each_alone(seed: int, higher: tuple[bool, bool]) -> None:
    random = np.random.default_rng(seed)
    one, other = random.random((2, 12, 2)).round(1)
    one[:, 1], other[:, 1] = one[:, 1].round(), other[:, 1].round()
    one[random.random(12) < 0.1, 0] = np.nan
    forth = paired_differences(one, other, higher)
    back = paired_differences(other, one, higher)
    for place, found in enumerate(forth):
        gain = (one - other)[:, place] * (1 if higher[place] else -1)
        p_value, ends = compared(gain, rate=place == 1)
        assert (found.p_value, found.interval) == (p_value, Interval(*ends))
        assert found.value == pytest.approx(np.nanmean(gain))
        assert found.p_value == back[place].p_value
        assert found.winner == {0: 1, 1: 0, None: None}[back[place].winner]


@given(st.integers(6, 10), st.integers(0, 1000))
def test_it_is_the_permutation_test(clips: int, seed: int) -> None:
    """All swaps of the two systems on some of the clips, counted out; ties count half."""
    gain = np.random.default_rng(seed).normal(0.5, 1, clips).round(1)
    swapped = np.array(list(product([-1, 1], repeat=clips))) @ gain
    above = (swapped > gain.sum() + 1e-9).mean()
    level = (np.abs(swapped - gain.sum()) < 1e-9).mean()
    expected = 2 * min(above + level / 2, 1 - above - level / 2)
    assert compared(gain)[0] == pytest.approx(expected, abs=0.035)


def test_many_clips_give_the_t_test() -> None:
    gain = np.random.default_rng(2).normal(0.04, 0.5, 1000)
    p_value, (low, high) = compared(gain, resamples=40_000)
    expected = stats.ttest_1samp(gain, 0)
    ends = expected.confidence_interval()
    assert p_value == pytest.approx(expected.pvalue, abs=0.005)
    assert (low, high) == pytest.approx((ends.low, ends.high), abs=1e-3)


@pytest.mark.parametrize("clips", [20, 50])
def test_equal_systems_differ_on_one_corpus_in_twenty(clips: int) -> None:
    """Scores mostly 0 and seldom high, as BLEU-4 of clips: .11 by the bootstrap at 20 clips."""
    random = np.random.default_rng(clips)
    scores = np.where(
        random.random((2, clips, 2000)) < 0.7, 0.0, random.beta(1, 3, (2, clips, 2000))
    )
    gains = scores[0] - scores[1]
    draws = resampled_means(gains, resamples=1000)
    share = np.mean([two_sided_p_value(column) < 0.05 for column in draws.T])
    assert 0.035 < share < 0.062


def test_two_rates_of_nothing_may_still_differ() -> None:
    p_value, (low, high) = compared(np.zeros(50), rate=True)
    assert p_value == 1
    assert -high == low == pytest.approx(-wilson_interval(0, 50).high)
    assert compared(np.zeros(50))[1] == (0, 0), "the same captions"


def test_means_are_those_of_the_clips_drawn() -> None:
    values = np.random.default_rng(3).random((90, 2))
    (weights,) = subset_weights(90, resamples=300, seed=5)
    assert set(np.unique(weights)) == {0.0, 1.0}
    assert weights.mean() == pytest.approx(0.5, abs=0.02)
    expected = weights @ values / weights.sum(axis=1, keepdims=True)
    assert resampled_means(values, resamples=300, seed=5) == pytest.approx(expected)


def test_fewer_than_five_clips_give_no_interval() -> None:
    assert math.isnan(compared(np.array([0.3, 0.4, 0.5, 0.6]))[1][0])
    assert compared(np.array([0.3, 0.4, 0.5, 0.6]))[0] > 0.05
    assert compared(np.array([0.3, 0.4, 0.5, 0.6, 0.7]))[1][0] > 0


def with_gaps(seed: int) -> Floats:
    """Three systems; the second lacks values of the easy clips, on which all are equal else."""
    random = np.random.default_rng(seed)
    easy = np.arange(60) < 20
    values = np.where(easy[:, None], 0.9, 0.2) + random.normal(0, 0.02, (60, 1))
    values = np.repeat(values, 3, axis=1) + random.normal(0, 0.02, (60, 3))
    values[easy, 1] = np.nan
    return values


def test_pairs_are_compared_on_the_clips_that_both_have() -> None:
    values = with_gaps(2)
    draws = resampled_means(values, resamples=2000)
    # By its own clips, all hard, the second seems far worse than both.
    by_own_clips = ties_of(p_values(draws))
    assert by_own_clips[0].tolist() == [True, False, True]
    assert by_own_clips[1].tolist() == [False, True, False]
    found = p_values(draws, values)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        gain = values[:, one] - values[:, other]
        assert found[one, other] == pytest.approx(compared(gain, resamples=2000)[0], abs=1e-9)
    assert (tied_pairs(draws, values) == ties_of(found)).all()
    assert ties_of(found).all()


def test_systems_that_share_no_clip_are_tied() -> None:
    values = np.array([[0.1, np.nan], [np.nan, 0.9]] * 20)
    draws = resampled_means(values, resamples=200)
    assert p_values(draws, values)[0, 1] == 1


@given(st.integers(0, 80), st.integers(0, 80))
def test_a_rates_interval_holds_it_and_is_wilsons_or_wider(hits: int, misses: int) -> None:
    trials = hits + misses
    if not trials:
        assert math.isnan(rate_interval(0, 0).low)
        return
    ours, wilson = rate_interval(hits, trials), wilson_interval(hits, trials)
    assert 0 <= ours.low <= wilson.low <= hits / trials <= wilson.high <= ours.high <= 1
    turned = rate_interval(misses, trials)
    assert (1 - turned.high, 1 - turned.low) == pytest.approx((ours.low, ours.high))


@pytest.mark.parametrize("clips", [50, 54, 73, 100, 129, 400])
def test_a_rates_interval_covers_every_rate_to_within_two_points(clips: int) -> None:
    """Exactly, by the binomial distribution; never below, and on average within one."""
    counts = np.arange(clips + 1)
    low, high = np.array(
        [(i.low, i.high) for i in (rate_interval(int(n), clips) for n in counts)]
    ).T

    def coverage(rates: Floats) -> Floats:
        held = (low <= rates[:, None]) & (rates[:, None] <= high)
        return np.asarray((stats.binom.pmf(counts, clips, rates[:, None]) * held).sum(axis=1))

    # Coverage falls right below a low end and right above a high one.
    ends = np.concatenate([low - 1e-9, high + 1e-9])
    assert coverage(ends[(ends > 0) & (ends < 1)]).min() > 0.93
    assert coverage(np.linspace(0.0005, 0.9995, 1000)).mean() == pytest.approx(0.95, abs=0.01)
