"""Agreement of judges: alpha against published values, and each against the others."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement.captions import Caption, Labelling
from annotation.agreement.choices import PairVotes, choices_alpha, judges_against_others
from annotation.agreement.tables import alpha, coincidences, ordinal_alpha
from tests.annotation.agreement.test_agreement import TABLE

VOTES = st.lists(
    st.builds(
        PairVotes,
        st.integers(0, 5),
        st.dictionaries(st.integers(1, 4), st.sampled_from([1, 0, -1]), min_size=1),
    ),
    max_size=25,
)


def test_alpha_is_as_published() -> None:
    units = [
        Caption(
            at,
            ("",),
            {str(who): Labelling((str(n),), frozenset()) for who, n in enumerate(unit) if n},
        )
        for at, unit in enumerate(TABLE)
    ]
    table = coincidences(units, tuple("12345")).sum(axis=0)
    assert alpha(table) == pytest.approx(0.743, abs=5e-4)
    assert ordinal_alpha(table) == pytest.approx(0.815, abs=5e-4)


def turned(pairs: list[PairVotes]) -> list[PairVotes]:
    return [
        PairVotes(pair.clip, {judge: -vote for judge, vote in pair.votes.items()}) for pair in pairs
    ]


@given(VOTES, st.booleans(), st.randoms())
def test_alpha_depends_neither_on_sides_nor_on_any_order(
    pairs: list[PairVotes], ordinal: bool, random: Any
) -> None:
    one = choices_alpha(pairs, ordinal=ordinal)
    shuffled = list(pairs)
    random.shuffle(shuffled)
    for other in (
        choices_alpha(turned(pairs), ordinal=ordinal),
        choices_alpha(shuffled, ordinal=ordinal),
    ):
        assert (one.value is None) == (other.value is None)
        if one.value is not None:
            assert other.value == pytest.approx(one.value)
            assert one.value <= 1


def test_each_judge_stands_against_the_majority_of_the_others() -> None:
    pairs = [
        PairVotes(0, {1: 1, 2: 1, 3: -1}),  # 3 against 1 and 2; of 1 and 2 the others are split
        PairVotes(1, {1: 0, 2: 1, 3: 1}),  # alike is no side
        PairVotes(2, {1: 1, 2: 0, 3: 0}),
    ]
    rows = {row.judge: row for row in judges_against_others(pairs)}
    assert (rows[1].answers, rows[1].agreed, rows[1].pairs) == (3, 0, 1)
    assert (rows[2].agreed, rows[2].pairs) == (1, 2)
    assert (rows[3].agreed, rows[3].pairs) == (1, 3)
    assert rows[1].share == 0
    assert judges_against_others([PairVotes(0, {7: 1})])[0].share is None


@given(VOTES)
def test_counts_hold_together(pairs: list[PairVotes]) -> None:
    rows = judges_against_others(pairs)
    assert sum(row.answers for row in rows) == sum(len(pair.votes) for pair in pairs)
    assert all(0 <= row.agreed <= row.pairs <= row.answers for row in rows)
    assert [row.judge for row in rows] == sorted({judge for pair in pairs for judge in pair.votes})
    assert rows == judges_against_others(turned(pairs))
    assert np.isfinite([row.share for row in rows if row.share is not None]).all()
