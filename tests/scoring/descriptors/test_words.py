"""Words and spans: what is labelled, and where it stands in the caption."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.models.descriptors import inventories, spans_of, words_of


def test_words_are_split_at_space_after_punctuation_is_removed() -> None:
    found = words_of(" A bird's song -- far-off, LOUD. ")
    assert [word.text for word in found] == ["a", "birds", "song", "faroff", "loud"]
    assert [(word.start, word.end) for word in found] == [
        (1, 2),
        (3, 9),
        (10, 14),
        (18, 25),
        (27, 31),
    ]


@given(st.text())
def test_words_are_those_of_the_cleaned_text_and_stand_where_they_say(caption: str) -> None:
    found = words_of(caption)
    # \s and str.split() differ on four separators; \s is what the definition removes by.
    cleaned = re.findall(r"\S+", re.sub(r"[^\w\s]", "", caption))
    assert [word.text for word in found] == [text.lower() for text in cleaned]
    for word in found:
        assert re.sub(r"[^\w\s]", "", caption[word.start : word.end]).lower() == word.text


def test_runs_of_one_label_are_one_span_and_o_is_dropped() -> None:
    words = ["the", "big", "dog", "barks", "loudly", "dog"]
    labels = ["O", "WHAT", "WHAT", "HOW", "HOW_PROPERTY", "WHAT"]
    found = spans_of(words, labels, [0.9, 0.8, 0.6, 0.5, 0.4, 1.0])
    assert [(s.first, s.last, s.label, s.text) for s in found] == [
        (1, 2, "WHAT", "big dog"),
        (3, 3, "HOW", "barks"),
        (4, 4, "HOW_PROPERTY", "loudly"),
        (5, 5, "WHAT", "dog"),
    ]
    assert found[0].confidence == pytest.approx(0.7)


@given(st.lists(st.sampled_from(["O", "WHO", "HOW"])))
def test_spans_give_back_the_labels(labels: list[str]) -> None:
    again = ["O"] * len(labels)
    for span in spans_of([""] * len(labels), labels):
        assert span.first <= span.last
        again[span.first : span.last + 1] = [span.label] * (span.last - span.first + 1)
    assert again == labels


def test_inventories_are_those_of_the_definition() -> None:
    # Wijngaard et al. 2024, table II
    thirteen = [
        *("WHO", "WHO_WHAT_PROPERTY", "WHAT", "HOW", "HOW_PROPERTY", "WHEN", "WHERE"),
        *("WHAT/WHERE", "SOUND_TYPE", "SOUND_PROPERTY", "NON_AUDITORY_SENSATION", "OTHER", "O"),
    ]
    assert list(inventories()["aces-13"]) == thirteen
    gone = {"WHO_WHAT_PROPERTY", "HOW_PROPERTY", "WHAT/WHERE"}
    assert list(inventories()["aces-10"]) == [label for label in thirteen if label not in gone]
