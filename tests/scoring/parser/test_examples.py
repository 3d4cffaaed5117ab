"""Captions put in the present tense with their parse, and sentences composed of them."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.text.parse import load_pipeline
from scoring.train.parser.examples import (
    is_one_tree,
    lower_without_marks,
    parsed_sentences,
    rewritten_captions,
    training_sentences,
)
from scoring.train.parser.tense import Sentence
from scoring.train.parser.verb_forms import is_participle_of, participle, third_person

CAPTIONS = [
    "A train is passing through a tunnel.",
    "Two men are arguing and shouting while a dog is barking",
    "A bell is ringing",
    "Birds are chirping loudly in the trees",
    "A dog barking in the distance",
    "A person is making splashing sounds",
    "the rain is falling on a tin roof",
    "A crowd of people is cheering",
]


def text(sentence: Sequence[Any]) -> str:
    return " ".join(word.text for word in sentence)


@pytest.fixture(scope="module")
def sentences() -> list[Sentence]:
    return parsed_sentences(CAPTIONS, load_pipeline())


@pytest.mark.parametrize(
    ("lemma", "third", "ing"),
    [
        ("drip", "drips", "dripping"),
        ("buzz", "buzzes", "buzzing"),
        ("cry", "cries", "crying"),
        ("play", "plays", "playing"),
        ("die", "dies", "dying"),
        ("bounce", "bounces", "bouncing"),
        ("mutter", "mutters", "muttering"),
        ("roar", "roars", "roaring"),
        ("flow", "flows", "flowing"),
        ("crash", "crashes", "crashing"),
    ],
)
def test_forms_are_those_of_the_grammars(lemma: str, third: str, ing: str) -> None:
    assert (third_person(lemma), participle(lemma)) == (third, ing)
    assert is_participle_of(ing, lemma)


@given(st.from_regex(r"[a-z]{2,9}", fullmatch=True))
def test_a_participle_is_one_of_its_lemma(lemma: str) -> None:
    assert is_participle_of(participle(lemma), lemma)
    assert third_person(lemma).endswith("s")


def test_progressives_and_participles_become_finite(sentences: list[Sentence]) -> None:
    rewritten = [text(one.after) for one in rewritten_captions(sentences)]
    assert "A train passes through a tunnel ." in rewritten
    assert "Two men argue and shout while a dog barks ." in rewritten
    assert "Birds chirp loudly in the trees ." in rewritten


def test_a_finite_verb_has_its_tag_and_the_subject_of_the_progressive(
    sentences: list[Sentence],
) -> None:
    [train] = [one for one in rewritten_captions(sentences) if "train" in text(one.after)]
    assert [train.after[i].tag for i in train.verbs] == ["VBZ"]
    assert (train.after[1].text, train.after[1].dep, train.after[1].head) == ("train", "nsubj", 2)
    assert train.after[2].head == 2


def test_sentences_are_trees_in_both_dresses(sentences: list[Sentence]) -> None:
    made = training_sentences(sentences, composed_share=40.0, kept_share=1.0, rng=random.Random(0))
    assert len(made) > 400
    assert all(map(is_one_tree, made))
    half = len(made) // 2
    assert made[half:] == [lower_without_marks(sentence) for sentence in made[:half]]
    assert all(text(sentence) == text(sentence).lower() for sentence in made[half:])
    assert all(sentence[-1].text == "." for sentence in made[:half])


def test_the_same_seed_gives_the_same_sentences(sentences: list[Sentence]) -> None:
    one, other = (
        training_sentences(sentences, composed_share=5.0, kept_share=1.0, rng=random.Random(3))
        for _ in range(2)
    )
    assert one == other


def test_captions_that_look_misread_or_are_split_otherwise_are_left_out() -> None:
    odd = ["A high-pitched tone is heard", "someone's dog is barking", "3 dogs are barking"]
    assert parsed_sentences(odd, load_pipeline()) == []
