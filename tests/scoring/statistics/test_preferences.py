"""Strengths from comparisons by twos, and shares of comparisons that come in groups."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from scoring.statistics import (
    Floats,
    bradley_terry,
    grouped_share_interval,
    strength_intervals,
)

TABLES = st.integers(2, 5).flatmap(
    lambda systems: arrays(np.float64, (systems, systems), elements=st.integers(0, 20)).map(
        lambda wins: wins * (1 - np.eye(systems))
    )
)


def chance(strengths: Floats) -> Floats:
    """Probability that the first is preferred to the second, for every two."""
    return np.asarray(1 / (1 + np.exp(strengths[None, :] - strengths[:, None])))


def test_what_was_drawn_from_known_strengths_gives_them_back() -> None:
    truth = np.array([1.2, 0.4, 0.0, -0.5, -1.1])
    random = np.random.default_rng(4)
    wins = np.zeros((20, 5, 5))
    for table in wins:
        for one in range(5):
            for other in range(one + 1, 5):
                won = random.binomial(1000, chance(truth)[one, other])
                table[one, other], table[other, one] = won, 1000 - won
    strengths = bradley_terry(wins)
    assert strengths.mean(axis=0) == pytest.approx(truth, abs=0.03)
    assert np.abs(strengths - truth).max() < 0.2


def test_expected_wins_give_exactly_the_strengths_without_a_prior_to_speak_of() -> None:
    truth = np.array([0.9, 0.1, -1.0])
    wins = 100 * chance(truth) * (1 - np.eye(3))
    assert bradley_terry(wins, prior=1e-9) == pytest.approx(truth, abs=1e-6)


def test_two_systems_have_a_closed_form() -> None:
    """Without a prior the odds of two are those of their wins."""
    strengths = bradley_terry(np.array([[0.0, 30.0], [10.0, 0.0]]), prior=1e-9)
    assert strengths[0] - strengths[1] == pytest.approx(math.log(3), abs=1e-6)


@given(TABLES)
def test_it_is_the_maximum_that_a_general_optimiser_finds(wins: Floats) -> None:
    compared = (wins + wins.T).sum(axis=1) > 0
    if compared.sum() < 2:
        return
    kept = wins[np.ix_(compared, compared)]

    def loss(strengths: Any) -> float:
        gaps = strengths[:, None] - strengths[None, :]
        prior = 0.5 * (np.logaddexp(0, -strengths) + np.logaddexp(0, strengths)).sum()
        return float((kept * np.logaddexp(0, -gaps)).sum() + prior)

    found = minimize(loss, np.zeros(len(kept)), tol=1e-12).x
    assert bradley_terry(wins)[compared] == pytest.approx(found - found.mean(), abs=1e-3)


@given(TABLES, st.randoms())
def test_the_order_of_systems_does_not_matter(wins: Floats, random: Any) -> None:
    order = list(range(len(wins)))
    random.shuffle(order)
    again = bradley_terry(wins[np.ix_(order, order)])
    assert again == pytest.approx(bradley_terry(wins)[order], abs=1e-7, nan_ok=True)


@given(TABLES)
def test_who_wins_turned_round_turns_the_strengths_round(wins: Floats) -> None:
    assert bradley_terry(wins.T) == pytest.approx(-bradley_terry(wins), abs=1e-7, nan_ok=True)


@given(TABLES)
def test_many_tables_at_once_are_as_each_alone(wins: Floats) -> None:
    both = bradley_terry(np.stack([wins, wins.T]))
    assert both[0] == pytest.approx(bradley_terry(wins), abs=1e-7, nan_ok=True)
    assert both[1] == pytest.approx(bradley_terry(wins.T), abs=1e-7, nan_ok=True)


def test_who_never_lost_is_finite_and_first() -> None:
    wins = np.array([[0.0, 9, 9], [0, 0, 5], [0, 5, 0]])
    strengths = bradley_terry(wins)
    assert np.isfinite(strengths).all()
    assert strengths[0] > strengths[1] == pytest.approx(strengths[2])


def test_groups_that_were_never_compared_each_stand_around_0() -> None:
    wins = np.zeros((4, 4))
    wins[0, 1], wins[1, 0], wins[2, 3], wins[3, 2] = 300, 100, 300, 100
    strengths = bradley_terry(wins)
    assert strengths[[0, 2]] == pytest.approx(strengths[[2, 0]])
    assert strengths[0] + strengths[1] == pytest.approx(0, abs=1e-6)


def test_who_was_not_compared_has_no_strength() -> None:
    strengths = bradley_terry(np.array([[0.0, 3, 0], [1, 0, 0], [0, 0, 0]]))
    assert np.isnan(strengths).tolist() == [False, False, True]
    assert np.isnan(bradley_terry(np.zeros((2, 2)))).all()
    assert bradley_terry(np.zeros((0, 0))).shape == (0,)


@pytest.mark.parametrize("prior", [0.0, -1.0])
def test_no_prior_is_refused(prior: float) -> None:
    with pytest.raises(ValueError, match="more than 0"):
        bradley_terry(np.ones((2, 2)), prior=prior)


def test_even_votes_make_even_strengths_with_an_interval_around_them() -> None:
    ties = np.tile(0.5 * (1 - np.eye(3)), (40, 1, 1))
    assert bradley_terry(ties.sum(axis=0)) == pytest.approx(np.zeros(3))
    (first, *_) = strength_intervals(ties)
    assert (first.low, first.high) == (0, 0)


def test_the_interval_holds_the_strength_and_narrows_with_more_clips() -> None:
    truth, random = np.array([0.6, 0.0, -0.6]), np.random.default_rng(1)
    widths = []
    for clips in (30, 480):
        wins = np.zeros((clips, 3, 3))
        for table in wins:
            one, other = random.permutation(3)[:2]
            won = random.random() < chance(truth)[one, other]
            table[(one, other) if won else (other, one)] = 1
        strengths, intervals = bradley_terry(wins.sum(axis=0)), strength_intervals(wins)
        assert all(
            row.low <= value <= row.high for row, value in zip(intervals, strengths, strict=True)
        )
        widths.append(intervals[0].high - intervals[0].low)
    assert widths[1] < widths[0] / 2


def test_one_clip_gives_no_interval() -> None:
    (row, _) = strength_intervals(np.ones((1, 2, 2)))
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


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6)), min_size=1, max_size=40))
def test_the_names_of_groups_do_not_matter(rows: list[tuple[int, int]]) -> None:
    successes = np.array([row[0] for row in rows], np.float64)
    groups = np.array([row[1] for row in rows])
    one = grouped_share_interval(successes, groups, resamples=50)
    other = grouped_share_interval(successes, groups * 7 - 3, resamples=50)
    assert [one.low, one.high] == pytest.approx([other.low, other.high], nan_ok=True)
