"""Counting descriptors: what is counted, in any order, of any captions."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.results import Interval
from leaderboard.selectors.words.counts import (
    MEASURES,
    MOST_EXAMPLES,
    LabelledCaption,
    WordCounts,
    counts_of,
    labelled_caption,
)
from leaderboard.selectors.words.table import difference_intervals

LABELS = ("WHO", "HOW", "WHERE")
WORDS = st.builds(
    lambda text, label: {"text": text, "label": label},
    st.sampled_from(["dog", "rain", "barks", "far"]),
    st.sampled_from(["O", *LABELS]),
)
CAPTIONS = st.lists(st.lists(WORDS, max_size=8), max_size=12)


def words(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"text": text, "label": label} for text, label in pairs]


def numbered(captions: list[list[dict[str, str]]]) -> list[tuple[int, LabelledCaption]]:
    return [(number, labelled_caption(caption)) for number, caption in enumerate(captions, 1)]


def test_neighbours_with_one_label_are_one_span() -> None:
    said = labelled_caption(words(("a", "O"), ("big", "WHO"), ("dog", "WHO"), ("barks", "HOW")))
    assert said == (4, (("WHO", "big dog", 2), ("HOW", "barks", 1)))


def test_of_no_caption_there_is_no_share() -> None:
    assert [counts_of([]).share("WHO", measure) for measure in MEASURES] == [None] * 3


def plainly(captions: list[list[dict[str, str]]]) -> dict[str, tuple[int, int]]:
    """Count captions and words of each label straight from the words."""
    return {
        label: (
            sum(any(word["label"] == label for word in caption) for caption in captions),
            sum(word["label"] == label for caption in captions for word in caption),
        )
        for label in LABELS
    }


@given(CAPTIONS)
def test_counts_are_those_of_the_words_themselves(captions: list[list[dict[str, str]]]) -> None:
    counts = counts_of(numbered(captions))
    assert counts.words == sum(map(len, captions))
    assert "O" not in counts.labels
    for label, (having, long) in plainly(captions).items():
        found = counts.label(label)
        assert (found.captions, found.words) == (having, long)
        assert found.captions <= found.spans <= found.words
        assert sum(text.spans for text in found.texts.values()) == found.spans
        assert all(1 <= len(text.clips) <= MOST_EXAMPLES for text in found.texts.values())
    assert sum(one.spans for one in counts.labels.values()) == counts.spans
    # Clip by clip they add up to the same.
    whole = (counts.captions, counts.words, counts.spans)
    assert tuple(counts.clips.wholes.sum(axis=0)) == whole
    assert set(counts.clips.labels) == set(counts.labels)
    for label, rows in counts.clips.labels.items():
        one = counts.label(label)
        assert tuple(rows.sum(axis=0)) == (one.captions, one.words, one.spans)


def without_examples(counts: WordCounts) -> dict[str, Any]:
    return {
        label: (one.captions, one.words, one.spans, {t: c.spans for t, c in one.texts.items()})
        for label, one in counts.labels.items()
    }


@given(CAPTIONS, st.randoms(use_true_random=False))
def test_the_order_of_captions_changes_no_count(
    captions: list[list[dict[str, str]]], random: Any
) -> None:
    shuffled = list(captions)
    random.shuffle(shuffled)
    one, other = counts_of(numbered(captions)), counts_of(numbered(shuffled))
    assert without_examples(one) == without_examples(other)
    assert list(one.labels) == list(other.labels)


def test_a_difference_has_an_interval_over_clips_the_same_every_time() -> None:
    """All captions of a clip are drawn together, so that more references are no more clips."""
    dog, none = words(("dog", "WHO")), words(("dog", "O"))
    captions = [dog] * 60 + [none] * 40
    ours, theirs = counts_of(numbered(captions)), counts_of(numbered([none] * 30 + [dog] * 70))
    five = counts_of((number, said) for number, said in numbered(captions) for _ in range(5))
    intervals = difference_intervals((ours.clips,), theirs.clips, ("WHO",))[0]
    found = intervals["captions", "WHO"]
    assert intervals["words", "WHO"] == found, "every caption is one word"
    again = difference_intervals((five.clips,), theirs.clips, ("HOW", "WHO"))[0]
    assert again["captions", "WHO"] == found
    assert again["spans", "HOW"] == Interval(0, 0)
    difference = 0.6 - 0.7
    assert found.low < difference < 0 < found.high
    # On 30 clips they differ one way, on 40 the other, on 30 not at all.
    error = ((0.3 + 0.4 - difference**2) / 100) ** 0.5
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.05)
    nothing = counts_of([]).clips
    assert difference_intervals((nothing,), nothing, ()) == ({},)
    # A set that ends sooner has nothing on the clips behind.
    short = counts_of(numbered([dog])).clips
    of_one = difference_intervals((short,), theirs.clips, ("WHO",))[0]
    assert ("captions", "WHO") not in of_one, "one clip says nothing of others"
