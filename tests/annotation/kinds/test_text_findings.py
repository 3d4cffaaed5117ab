"""Findings in a text while it is written: what is found, and for whom."""

from typing import Any

import pytest

from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.tasks import tasks_take
from leaderboard.models import User
from tests.annotation.conftest import LEASE, NOW, Crew
from tests.annotation.kinds.conftest import Workshop, make_workshop

pytestmark = pytest.mark.one_database

GOOD = "rain falls on a roof while birds sing nearby"


@pytest.fixture
def workshop(db: None) -> Workshop:
    made = make_workshop("write")
    for user in (made.ann, made.bob):
        tasks_take(project=made.project, user=user, count=6, now=NOW, lease=LEASE)
    return made


def look(workshop: Workshop, text: Any, user: User | None, *, item: int | None = None) -> Any:
    told = {"item": item or workshop.items[0].pk, "text": text}
    address = f"/api/v1/labelling/{workshop.project.slug}/check"
    return workshop.client(user).post(address, told, content_type="application/json")


def kinds(workshop: Workshop, text: str, **options: Any) -> list[str]:
    told = look(workshop, text, workshop.ann, **options).json()
    return [finding["kind"] for finding in told["findings"]]


def test_nothing_is_found_in_a_caption_of_the_kind_that_is_asked_for(workshop: Workshop) -> None:
    assert kinds(workshop, GOOD) == []
    # The page itself counts words.
    assert kinds(workshop, "rain falls") == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("there is rain that falls on a roof while birds sing", "opening"),
        ("rain falls on a roff while birds sing in trees nearby", "spelling"),
        ('a man says "come over here now" while rain falls outside', "speech"),
    ],
)
def test_what_may_need_another_look_is_found(workshop: Workshop, text: str, kind: str) -> None:
    assert kind in kinds(workshop, text)


def test_a_place_is_told_with_what_could_stand_there(workshop: Workshop) -> None:
    text = "rain falls on a roff while birds sing in trees nearby"
    (found,) = look(workshop, text, workshop.ann).json()["findings"]
    assert text[found["start"] : found["end"]] == found["text"] == "roff"
    assert "roof" in found["suggestions"]
    assert found["message"]


def test_the_text_of_another_sound_is_told_and_that_of_the_same_sound_is_not(
    workshop: Workshop,
) -> None:
    change = AnswerChange(edit="edit-one", base=0, value={"text": GOOD, "heard": True})
    annotation_save(item=workshop.items[0], user=workshop.bob, change=change, now=NOW)
    assert kinds(workshop, GOOD) == []
    assert kinds(workshop, GOOD, item=workshop.items[1].pk) == ["same_text"]


def test_only_who_has_the_sound_may_ask(workshop: Workshop) -> None:
    codes = [
        look(workshop, GOOD, user).status_code
        for user in (None, workshop.outsider, workshop.manager, workshop.ann)
    ]
    assert codes == [401, 404, 200, 200]


@pytest.mark.parametrize("text", [None, "rain " * 500, 7])
def test_what_is_no_text_is_refused(workshop: Workshop, text: Any) -> None:
    assert look(workshop, text, workshop.ann).status_code == 422


def test_captions_that_are_labelled_are_not_looked_at(crew: Crew) -> None:
    told = {"item": crew.items[0].pk, "text": GOOD}
    address = f"/api/v1/labelling/{crew.project.slug}/check"
    client = crew.client(crew.manager)
    assert client.post(address, told, content_type="application/json").status_code == 404
