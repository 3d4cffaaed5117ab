"""The shipped labeller, its words and spans: what it says, and that company does not matter."""

import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.metrics.aces.metric import Aces
from earmark.models.descriptors import (
    DescriptorLabeller,
    LabelledCaption,
    LabellerMissing,
    find_labeller,
    inventories,
    label,
    spans_of,
    uncertainty,
    words_of,
)
from earmark.models.descriptors.files import LabellerDamaged, read_config
from earmark.models.descriptors.labeller import SHIPPED

CAPTIONS = [
    "A man talks while birds sing in the background.",
    "wind",
    "",
    "?!",
    "A large dog barks loudly inside a room as rain falls on a tin roof",
]


@pytest.fixture(scope="module")
def labeller() -> DescriptorLabeller:
    return find_labeller()


def test_shipped_labeller_is_small_and_has_the_inventory(labeller: DescriptorLabeller) -> None:
    assert labeller.labels == inventories()["aces-13"]
    assert labeller.identity.startswith("earmark-desc-1@")
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 5_000_000
    assert (SHIPPED / "MODEL_CARD.md").is_file()


def test_the_shipped_labeller_is_what_it_was_when_it_shipped(labeller: DescriptorLabeller) -> None:
    # Published scores name it: config.json has grown keys since, which it does without.
    assert labeller.identity == "earmark-desc-1@e07255e9"
    config = read_config(SHIPPED)
    assert (config.method, config.backbone, config.hidden) == ("lora", "", 0)
    assert config.encoder == "all-MiniLM-L6-v2@53aa5117"
    assert Aces(fluency="none").parameters["desc"] == labeller.identity


def test_plain_captions_are_labelled_as_people_do(labeller: DescriptorLabeller) -> None:
    found = label(labeller, CAPTIONS, device="cpu")
    assert [(span.text, span.label) for span in found[0].spans] == [
        ("man", "WHO"),
        ("talks", "HOW"),
        ("birds", "WHO"),
        ("sing", "HOW"),
        ("in the background", "WHERE"),
    ]
    assert [len(one.words) for one in found] == [9, 1, 0, 0, 15]


def test_every_word_of_an_endless_caption_has_a_label(labeller: DescriptorLabeller) -> None:
    long = " ".join(["a dog barks"] * 300 + ["犬" * 600, "\u200b\u0301x", "wind"])
    found = label(labeller, [long], device="cpu")[0]
    assert len(found.labels) == 903
    assert min(found.confidences) > 0


def test_absent_or_damaged_labellers_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(LabellerMissing, match="python -m earmark train descriptors"):
        find_labeller(str(tmp_path))
    shutil.copytree(SHIPPED, tmp_path / "mine")
    weights = tmp_path / "mine" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    broken = find_labeller(str(tmp_path / "mine"))
    assert broken.identity != find_labeller().identity
    with pytest.raises(LabellerDamaged, match="cannot be read"):
        label(broken, ["a dog"], device="cpu")


def test_doubt_is_greatest_where_probabilities_are_least() -> None:
    def said(*sure: float) -> LabelledCaption:
        words = tuple(words_of(" ".join("x" * len(sure))))
        return LabelledCaption(words, ("O",) * len(sure), sure)

    certain, torn = said(0.9, 0.9), said(0.9, 0.3)
    assert uncertainty(torn) == pytest.approx(0.4)
    assert uncertainty(said()) == 0
    assert uncertainty(certain) < uncertainty(torn)


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
