"""Strengths from comparisons by twos, and shares of comparisons that come in groups."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from scipy.special import logsumexp

from earmark.statistics import (
    Floats,
    davidson,
    grouped_share_interval,
    rate_interval,
    strength_intervals,
)

SYSTEMS = 4
PAIRS = np.array([[0, 1], [2, 0], [1, 2], [3, 1], [2, 3]])
VOTES = arrays(np.float64, (len(PAIRS), 3), elements=st.integers(0, 20))


def chances(strengths: Floats, nu: float) -> Floats:
    """Davidson's probabilities of first, second and alike for each of ``PAIRS``, equation 2.1."""
    worth = np.exp(strengths)
    one, other = worth[PAIRS[:, 0]], worth[PAIRS[:, 1]]
    both = nu * np.sqrt(one * other)
    return np.asarray(np.stack([one, other, both], axis=1) / (one + other + both)[:, None])


def strengths_of(votes: Floats, **options: Any) -> Floats:
    return davidson(PAIRS, votes, SYSTEMS, **options).strengths


@pytest.mark.parametrize("nu", [0.2, 1.0, 3.0])
def test_what_was_drawn_from_known_strengths_gives_them_back(nu: float) -> None:
    truth = np.array([1.2, 0.2, -0.3, -1.1])
    random = np.random.default_rng(4)
    votes = random.multinomial(1000, chances(truth, nu), (20, len(PAIRS))).astype(float)
    found = davidson(PAIRS, votes, SYSTEMS)
    assert found.strengths.mean(axis=0) == pytest.approx(truth, abs=0.04)
    assert np.abs(found.strengths - truth).max() < 0.3
    assert found.alike == pytest.approx(nu / (2 + nu), abs=0.04)


def test_expected_votes_give_exactly_the_strengths_without_a_prior_to_speak_of() -> None:
    truth = np.array([0.9, 0.1, -1.0, 0.0])
    found = davidson(PAIRS, 100 * chances(truth, 0.7), SYSTEMS, prior=1e-9)
    assert found.strengths == pytest.approx(truth, abs=1e-6)
    assert found.alike == pytest.approx(0.7 / 2.7, abs=1e-6)


def test_how_many_are_alike_does_not_move_two_systems() -> None:
    """Without a prior the odds of two are those of their wins; half a win each would halve them."""
    two = np.array([[0, 1]])
    for alike in (0.0, 40.0, 400.0):
        votes = np.array([[30.0, 10.0, alike]])
        first, second = davidson(two, votes, 2, prior=1e-9).strengths
        assert first - second == pytest.approx(math.log(3), abs=1e-6)


@given(VOTES)
def test_it_is_the_maximum_that_a_general_optimiser_finds(votes: Floats) -> None:
    def loss(at: Any) -> float:
        one, other = at[PAIRS[:, 0]], at[PAIRS[:, 1]]
        terms = np.stack([(one - other) / 2, (other - one) / 2, np.full(len(PAIRS), at[-1])], 1)
        likely = (votes * (terms - logsumexp(terms, axis=1, keepdims=True))).sum()
        opponent = 0.5 * (np.logaddexp(0, -at[:-1]) + np.logaddexp(0, at[:-1])).sum()
        equals = np.logaddexp(math.log(2), at[-1])
        return float(opponent - likely + equals - 0.5 * at[-1])

    found = minimize(loss, np.zeros(SYSTEMS + 1), tol=1e-12).x
    got = davidson(PAIRS, votes, SYSTEMS)
    known = ~np.isnan(got.strengths)
    middle = found[:-1][known].mean() if known.any() else 0
    assert got.strengths[known] == pytest.approx(found[:-1][known] - middle, abs=1e-3)
    nu = math.exp(found[-1])
    assert got.alike == pytest.approx(nu / (2 + nu), abs=1e-3)


@given(VOTES, st.permutations(range(SYSTEMS)), st.permutations(range(len(PAIRS))))
def test_the_order_of_systems_and_of_pairs_does_not_matter(
    votes: Floats, systems: list[int], pairs: list[int]
) -> None:
    renamed = np.array(systems)[PAIRS][pairs]
    again = davidson(renamed, votes[pairs], SYSTEMS)
    assert again.strengths[systems] == pytest.approx(strengths_of(votes), abs=1e-7, nan_ok=True)


@given(VOTES)
def test_who_wins_turned_round_turns_the_strengths_round(votes: Floats) -> None:
    turned = strengths_of(votes[:, [1, 0, 2]])
    assert turned == pytest.approx(-strengths_of(votes), abs=1e-7, nan_ok=True)


@given(VOTES)
def test_many_tables_at_once_are_as_each_alone(votes: Floats) -> None:
    other = votes[:, [1, 0, 2]]
    both = davidson(PAIRS, np.stack([votes, other]), SYSTEMS)
    for at, alone in enumerate((votes, other)):
        expected = davidson(PAIRS, alone, SYSTEMS)
        assert both.strengths[at] == pytest.approx(expected.strengths, abs=1e-7, nan_ok=True)
        assert both.alike[at] == pytest.approx(expected.alike, abs=1e-7)


def test_who_never_lost_is_finite_and_first() -> None:
    votes = np.array([[9.0, 0, 0], [0, 9, 0], [5, 5, 0], [0, 0, 0], [0, 0, 0]])
    strengths = strengths_of(votes)
    assert np.isfinite(strengths[:3]).all()
    assert strengths[0] > strengths[1] == pytest.approx(strengths[2])


def test_groups_that_were_never_compared_each_stand_around_0() -> None:
    pairs = np.array([[0, 1], [2, 3]])
    strengths = davidson(pairs, np.tile([300.0, 100, 50], (2, 1)), 4).strengths
    assert strengths[[0, 2]] == pytest.approx(strengths[[2, 0]])
    assert strengths[0] + strengths[1] == pytest.approx(0, abs=1e-6)


def test_who_was_not_compared_has_no_strength() -> None:
    votes = np.array([[3.0, 1, 1], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
    assert np.isnan(strengths_of(votes)).tolist() == [False, False, True, True]
    assert np.isnan(strengths_of(np.zeros((len(PAIRS), 3)))).all()
    nothing = davidson(np.zeros((0, 2), np.int64), np.zeros((0, 3)), 0)
    assert nothing.strengths.shape == (0,)


@pytest.mark.parametrize("prior", [0.0, -1.0])
def test_no_prior_is_refused(prior: float) -> None:
    with pytest.raises(ValueError, match="more than 0"):
        strengths_of(np.ones((len(PAIRS), 3)), prior=prior)


def test_all_alike_make_even_strengths_with_an_interval_around_them() -> None:
    votes = np.tile([0.0, 0.0, 2.0], (40, len(PAIRS), 1))
    found = davidson(PAIRS, votes.sum(axis=0), SYSTEMS)
    assert found.strengths == pytest.approx(np.zeros(SYSTEMS))
    assert 0.99 < found.alike < 1
    (first, *_) = strength_intervals(PAIRS, votes, SYSTEMS)
    assert (first.low, first.high) == (0, 0)


def test_the_interval_holds_the_strength_and_narrows_with_more_clips() -> None:
    truth, random = np.array([0.6, 0.0, -0.6, 0.0]), np.random.default_rng(1)
    widths = []
    for clips in (30, 480):
        votes = np.zeros((clips, len(PAIRS), 3))
        for table in votes:
            pair = random.integers(len(PAIRS))
            table[pair] = random.multinomial(1, chances(truth, 1.0)[pair])
        strengths = strengths_of(votes.sum(axis=0))
        intervals = strength_intervals(PAIRS, votes, SYSTEMS)
        assert all(
            row.low <= value <= row.high for row, value in zip(intervals, strengths, strict=True)
        )
        widths.append(intervals[0].high - intervals[0].low)
    assert widths[1] < widths[0] / 2


def test_one_clip_gives_no_interval() -> None:
    (row, *_) = strength_intervals(PAIRS, np.ones((1, len(PAIRS), 3)), SYSTEMS)
    assert math.isnan(row.low)
    assert math.isnan(row.high)
    assert math.isnan(grouped_share_interval(np.ones(5), np.zeros(5, np.int64)).low)


def test_what_comes_together_widens_the_interval_of_a_share() -> None:
    """Ten comparisons of each clip that all say the same are worth one."""
    alone = np.tile(np.array([0.0, 1.0]), 20)
    apart = grouped_share_interval(alone, np.arange(40))
    together = grouped_share_interval(np.repeat(alone, 10), np.repeat(np.arange(40), 10))
    assert (apart.low, apart.high) == pytest.approx((together.low, together.high))
    assert apart.low < 0.5 < apart.high
    spread = grouped_share_interval(np.repeat(alone, 10), np.arange(400))
    assert spread.high - spread.low < 0.5 * (apart.high - apart.low)


@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
def test_the_interval_of_a_share_of_what_comes_together_covers_it(share: float) -> None:
    """Three comparisons of each of 60 clips, of which half say what their clip says."""
    random = np.random.default_rng(5)
    groups = np.repeat(np.arange(60), 3)
    held = []
    for _ in range(1500):
        of_clip, own = random.random(60) < share, random.random(180) < share
        successes = np.where(random.random(180) < 0.5, of_clip[groups], own)
        interval = grouped_share_interval(successes.astype(float), groups)
        held.append(interval.low <= share <= interval.high)
    assert 0.935 < np.mean(held) < 0.98


def test_all_alike_leave_a_share_open() -> None:
    """The rate of as many as there are clips; draws of the clips would say 1 to 1."""
    found = grouped_share_interval(np.ones(30), np.repeat(np.arange(10), 3))
    assert (found.low, found.high) == (rate_interval(10, 10).low, 1)
