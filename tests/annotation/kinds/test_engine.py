"""What holds for work of every kind: handed out, kept in versions, never lost, never twice."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from annotation.models import Annotation, Answer, Project
from annotation.services.answers import AnswerChange, AnswerOutdated, annotation_save
from tests.annotation.conftest import NOW
from tests.annotation.kinds.conftest import ANSWERS, Workshop


def answers(workshop: Workshop) -> tuple[dict[str, Any], dict[str, Any]]:
    return ANSWERS[workshop.project.kind]


def save(
    workshop: Workshop, edit: str, base: int, value: dict[str, Any], at: int = 0
) -> Annotation:
    change = AnswerChange(edit=edit, base=base, value=value)
    return annotation_save(
        item=workshop.items[at], user=workshop.ann, change=change, now=NOW + timedelta(minutes=base)
    )


def ask(client: Client, workshop: Workshop, path: str = "tasks") -> Any:
    address = f"/api/v1/labelling/{workshop.project.slug}/{path}"
    if path == "tasks":
        return client.post(address, {"count": 6}, content_type="application/json")
    return client.get(address)


def put(client: Client, workshop: Workshop, item: int, **change: Any) -> Any:
    address = f"/api/v1/labelling/{workshop.project.slug}/items/{item}/annotation"
    return client.put(address, change, content_type="application/json")


def test_the_same_change_again_changes_nothing_and_one_that_was_overtaken_is_refused(
    workshop: Workshop,
) -> None:
    first, second = answers(workshop)
    save(workshop, "edit-one", 0, first)
    assert save(workshop, "edit-one", 0, first).version == 1
    save(workshop, "edit-two", 1, second)
    with pytest.raises(AnswerOutdated) as refused:
        save(workshop, "edit-one", 0, first)
    assert refused.value.current.value == second


def test_a_change_of_the_answer_once_others_answers_are_known_is_late(workshop: Workshop) -> None:
    first, second = answers(workshop)
    save(workshop, "edit-one", 0, first)
    Project.objects.update(agreement_shown_at=NOW, reopened_at=NOW)
    assert save(workshop, "edit-two", 1, first).late == ""
    assert save(workshop, "edit-three", 2, second).late == "shown"


def test_what_is_skipped_needs_no_whole_answer(workshop: Workshop) -> None:
    change = AnswerChange(edit="edit-one", base=0, value={}, answer=Answer.IGNORE)
    kept = annotation_save(item=workshop.items[0], user=workshop.ann, change=change, now=NOW)
    assert kept.answer == Answer.IGNORE


def test_spans_are_refused_where_no_words_are_labelled(workshop: Workshop) -> None:
    client = workshop.client(workshop.ann)
    task = ask(client, workshop).json()["tasks"][0]
    span = {"token_start": 0, "token_end": 0, "label": "WHO"}
    told = put(client, workshop, task["id"], edit="edit-one-1", base=0, spans=[span], value={})
    assert told.status_code == 422
    assert "no spans" in told.json()["detail"]


def test_the_api_hands_out_takes_and_gives_back(workshop: Workshop) -> None:
    client, (first, _) = workshop.client(workshop.ann), answers(workshop)
    task = ask(client, workshop).json()["tasks"][0]
    kept = put(client, workshop, task["id"], edit="edit-one-1", base=0, value=first)
    assert (kept.status_code, kept.json()["value"]) == (200, first)
    history = ask(client, workshop, "history").json()["tasks"]
    assert [row["annotation"]["value"] for row in history] == [first]
    versions = ask(client, workshop, f"items/{task['id']}/versions").json()["versions"]
    assert [row["value"] for row in versions] == [first]


@pytest.mark.parametrize(
    "page",
    ["agreement/", "adjudicate/", "models/", "quality/", "scheme/", "captions/", "manage/files/"],
)
def test_pages_of_labels_are_not_there(workshop: Workshop, page: str) -> None:
    client = workshop.client(workshop.manager)
    assert client.get(f"/annotate/{workshop.project.slug}/{page}").status_code == 404
