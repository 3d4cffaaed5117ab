"""Tuning the parser: captions in the present tense, a tiny training, and what is refused."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from earmark.cli.parser import main
from earmark.text.parse import parse
from earmark.text.parser import TUNING, load_pipeline, new_pipeline, parser_identity
from earmark.text.parser_tuning import TuningOfOtherModel, apply_tuning, current_weights
from earmark.train.parser.examples import (
    is_one_tree,
    lower_without_marks,
    parsed_sentences,
    rewritten_captions,
    training_sentences,
)
from earmark.train.parser.tense import Sentence
from earmark.train.parser.verb_forms import is_participle_of, participle, third_person
from earmark.workspace import Workspace

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
        ("play", "plays", "playing"),
        ("die", "dies", "dying"),
        ("bounce", "bounces", "bouncing"),
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


def test_sentences_are_trees_in_both_dresses(sentences: list[Sentence]) -> None:
    made = training_sentences(sentences, composed_share=40.0, kept_share=1.0, rng=random.Random(0))
    assert len(made) > 400
    assert all(map(is_one_tree, made))
    half = len(made) // 2
    assert made[half:] == [lower_without_marks(sentence) for sentence in made[:half]]
    assert all(text(sentence) == text(sentence).lower() for sentence in made[half:])
    assert all(sentence[-1].text == "." for sentence in made[:half])


def test_captions_that_look_misread_or_are_split_otherwise_are_left_out() -> None:
    odd = ["A high-pitched tone is heard", "someone's dog is barking", "3 dogs are barking"]
    assert parsed_sentences(odd, load_pipeline()) == []


TRAIN = ("train", "parser", "--epochs", "1")


@pytest.fixture
def captions(tmp_path: Path) -> Path:
    path = tmp_path / "captions.txt"
    things = ("train", "bus", "dog", "machine", "plane", "crowd")
    more = [caption.replace("train", thing) for thing in things for caption in CAPTIONS]
    path.write_text("\n".join(dict.fromkeys(more)), encoding="utf-8")
    return path


def test_trains_end_to_end_and_alike_twice(captions: Path, tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "other"]
    for folder in folders:
        assert main([*TRAIN, str(captions), "--out", str(folder)]) == 0
    one, other = (load_file(folder / "model.safetensors") for folder in folders)
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[name], other[name]) for name in one)
    assert any(change.any() for change in one.values())
    report = json.loads((folders[0] / "report.json").read_text(encoding="utf-8"))
    assert report["held out"].keys() == {"as written", "in lower case"}
    assert report["recipe"]["epochs"] == 1


def test_excluded_captions_are_left_out(
    captions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([*TRAIN, str(captions), "--out", str(tmp_path), "--exclude", str(captions)])
    assert code == 2
    assert "no caption" in capsys.readouterr().err.lower()


def test_no_epochs_are_refused(
    captions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["train", "parser", str(captions), "--out", str(tmp_path), "--epochs", "0"])
    assert code == 2
    assert "at least 1" in capsys.readouterr().err


def test_word_vectors_stay_and_the_rest_is_what_the_file_says() -> None:
    general, tuned = new_pipeline(), load_pipeline(parser="captions")
    changes = load_file(TUNING)
    before, after = current_weights(general), current_weights(tuned)
    assert before.keys() == after.keys() == changes.keys()
    for name, change in changes.items():
        assert np.array_equal(after[name], before[name] + change.astype(np.float32))
    tables = [
        [
            node.get_param("E")
            for node in made.get_pipe("tok2vec").model.walk()
            if node.has_param("E")
        ]
        for made in (general, tuned)
    ]
    assert all(np.array_equal(one, other) for one, other in zip(*tables, strict=True))


def test_a_tuning_of_another_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save_file({"a": np.zeros(1, np.float16)}, path, metadata={"base": "en_core_web_sm-3.7.0@0"})
    with pytest.raises(TuningOfOtherModel, match=r"en_core_web_sm-3\.7\.0@0.*train parser"):
        apply_tuning(path, new_pipeline(), parser_identity())


def test_the_general_parser_stays_as_it_is() -> None:
    general, tuned = (
        parse(["glass shatters"], Workspace(), parser=parser)[0]
        for parser in ("general", "captions")
    )
    assert general[1].tag == "NNS"
    assert (tuned[1].tag, tuned[0].dep) == ("VBZ", "nsubj")
    assert parser_identity("captions").startswith("earmark-parse-1@")
