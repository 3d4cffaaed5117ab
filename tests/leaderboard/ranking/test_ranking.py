"""Ranks: ties share, no value never ranks, and the order of the input does not matter."""

import math
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.registry import Direction
from leaderboard.models import Counting
from leaderboard.ranking import RankedEntry, RankingEntry, counting_entries, place, rounded
from tests.factories import NOW

values = st.one_of(
    st.none(),
    st.just(math.nan),
    st.floats(-10, 10),
    st.sampled_from([0.0, 0.1234, 0.1235, 0.12349, 0.5]),
)


@st.composite
def entry_lists(draw: st.DrawFn) -> list[RankingEntry[int]]:
    rows = draw(st.lists(st.tuples(values, st.integers(0, 4), st.integers(0, 3), st.booleans())))
    return [
        RankingEntry(
            key=number,
            team=team,
            value=value,
            submitted_at=NOW + timedelta(minutes=minutes),
            order=number,
            chosen=chosen,
        )
        for number, (value, team, minutes, chosen) in enumerate(rows)
    ]


def entry(
    key: str, value: float | None, *, team: str | None = None, minute: int = 0
) -> RankingEntry[str]:
    return RankingEntry(key, team or key, value, NOW + timedelta(minutes=minute), minute)


def ranks(placed: list[RankedEntry[str]]) -> list[tuple[str, int | None]]:
    return [(row.key, row.rank) for row in placed]


def test_ties_at_the_declared_precision_share_a_rank_and_the_next_one_is_left_out() -> None:
    rows = [entry("c", 0.20, minute=3), entry("a", 0.3001, minute=2), entry("b", 0.2999, minute=1)]
    assert ranks(place(rows, direction="higher", precision=3)) == [("b", 1), ("a", 1), ("c", 3)]
    assert ranks(place(rows, direction="higher", precision=4)) == [("a", 1), ("b", 2), ("c", 3)]


@given(entry_lists(), st.sampled_from(["higher", "lower"]), st.integers(0, 6), st.randoms())
def test_the_order_of_the_input_changes_nothing(
    rows: list[RankingEntry[int]], direction: Direction, precision: int, random: object
) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert place(rows, direction=direction, precision=precision) == place(
        shuffled, direction=direction, precision=precision
    )
    for counting in Counting:
        assert {
            row.key for row in counting_entries(rows, counting=counting, direction=direction)
        } == {row.key for row in counting_entries(shuffled, counting=counting, direction=direction)}


@given(entry_lists(), st.sampled_from(["higher", "lower"]), st.integers(0, 6))
def test_a_rank_is_one_more_than_the_number_of_better_systems(
    rows: list[RankingEntry[int]], direction: Direction, precision: int
) -> None:
    by_key = {row.key: row for row in rows}
    placed = place(rows, direction=direction, precision=precision)
    ranked = [row for row in placed if row.rank is not None]
    assert {row.key for row in placed} == set(by_key)
    for row in placed:
        value = by_key[row.key].value
        assert (row.rank is None) == (value is None or math.isnan(value))
    for row in ranked:
        better = sum(other.rank < row.rank for other in ranked)  # type: ignore[operator]
        assert row.rank == 1 + better
    signed = [by_key[row.key].value * (1 if direction == "higher" else -1) for row in ranked]  # type: ignore[operator]
    tolerance = 10.0**-precision
    assert all(a >= b - tolerance for a, b in pairwise(signed))


@pytest.mark.parametrize(
    ("counting", "kept"),
    [(Counting.BEST, "mid"), (Counting.LAST, "late"), (Counting.CHOSEN, "early")],
)
def test_the_rule_of_the_phase_says_which_submission_of_a_team_counts(
    counting: Counting, kept: str
) -> None:
    rows = [
        RankingEntry("early", "t", 0.1, NOW, 1, chosen=True),
        RankingEntry("mid", "t", 0.9, NOW + timedelta(1), 2),
        RankingEntry("late", "t", None, NOW + timedelta(2), 3),
    ]
    assert [row.key for row in counting_entries(rows, counting=counting, direction="higher")] == [
        kept
    ]


def test_a_team_that_chose_nothing_is_counted_by_its_latest() -> None:
    rows = [
        RankingEntry("early", "t", 0.9, NOW, 1),
        RankingEntry("late", "t", 0.1, NOW + timedelta(1), 2),
    ]
    kept = counting_entries(rows, counting=Counting.CHOSEN, direction="higher")
    assert [row.key for row in kept] == ["late"]


@given(entry_lists(), st.sampled_from(["higher", "lower"]), st.integers(0, 6))
def test_equals_at_the_precision_share_a_rank_and_the_next_rank_counts_them(
    rows: list[RankingEntry[int]], direction: Direction, precision: int
) -> None:
    by_key = {row.key: row for row in rows}
    placed = place(rows, direction=direction, precision=precision)
    ranked = [row for row in placed if row.rank is not None]
    for position, (one, other) in enumerate(pairwise(ranked), start=1):
        tied = rounded(by_key[one.key].value, precision) == rounded(
            by_key[other.key].value, precision
        )
        assert (one.rank == other.rank) is tied
        assert tied or other.rank == position + 1
    # What has no value stands behind everything that has one.
    assert [row.rank is None for row in placed] == sorted(row.rank is None for row in placed)


@given(entry_lists(), st.integers(0, 6))
def test_turning_values_and_direction_round_changes_no_rank(
    rows: list[RankingEntry[int]], precision: int
) -> None:
    turned = [replace(row, value=None if row.value is None else -row.value) for row in rows]
    assert place(rows, direction="higher", precision=precision) == place(
        turned, direction="lower", precision=precision
    )
