"""What is corrected reaches files and training, with the edges of its spans."""

import json

import spacy
from spacy.tokens import DocBin

from annotation.selectors.adjudication.cases import cases_of
from annotation.selectors.formats import GOLD, ExportSelection, download_of
from annotation.selectors.training.material import TrainingSelection, training_material
from annotation.services.adjudication import Decision, gold_accept_unanimous, gold_decide
from tests.annotation.conftest import NOW, Crew
from tests.annotation.labelled import label


def test_corrected_spans_are_in_every_file_and_learned_from(crew: Crew) -> None:
    """All say one span "metal roof" is WHERE; corrected to two, and "a"."""
    item = crew.items[1]
    for user in (crew.ann, crew.bob):
        label(item, user, (5, 6, "WHERE"))
    gold_accept_unanimous(project=crew.project, by=None, now=NOW)
    seen = cases_of(crew.project, [item.pk])[0].stamp
    decision = Decision({4: "WHERE"}, seen, edges={6: True})
    gold_decide(item=item, decision=decision, by=crew.judge, now=NOW)

    def exported(file_format: str) -> bytes:
        return b"".join(download_of(crew.project, file_format, ExportSelection(GOLD)).pieces)

    (learned,) = training_material(crew.project, TrainingSelection())[0].records
    for row in (json.loads(exported("prodigy")), learned):
        assert [(span["token_start"], span["token_end"]) for span in row["spans"]] == [
            (4, 5),
            (6, 6),
        ]
    (doc,) = DocBin().from_bytes(exported("docbin")).get_docs(spacy.blank("en").vocab)
    assert [span.text for span in doc.spans["sc"]] == ["a metal", "roof"]
    assert json.loads(exported("hf"))["labels"] == ["O"] * 4 + ["WHERE"] * 3
