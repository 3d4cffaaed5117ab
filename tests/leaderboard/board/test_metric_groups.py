"""Metrics in groups: every one in a group that readers know, none lost."""

import pytest

from leaderboard.selectors.board.columns import OTHER, group_of, grouped
from leaderboard.selectors.evaluations.progress import family_label
from scoring.registry import FAMILIES, METRICS


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_a_group(family: str) -> None:
    """A new family that nobody has put anywhere would stand under "Others"."""
    assert group_of(family) != OTHER


def test_nothing_is_lost_and_the_order_within_a_group_is_kept() -> None:
    found = dict(grouped(METRICS.values(), lambda info: info.family))
    assert sorted(info.name for group in found.values() for info in group) == sorted(METRICS)
    order = list(METRICS)
    for group in found.values():
        places = [order.index(info.name) for info in group]
        assert places == sorted(places)


def test_what_is_unknown_comes_last() -> None:
    assert list(dict(grouped(["new", "aces"], str))) == ["Descriptors", OTHER]


@pytest.mark.parametrize(
    ("family", "label"),
    [
        ("bleu", "BLEU-1 to BLEU-4"),
        ("cb", "CB-score and CB recall"),
        ("sbf", "SBF"),  # the family's own metric names it, not the first of its parts
        ("meteor", "METEOR"),
        ("gone", "gone"),
    ],
)
def test_families_have_a_short_name(family: str, label: str) -> None:
    assert family_label(family) == label
