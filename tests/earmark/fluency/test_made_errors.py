"""Errors that a detector learns from: each rule does what its name says, and a change is one."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.train.fluency import synthetic_errors as synthetic
from earmark.train.fluency import system_errors as system
from earmark.train.fluency.synthetic_errors import Draft, ErrorRule, ErrorStyle, TaggedWords, alter
from earmark.train.fluency.system_errors import MAKERS, ErrorMaker, ErrorMaterial, system_error


def tagged(text: str, tags: str, *, lemmas: bool = False) -> TaggedWords:
    return TaggedWords(tuple(text.split()), tuple(tags.split()), lemmas)


CAPTION = tagged("a dog barks loudly and rain falls", "DET NOUN VERB ADV CCONJ NOUN VERB")
TOLD = tagged("a dog barks and rain falls on a roof", "DET NOUN VERB CCONJ NOUN VERB ADP DET NOUN")
FOLLOWED = tagged(
    "rain is falling followed by a man speaking", "NOUN AUX VERB VERB ADP DET NOUN VERB"
)
OTHER = tagged("wind blows", "NOUN VERB")
FORMS = {"barks": ("barking",), "falls": ("falling",), "speaking": ("speaks",)}
AS_NAMED = ErrorStyle(cut=0, inside=0)


def altered(
    rule: ErrorRule, style: ErrorStyle = AS_NAMED, caption: TaggedWords = CAPTION
) -> set[str]:
    """All that a rule for synthetic errors makes of a caption over many seeds."""
    found = set()
    for seed in range(40):
        attempt = Draft(caption, list(caption.words), list(caption.pos))
        assert rule(attempt, np.random.default_rng(seed), style)
        assert len(attempt.words) == len(attempt.pos)
        found.add(" ".join(attempt.words))
    return found


def made(make: ErrorMaker, caption: TaggedWords = TOLD) -> set[str]:
    """All that a rule for errors of systems makes of a caption over many seeds."""
    material = ErrorMaterial(caption, OTHER, FORMS)
    found = (make(material, np.random.default_rng(seed)) for seed in range(80))
    return {" ".join(words) for words in found if words is not None}


def test_a_tail_dangles_and_an_event_is_repeated_after_a_connector() -> None:
    tails = {text.removeprefix(CAPTION.text).strip() for text in altered(synthetic.add_tail)}
    assert tails <= {*synthetic.TAILS, "follow by"}
    assert len(tails) > 5
    for text in altered(synthetic.repeat_event):
        rest = text.removeprefix(CAPTION.text).strip()
        connectors = (*synthetic.CONNECTORS, "follow by")
        connector = next(one for one in connectors if rest.startswith(f"{one} "))
        repeated = set(rest.removeprefix(connector).split()) - {"a"}
        assert repeated <= {"dog", "barks", "loudly"} or repeated <= {"rain", "falls"}


@pytest.mark.parametrize(
    ("rule", "style", "expected"),
    [
        (
            synthetic.repeat_adv,
            AS_NAMED,
            {
                "a dog barks loudly and rain falls loudly",
                "a dog barks loudly loudly and rain falls",
            },
        ),
        (synthetic.remove_conj, AS_NAMED, {"a dog barks loudly rain falls"}),
        (
            synthetic.remove_verb,
            AS_NAMED,
            {"a dog loudly and rain falls", "a dog barks loudly and rain"},
        ),
        (synthetic.remove_conj, ErrorStyle(cut=1), {"a dog barks loudly and rain"}),
    ],
)
def test_a_synthetic_error_is_that_of_its_rule(
    rule: ErrorRule, style: ErrorStyle, expected: set[str]
) -> None:
    assert altered(rule, style) == expected
    nouns = tagged("loud rain", "ADJ NOUN")
    attempt = Draft(nouns, list(nouns.words), list(nouns.pos))
    assert not rule(attempt, np.random.default_rng(0), AS_NAMED)
    assert attempt.words == ["loud", "rain"]


@pytest.mark.parametrize("make", [system.shuffle, system.shuffle_some, system.swap, system.move])
def test_words_out_of_order_are_the_same_words(make: ErrorMaker) -> None:
    for text in made(make):
        assert Counter(text.split()) == Counter(TOLD.words)


@pytest.mark.parametrize(
    ("make", "caption", "expected"),
    [
        (system.drop_verb, TOLD, {"a dog barks and rain on a roof"}),
        (
            system.drop_function_word,
            TOLD,
            {
                *("dog barks and rain falls on a roof", "a dog barks rain falls on a roof"),
                *("a dog barks and rain falls a roof", "a dog barks and rain falls on roof"),
            },
        ),
        (
            system.cut_end,
            TOLD,
            {f"a dog barks and{more}" for more in ("", " rain falls on", " rain falls on a")},
        ),
        (system.wrong_form, FOLLOWED, {"rain is falling followed by a man speaks"}),
    ],
)
def test_an_error_of_a_system_is_that_of_its_rule(
    make: ErrorMaker, caption: TaggedWords, expected: set[str]
) -> None:
    assert made(make, caption) == expected


WORDS = ["a", "and", "as", "be", "dog", "rain", "barks", "quickly", "while", "by", "with", "in"]
TAGS = ["DET", "NOUN", "VERB", "ADV", "ADP", "ADJ", "CCONJ", "SCONJ"]
CAPTIONS = st.builds(
    lambda rows, lemmas: TaggedWords(
        tuple(word for word, _ in rows), tuple(tag for _, tag in rows), lemmas
    ),
    st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(TAGS)), min_size=1, max_size=12),
    st.booleans(),
)


@given(CAPTIONS, CAPTIONS, st.integers(0, 2**32))
def test_what_is_made_differs_and_its_labels_agree(
    caption: TaggedWords, other: TaggedWords, seed: int
) -> None:
    found = alter(caption, np.random.default_rng(seed))
    if found is not None:
        text, labels = found
        assert text.split() not in ([], list(caption.words))
        assert labels[-1] == 1
        assert 1 <= sum(labels[:-1]) <= 2
        assert alter(caption, np.random.default_rng(seed)) == found
    material = ErrorMaterial(caption, other, FORMS)
    for make, _, _ in MAKERS:
        make(material, np.random.default_rng(seed))
    of_system = system_error(material, np.random.default_rng(seed))
    if of_system is not None:
        text, source, labels = of_system
        assert source.startswith(caption.text)
        assert text.split() not in ([], list(caption.words))
        assert labels[-1] == 1
        assert sum(labels[:-1]) <= 1


def test_most_captions_get_an_error_and_half_of_these_another() -> None:
    found = [alter(CAPTION, np.random.default_rng(seed)) for seed in range(2000)]
    # With all five rules open a turn makes an error with 1 - .8 x .6 x .9 x .9 x .85 = .67;
    # so some error comes with 1 - .33 x (.1 + .9 x .33) = .87, a little less where two undo
    # each other, and .87 / 1.87 = 46 % of the rows have one (METRICS: about 45 %).
    assert sum(one is not None for one in found) / 2000 == pytest.approx(0.87, abs=0.03)
