"""Pairs that are drawn: of every kind, spread evenly, never of equal captions, never twice."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.kinds.judge.drawing import (
    FACETS,
    DrawableClip,
    DrawnPair,
    NotEnoughPairs,
    draw_pairs,
    facet_counts,
    folded,
    pair_key,
)

SYSTEMS = ("ant", "bee", "cow", "doe")


def clip(position: int) -> DrawableClip:
    return DrawableClip(
        position,
        tuple(f"person {number} hears sound {position}" for number in range(5)),
        tuple(f"{system} hears sound {position}" for system in SYSTEMS),
    )


CLIPS = [clip(position) for position in range(20)]


def source_of(pair: DrawnPair, at: int) -> str:
    source = pair.sources[at]
    if "system" in source:
        return "machine"
    return "own" if source["clip"] == pair.position else "other"


def test_every_kind_compares_what_its_name_says() -> None:
    pairs = draw_pairs(CLIPS, SYSTEMS, dict.fromkeys(FACETS, 10), seed=1)
    wanted = {
        "HC": ["own", "own"],
        "HI": ["other", "own"],
        "HM": ["machine", "own"],
        "MM": ["machine", "machine"],
    }
    assert Counter(pair.facet for pair in pairs) == dict.fromkeys(FACETS, 10)
    for pair in pairs:
        assert sorted(source_of(pair, at) for at in (0, 1)) == wanted[pair.facet]
        for text, source in zip(pair.captions, pair.sources, strict=True):
            if "system" in source:
                own = CLIPS[pair.position].captions[SYSTEMS.index(source["system"])]
            else:
                own = CLIPS[source["clip"]].references[source["reference"]]
            assert text == own
    # Either may come first.
    assert 5 < sum("system" in pair.sources[0] for pair in pairs if pair.facet in "HI HM") < 25


def test_clips_systems_and_pairs_of_systems_are_used_evenly() -> None:
    pairs = draw_pairs(CLIPS, SYSTEMS, {"HC": 10, "HI": 10, "HM": 40, "MM": 60}, seed=3)
    clips = Counter(pair.position for pair in pairs)
    assert len(clips) == len(CLIPS)
    assert max(clips.values()) - min(clips.values()) <= 2
    machines = [
        tuple(sorted(source["system"] for source in pair.sources if "system" in source))
        for pair in pairs
    ]
    counts = Counter(machines)
    assert {counts[one,] for one in SYSTEMS} == {10}
    assert {counts[two] for two in combinations(SYSTEMS, 2)} == {10}


def test_captions_that_are_equal_but_for_case_and_points_are_never_paired() -> None:
    same = DrawableClip(
        0, ("Rain falls.", "rain falls", "rain  FALLS!"), ("rain falls", "Rain, falls")
    )
    other = DrawableClip(1, ("rain falls", "a dog barks"), ("a dog", "a cat"))
    with pytest.raises(NotEnoughPairs, match=r"Only 0 pairs of the kind HC.*1 are needed"):
        draw_pairs([same], ("ant", "bee"), {"HC": 1}, seed=1)
    with pytest.raises(NotEnoughPairs):
        draw_pairs([same], ("ant", "bee"), {"MM": 1}, seed=1)
    (pair,) = draw_pairs([same, other], ("ant", "bee"), {"MM": 1}, seed=1)
    assert pair.position == 1
    # A person's caption of another clip is none that somebody gave this one, too.
    with pytest.raises(NotEnoughPairs, match="Only 1 pairs"):
        draw_pairs([same, other], (), {"HI": 2}, seed=1)
    (pair,) = draw_pairs([same, other], (), {"HI": 1}, seed=1)
    assert "a dog barks" in pair.captions


def test_a_clip_with_one_reference_is_left_to_pairs_of_systems() -> None:
    """A reference is scored against the others, and there is none."""
    lone = DrawableClip(0, ("rain falls",), ("water", "a tap"))
    for facet in ("HC", "HI", "HM"):
        with pytest.raises(NotEnoughPairs):
            draw_pairs([lone], ("ant", "bee"), {facet: 1}, seed=1)
    assert len(draw_pairs([lone], ("ant", "bee"), {"MM": 1}, seed=1)) == 1


def test_another_draw_repeats_no_pair() -> None:
    first = draw_pairs(CLIPS, SYSTEMS, {"MM": 100}, seed=1)
    taken = frozenset(pair_key(pair.position, pair.captions) for pair in first)
    second = draw_pairs(CLIPS, SYSTEMS, {"MM": 20}, seed=1, taken=taken)
    assert not taken & {pair_key(pair.position, pair.captions) for pair in second}
    with pytest.raises(NotEnoughPairs, match="Only 20 pairs"):
        draw_pairs(CLIPS, SYSTEMS, {"MM": 21}, seed=1, taken=taken)


@given(
    seed=st.integers(0, 2**31),
    captions=st.lists(
        st.lists(st.sampled_from("abcde. A,B"), min_size=1, max_size=4).map("".join),
        min_size=4,
        max_size=20,
    ),
    count=st.integers(0, 6),
)
def test_whatever_the_captions_are_pairs_differ_and_come_again_by_their_seed(
    seed: int, captions: list[str], count: int
) -> None:
    rows = [captions[at : at + 4] for at in range(0, len(captions) - 3, 4)]
    clips = [
        DrawableClip(at, tuple(dict.fromkeys(row[:2])), tuple(row[2:]))
        for at, row in enumerate(rows)
    ]
    counts = dict.fromkeys(FACETS, count)
    try:
        pairs = draw_pairs(clips, ("ant", "bee"), counts, seed=seed)
    except NotEnoughPairs:
        return
    assert pairs == draw_pairs(clips, ("ant", "bee"), counts, seed=seed)
    keys = [pair_key(pair.position, pair.captions) for pair in pairs]
    assert len(set(keys)) == len(keys) == 4 * count
    for pair in pairs:
        assert folded(pair.captions[0]) != folded(pair.captions[1])


@given(total=st.integers(0, 5000), facets=st.sets(st.sampled_from(FACETS), min_size=1))
def test_counts_add_up_and_leave_no_kind_out(total: int, facets: set[str]) -> None:
    counts = facet_counts(total, sorted(facets))
    assert sum(counts.values()) == total
    assert set(counts) == facets
    if total >= len(facets):
        assert min(counts.values()) >= 1


def test_counts_are_in_the_proportions_of_the_benchmark() -> None:
    """AudioCaps-Eval has one pair of each kind and five of two machines of a clip."""
    assert facet_counts(804, FACETS) == {"HC": 101, "HI": 101, "HM": 101, "MM": 501}
