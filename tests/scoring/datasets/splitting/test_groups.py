"""Clips that stay together: joined sets and near-equal captions, beside brute force."""

from fractions import Fraction
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from scoring.datasets.splitting.groups import joined_groups
from scoring.datasets.splitting.near_equal import near_equal_clips
from tests.scoring.datasets.splitting.random_clips import clips


@given(st.integers(1, 12), st.data())
def test_groups_are_the_parts_that_are_joined(count: int, data: st.DataObject) -> None:
    places = st.lists(st.integers(0, count - 1), min_size=1, max_size=4)
    sets = data.draw(st.lists(places, max_size=6))
    groups = joined_groups(count, sets).tolist()
    reached = {place: {place} for place in range(count)}
    for _ in range(count):
        for members in sets:
            joined = set().union(*(reached[place] for place in members))
            for place in joined:
                reached[place] = reached[place] | joined
    for one, other in combinations(range(count), 2):
        assert (groups[one] == groups[other]) == (other in reached[one])
    firsts = [groups.index(group) for group in range(max(groups) + 1)]
    assert firsts == sorted(firsts), "groups are numbered by their first clips"


SIMILARITIES = st.sampled_from([Fraction(1), Fraction(9, 10), Fraction(3, 4), Fraction(1, 2)])


@given(clips, SIMILARITIES)
def test_every_near_equal_pair_is_found_and_no_other(
    texts: list[list[str]], similarity: Fraction
) -> None:
    found = {
        pair
        for places in near_equal_clips(texts, similarity)
        for pair in combinations(sorted(set(places)), 2)
    }
    sets = [[set(text.split()) for text in captions] for captions in texts]
    near = {
        (one, other)
        for one, other in combinations(range(len(texts)), 2)
        if any(
            Fraction(len(a & b), len(a | b)) >= similarity for a in sets[one] for b in sets[other]
        )
    }
    assert found == near


def test_case_punctuation_and_order_make_no_difference() -> None:
    texts = [["A dog barks, twice."], ["twice a dog BARKS"], ["a dog barks"], ["..."], ["!"]]
    assert list(near_equal_clips(texts, Fraction(1))) == [(0, 1)]


def test_one_word_more_is_near_equal_in_a_long_caption() -> None:
    long = "a man walks over the wet gravel in front of some large house"
    assert list(near_equal_clips([[long], [f"{long} slowly"]], Fraction(9, 10))) == [(1, 0)]
    assert list(near_equal_clips([["a dog"], ["a dog barks"]], Fraction(9, 10))) == []
