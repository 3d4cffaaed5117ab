"""Figures of sets of captions: counted by hand, and against every choice where that is possible."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.datasets.describing import (
    SIZES,
    describe_captions,
    described_json,
    expected_words,
    similarity_across,
    similarity_within,
    word_counts,
)

CLIPS = [
    ["Rain falls on a roof.", "rain on a ROOF"],
    ["A dog barks", "A dog barks", "Dogs bark, far off"],
    ["Rain falls"],
]
WORDS = st.sampled_from("abcdef")
CAPTIONS = st.lists(st.lists(WORDS, max_size=4), min_size=1, max_size=6)


def test_words_are_counted_without_case_and_punctuation() -> None:
    found = describe_captions(CLIPS)
    assert (found.clips, found.captions, found.words, found.vocabulary) == (3, 6, 21, 11)
    # Of one caption: dogs, bark, far, off. Of one clip beside these: on, roof, dog, barks.
    assert (found.words_of_one_caption, found.words_of_one_clip) == (4, 8)
    assert found.captions_per_clip.counts == {1: 1, 2: 1, 3: 1}
    words = found.words_per_caption
    assert (words.mean, words.median, words.least, words.most) == (3.5, 3.5, 2, 5)
    assert words.counts == {2: 1, 3: 2, 4: 2, 5: 1}
    assert found.frequent_words[:3] == (("a", 4), ("rain", 3), ("barks", 2))


def test_the_order_of_clips_changes_nothing_but_what_is_drawn() -> None:
    one, other = (described_json(describe_captions(clips)) for clips in (CLIPS, CLIPS[::-1]))
    drawn = "similarity_across_clips"
    assert {**one, drawn: 0} == {**other, drawn: 0}


@given(CAPTIONS, st.data())
def test_expected_words_are_the_mean_over_every_choice(
    captions: list[list[str]], data: st.DataObject
) -> None:
    sample = data.draw(st.integers(0, len(captions)))
    found = expected_words(word_counts(captions).values(), len(captions), sample)
    choices = [len({w for c in chosen for w in c}) for chosen in combinations(captions, sample)]
    assert found == pytest.approx(sum(choices) / len(choices), abs=1e-9)


def test_growth_rises_to_the_whole_vocabulary() -> None:
    captions = [[f"word{n % 37} again{n}"] for n in range(60)]
    growth = describe_captions(captions).vocabulary_growth
    assert [size for size, _ in growth] == [*(size for size in SIZES if size < 60), 60]
    words = [count for _, count in growth]
    assert words == sorted(words)
    assert words[-1] == 97


def test_large_sets_overflow_nothing() -> None:
    assert expected_words([1] * 10, 1_000_000, 1_000) == pytest.approx(0.01, rel=1e-6)
    assert expected_words([1_000_000], 1_000_000, 1) == pytest.approx(1.0)


def test_similarity_weighs_every_clip_the_same() -> None:
    same, apart = [frozenset("ab")] * 3, [frozenset("a"), frozenset("b")]
    assert similarity_within([same, apart]) == 0.5
    assert similarity_within([[frozenset("a")]]) is None


def test_similarity_across_compares_different_clips_only() -> None:
    clips = [[frozenset("a")] * 3, [frozenset("b")] * 2, []]
    assert similarity_across(clips) == 0
    assert similarity_across(clips[:1]) is None
    assert similarity_across(clips, seed=1) == similarity_across(clips, seed=1)


def test_a_set_without_captions_is_refused() -> None:
    with pytest.raises(ValueError, match="no caption"):
        describe_captions([[]])
