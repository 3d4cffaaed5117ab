"""Errors of captioning systems: each rule does what its name says, and a change is a change."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.train.fluency import system_errors
from scoring.train.fluency.synthetic_errors import TaggedWords
from scoring.train.fluency.system_errors import (
    MAKERS,
    ErrorMaker,
    ErrorMaterial,
    system_error,
)

CAPTION = TaggedWords(
    ("a", "dog", "barks", "and", "rain", "falls", "on", "a", "roof"),
    ("DET", "NOUN", "VERB", "CCONJ", "NOUN", "VERB", "ADP", "DET", "NOUN"),
)
OTHER = TaggedWords(("wind", "blows"), ("NOUN", "VERB"))
FORMS = {"barks": ("barking",), "falls": ("falling",), "speaking": ("speaks",)}
MATERIAL = ErrorMaterial(CAPTION, OTHER, FORMS)


def results(make: ErrorMaker, material: ErrorMaterial = MATERIAL) -> set[str]:
    """All that a rule makes of a caption over many seeds."""
    made = (make(material, np.random.default_rng(seed)) for seed in range(80))
    return {" ".join(words) for words in made if words is not None}


@pytest.mark.parametrize(
    "make",
    [system_errors.shuffle, system_errors.shuffle_some, system_errors.swap, system_errors.move],
)
def test_words_out_of_order_are_the_same_words(make: ErrorMaker) -> None:
    for text in results(make):
        assert Counter(text.split()) == Counter(CAPTION.words)


def test_one_word_is_missing() -> None:
    whole = " ".join(CAPTION.words)
    assert results(system_errors.drop_verb) == {whole.replace("falls ", "")}
    assert results(system_errors.drop_function_word) == {
        whole.removeprefix("a "),
        whole.replace("and ", ""),
        whole.replace("on ", ""),
        whole.replace(" a roof", " roof"),
    }


def test_end_is_cut_after_a_function_word_or_before_the_last() -> None:
    assert results(system_errors.cut_end) == {
        "a dog barks and",
        "a dog barks and rain falls on",
        "a dog barks and rain falls on a",
    }


def test_events_of_two_clips_run_on() -> None:
    made = results(system_errors.run_on)
    assert "a dog barks wind blows" in made
    assert not any(" and " in f" {text} " for text in made)


def test_participle_has_the_wrong_form() -> None:
    told = TaggedWords(
        ("rain", "is", "falling", "followed", "by", "a", "man", "speaking"),
        ("NOUN", "AUX", "VERB", "VERB", "ADP", "DET", "NOUN", "VERB"),
    )
    made = results(system_errors.wrong_form, ErrorMaterial(told, OTHER, FORMS))
    assert made == {"rain is falling followed by a man speaks"}


tagged_words = st.lists(
    st.tuples(
        st.sampled_from(["a", "and", "dog", "rain", "barks", "loudly", "followed", "by", "in"]),
        st.sampled_from(["DET", "NOUN", "VERB", "ADV", "ADP", "CCONJ", "ADJ"]),
    ),
    min_size=1,
    max_size=10,
)


@given(tagged_words, tagged_words, st.integers(0, 2**32))
def test_altered_differs_and_is_an_error(
    caption: list[tuple[str, str]], other: list[tuple[str, str]], seed: int
) -> None:
    one, two = (
        TaggedWords(tuple(w for w, _ in rows), tuple(p for _, p in rows))
        for rows in (caption, other)
    )
    material = ErrorMaterial(one, two, FORMS)
    made = system_error(material, np.random.default_rng(seed))
    for make, _, _ in MAKERS:
        make(material, np.random.default_rng(seed))
    if made is None:
        return
    text, source, labels = made
    assert text
    assert source.startswith(one.text)
    assert tuple(text.split()) != one.words
    assert labels[-1] == 1
    assert sum(labels[:-1]) <= 1
