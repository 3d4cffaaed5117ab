"""Synthetic errors: each rule does what its label says, and a change is a change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.train.fluency.synthetic_errors import (
    CONNECTORS,
    TAILS,
    Draft,
    ErrorRule,
    ErrorStyle,
    TaggedWords,
    add_tail,
    alter,
    remove_conj,
    remove_verb,
    repeat_adv,
    repeat_event,
)

CAPTION = TaggedWords(
    ("a", "dog", "barks", "loudly", "and", "rain", "falls"),
    ("DET", "NOUN", "VERB", "ADV", "CCONJ", "NOUN", "VERB"),
)
AS_NAMED = ErrorStyle(cut=0, inside=0)
SEEDS = range(40)


def draft(caption: TaggedWords = CAPTION) -> Draft:
    return Draft(caption, list(caption.words), list(caption.pos))


def results(
    rule: ErrorRule, style: ErrorStyle = AS_NAMED, caption: TaggedWords = CAPTION
) -> set[str]:
    """All that a rule makes of a caption over many seeds."""
    found = set()
    for seed in SEEDS:
        attempt = draft(caption)
        assert rule(attempt, np.random.default_rng(seed), style)
        assert len(attempt.words) == len(attempt.pos)
        found.add(" ".join(attempt.words))
    return found


def test_tail_is_dangling() -> None:
    tails = {text.removeprefix(CAPTION.text).strip() for text in results(add_tail)}
    assert tails <= {*TAILS, "follow by"}
    assert len(tails) > 5


def test_event_is_repeated_after_a_connector() -> None:
    for text in results(repeat_event):
        assert text.startswith(CAPTION.text)
        rest = text.removeprefix(CAPTION.text).strip()
        connector = next(c for c in (*CONNECTORS, "follow by") if rest.startswith(f"{c} "))
        repeated = set(rest.removeprefix(connector).split()) - {"a"}
        assert repeated <= {"dog", "barks", "loudly"} or repeated <= {"rain", "falls"}


def test_event_is_split_inside_words_only_where_asked() -> None:
    caption = TaggedWords(("cars", "pass"), ("NOUN", "VERB"))
    assert not any(text.endswith(" p") for text in results(repeat_event, caption=caption))
    assert any(
        text.endswith(" p") for text in results(repeat_event, ErrorStyle(inside=1), caption=caption)
    )


def test_adverb_comes_twice() -> None:
    assert results(repeat_adv) == {
        "a dog barks loudly and rain falls loudly",
        "a dog barks loudly loudly and rain falls",
    }


def test_conjunction_is_dropped() -> None:
    assert results(remove_conj) == {"a dog barks loudly rain falls"}


def test_verb_is_dropped() -> None:
    assert results(remove_verb) == {"a dog loudly and rain falls", "a dog barks loudly and rain"}


@pytest.mark.parametrize("rule", [remove_conj, remove_verb])
def test_end_is_cut_where_asked(rule: ErrorRule) -> None:
    assert results(rule, ErrorStyle(cut=1)) == {"a dog barks loudly and rain"}


@pytest.mark.parametrize("rule", [repeat_adv, remove_conj, remove_verb])
def test_rule_without_its_word_does_nothing(rule: ErrorRule) -> None:
    nouns = draft(TaggedWords(("loud", "rain"), ("ADJ", "NOUN")))
    assert not rule(nouns, np.random.default_rng(0), AS_NAMED)
    assert nouns.words == ["loud", "rain"]


words = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "a",
                "and",
                "as",
                "be",
                "dog",
                "rain",
                "pass",
                "quickly",
                "while",
                "followed",
                "by",
                "with",
            ]
        ),
        st.sampled_from(["DET", "NOUN", "VERB", "ADV", "CCONJ", "SCONJ"]),
    ),
    min_size=1,
    max_size=12,
)


@given(words, st.integers(0, 2**32), st.booleans())
def test_altered_differs_and_its_labels_agree(
    tagged: list[tuple[str, str]], seed: int, lemmas: bool
) -> None:
    caption = TaggedWords(tuple(w for w, _ in tagged), tuple(p for _, p in tagged), lemmas)
    made = alter(caption, np.random.default_rng(seed))
    if made is None:
        return
    text, labels = made
    assert text
    assert text.split() != list(caption.words)
    assert labels[-1] == 1
    assert 1 <= sum(labels[:-1]) <= 2
    assert alter(caption, np.random.default_rng(seed)) == made


def test_most_captions_get_an_error_and_half_of_these_another() -> None:
    made = [alter(CAPTION, np.random.default_rng(seed)) for seed in range(2000)]
    errors = [labels for found in made if found is not None for labels in [found[1]]]
    # With all five rules open a turn makes an error with 1 - .8 x .6 x .9 x .9 x .85 = .67;
    # so some error comes with 1 - .33 x (.1 + .9 x .33) = .87, a little less where two undo
    # each other, and .87 / 1.87 = 46 % of the rows have one (METRICS: about 45 %).
    assert len(errors) / len(made) == pytest.approx(0.87, abs=0.03)
