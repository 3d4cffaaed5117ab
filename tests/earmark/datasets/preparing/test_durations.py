"""Durations of the parts that are cut: as evenly spread as they can be, or as asked."""

from collections import Counter

import numpy as np
import pytest

from earmark.datasets.preparing import drawn_seconds


def drawn(
    cut: int, *, whole: tuple[float, ...] = (), shares: tuple[float, ...] = (1,)
) -> list[int]:
    """Durations in steps of 0.05 s from 1 to 2 s."""
    seconds = drawn_seconds(
        *(whole, cut),
        shortest=1,
        longest=2,
        shares=shares,
        draws=np.random.default_rng(3),
    )
    return [round(one / 0.05) for one in seconds]


def test_all_durations_have_the_highest_entropy() -> None:
    assert sorted(drawn(21)) == list(range(20, 41)), "each of 21 steps once"
    assert set(Counter(drawn(42)).values()) == {2}


def test_what_is_not_cut_counts_too() -> None:
    found = drawn(19, whole=(1.0, 1.98))
    assert sorted(found) == list(range(21, 40)), "1 and 2 s are taken"


def test_shares_are_proportions_of_bins() -> None:
    found = drawn(400, shares=(3, 0, 1, 0))
    counts = Counter((one - 20) // 5 for one in found)
    assert counts == pytest.approx({0: 300, 2: 100}, abs=3)
    assert 40 not in found, "the upper edge belongs to the last bin, which gets nothing"
