"""Writing captions: what is shown, what is taken."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.kinds.registry import kind_named, work_kinds
from annotation.kinds.work_kind import AnswerFault, WorkTask
from annotation.models import Item
from tests.annotation.kinds.conftest import Workshop, make_workshop
from tests.annotation.kinds.test_engine import ask

WRITE = kind_named("write")
LIMITS = WRITE.options({})
CAPTION = "rain falls on a roof while birds sing nearby"


@pytest.fixture
def workshop(db: None) -> Workshop:
    return make_workshop("write")


def taken(text: Any, *, heard: Any = True, complete: bool = True) -> dict[str, Any]:
    task = WorkTask(Item(), 1, LIMITS)
    return WRITE.checked({"text": text, "heard": heard}, task, complete=complete)


def test_label_words_come_first_among_the_kinds() -> None:
    assert list(work_kinds()) == ["label-words", "edit", "judge", "rate", "write"]


def test_an_unknown_kind_is_named_with_those_that_there_are() -> None:
    with pytest.raises(LookupError, match=r'"paint".*Known: label-words, edit, judge, rate, write'):
        kind_named("paint")


@pytest.mark.django_db
def test_nothing_but_a_number_is_shown_of_a_sound() -> None:
    """Its file is called "rain on a roof.wav"."""
    workshop = make_workshop("write")
    told = ask(workshop.client(workshop.ann), workshop)
    assert "rain" not in told.content.decode()
    assert [task["text"] for task in told.json()["tasks"]] == ["Sound 1", "Sound 2", "Sound 3"]


@pytest.mark.parametrize(
    ("words", "says"), [(7, "has 7 words"), (21, "has 21 words"), (1, "has 1 word:")]
)
def test_too_few_and_too_many_words_are_refused_with_how_many_are_asked_for(
    words: int, says: str
) -> None:
    with pytest.raises(AnswerFault, match=rf"{says}.*Write 8 to 20"):
        taken(" ".join(["rain"] * words))


def test_who_has_not_heard_the_sound_is_sent_back_to_it() -> None:
    for heard in (False, None, "yes", 1):
        with pytest.raises(AnswerFault, match="Listen to the whole sound"):
            taken(CAPTION, heard=heard)


@pytest.mark.parametrize("text", [None, 7, ["rain"], "rain " * 500])
def test_what_is_no_text_or_a_very_long_one_is_refused(text: Any) -> None:
    with pytest.raises(AnswerFault, match="at most 1,000 characters"):
        taken(text)


def test_what_is_skipped_keeps_what_was_written() -> None:
    assert taken("rain", heard=False, complete=False) == {"text": "rain", "heard": False}


def test_lines_and_runs_of_spaces_become_one_line() -> None:
    assert taken(f"  {CAPTION.replace(' ', chr(10))}\t\x00")["text"] == CAPTION


@given(st.text(alphabet=st.characters(), max_size=200))
def test_a_caption_that_is_taken_is_taken_again_as_it_is(text: str) -> None:
    try:
        kept = taken(text)
    except AnswerFault:
        return
    assert taken(kept["text"]) == kept
    kept["text"].encode()


@pytest.mark.parametrize(
    "limits", [{"least": 9, "most": 8}, {"least": 0}, {"most": "20"}, {"least": 8.0}]
)
def test_limits_that_cannot_be_met_are_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(AnswerFault, match="the smaller one first"):
        WRITE.options(limits)
