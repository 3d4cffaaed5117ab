"""Editing captions: what is shown, what is taken."""

import pytest

from annotation.kinds.registry import kind_named
from annotation.kinds.work_kind import AnswerFault, WorkTask
from annotation.models import Item
from tests.annotation.kinds.conftest import CAPTION, make_workshop
from tests.annotation.kinds.test_engine import ask

EDIT = kind_named("edit")


def test_the_caption_is_shown_and_neither_whose_it_is_nor_the_name_of_the_file(db: None) -> None:
    workshop = make_workshop("edit")
    Item.objects.update(content={"caption": CAPTION, "annotation": 987654})
    told = ask(workshop.client(workshop.ann), workshop)
    assert "987654" not in told.content.decode()
    assert ".wav" not in told.content.decode()
    shown = [(task["text"], task["content"]) for task in told.json()["tasks"]]
    assert shown[0] == ("Caption 1", {"caption": CAPTION})


def test_a_caption_may_stay_as_it_is() -> None:
    task = WorkTask(Item(content={"caption": CAPTION}), 1, EDIT.options({}))
    kept = EDIT.checked({"text": CAPTION, "heard": True}, task, complete=True)
    assert kept == {"text": CAPTION, "heard": True}


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"text": CAPTION}, "Listen to the whole sound first, then edit the caption"),
        ({"text": "rain", "heard": True}, "has 1 word: .*Write 8 to 20"),
        ({"text": 7, "heard": True}, "at most 1,000 characters"),
    ],
)
def test_the_checks_are_those_of_writing(value: dict[str, object], says: str) -> None:
    task = WorkTask(Item(content={"caption": CAPTION}), 1, EDIT.options({}))
    with pytest.raises(AnswerFault, match=says):
        EDIT.checked(value, task, complete=True)
