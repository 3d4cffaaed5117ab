"""What is corrected reaches files and training, with the edges of its spans."""

import json

import pytest
import spacy
from spacy.tokens import DocBin

from annotation.models import Item
from annotation.selectors.adjudication.cases import cases_of
from annotation.selectors.formats import GOLD, ExportSelection, download_of
from annotation.selectors.training.material import TrainingSelection, training_material
from annotation.services.adjudication import Decision, gold_accept_unanimous, gold_decide
from tests.annotation.conftest import NOW, Crew
from tests.annotation.labelled import label


@pytest.fixture
def corrected(crew: Crew) -> Item:
    """The second caption: all say one span "metal roof" is WHERE; corrected to two, and "a"."""
    item = crew.items[1]
    for user in (crew.ann, crew.bob):
        label(item, user, (5, 6, "WHERE"))
    gold_accept_unanimous(project=crew.project, by=None, now=NOW)
    seen = cases_of(crew.project, [item.pk])[0].stamp
    decision = Decision({4: "WHERE"}, seen, edges={6: True})
    gold_decide(item=item, decision=decision, by=crew.judge, now=NOW)
    return item


# First and last word, as corrected: "a metal", "roof".
PLACES = [(4, 5), (6, 6)]


def exported(crew: Crew, file_format: str) -> bytes:
    return b"".join(download_of(crew.project, file_format, ExportSelection(GOLD)).pieces)


def test_prodigy_has_the_corrected_spans(crew: Crew, corrected: Item) -> None:
    row = json.loads(exported(crew, "prodigy"))
    assert [(span["token_start"], span["token_end"]) for span in row["spans"]] == PLACES


def test_docbin_and_word_labels_have_it(crew: Crew, corrected: Item) -> None:
    (doc,) = DocBin().from_bytes(exported(crew, "docbin")).get_docs(spacy.blank("en").vocab)
    assert [span.text for span in doc.spans["sc"]] == ["a metal", "roof"]
    assert json.loads(exported(crew, "hf"))["labels"] == ["O"] * 4 + ["WHERE"] * 3


def test_it_is_learned_from(crew: Crew, corrected: Item) -> None:
    (record,) = training_material(crew.project, TrainingSelection())[0].records
    assert [(span["token_start"], span["token_end"]) for span in record["spans"]] == PLACES
