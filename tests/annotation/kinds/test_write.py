"""Writing captions: what is shown, what is taken."""

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.kinds.rate import SCALES, caption_key
from annotation.kinds.registry import kind_named
from annotation.kinds.work_kind import AnswerFault, WorkTask
from annotation.models import Item
from tests.annotation.kinds.conftest import (
    CAPTION,
    CONTENTS,
    VERSIONS,
    Workshop,
    make_workshop,
    ratings,
)
from tests.annotation.kinds.test_engine import ask

WRITE = kind_named("write")
LIMITS = WRITE.options({})
WRITTEN = "rain falls on a roof while birds sing nearby"


@pytest.fixture
def workshop(db: None) -> Workshop:
    return make_workshop("write")


def taken(text: Any, *, heard: Any = True, complete: bool = True) -> dict[str, Any]:
    task = WorkTask(Item(), 1, LIMITS)
    return WRITE.checked({"text": text, "heard": heard}, task, complete=complete)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("kind", "content", "title"),
    [
        ("write", {}, "Sound 1"),
        ("edit", {"caption": CAPTION, "annotation": 987654}, "Caption 1"),
        ("rate", {"captions": [{"text": v, "annotations": [987654]} for v in VERSIONS]}, "Sound 1"),
    ],
)
def test_neither_who_wrote_a_caption_nor_the_name_of_the_file_is_shown(
    kind: str, content: dict[str, Any], title: str
) -> None:
    """A file is called "rain on a roof.wav"."""
    workshop = make_workshop(kind)
    Item.objects.update(content=content)
    told = ask(workshop.client(workshop.ann), workshop)
    for kept in ("987654", ".wav", "dog barks"):
        assert kept not in told.content.decode()
    first = told.json()["tasks"][0]
    assert first["text"] == title
    captions = first["content"].pop("captions", [])
    assert first["content"] == ({"caption": CAPTION} if kind == "edit" else {})
    assert {row["text"] for row in captions} == (set(VERSIONS) if kind == "rate" else set())
    assert all(set(row) == {"key", "text"} for row in captions)


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
            taken(WRITTEN, heard=heard)


@pytest.mark.parametrize("text", [None, 7, ["rain"], "rain " * 500])
def test_what_is_no_text_or_a_very_long_one_is_refused(text: Any) -> None:
    with pytest.raises(AnswerFault, match="at most 1,000 characters"):
        taken(text)


def test_what_is_skipped_stays_lines_become_one_and_a_caption_may_be_left_as_it_is() -> None:
    assert taken("rain", heard=False, complete=False) == {"text": "rain", "heard": False}
    assert taken(f"  {WRITTEN.replace(' ', chr(10))}\t\x00")["text"] == WRITTEN
    task = WorkTask(Item(content={"caption": CAPTION}), 1, EDIT.options({}))
    kept = {"text": CAPTION, "heard": True}
    assert EDIT.checked(kept, task, complete=True) == kept


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


# -- editing -------------------------------------------------------------------------------


EDIT = kind_named("edit")


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


# -- rating --------------------------------------------------------------------------------


RATE = kind_named("rate")
GOOD = ratings((4, 3), (2, 4), (1, 1))
KEYS = [caption_key(text) for text in VERSIONS]


def task(versions: tuple[str, ...] = VERSIONS, key: str = "k") -> WorkTask:
    content = {"captions": [{"text": text, "annotations": [1]} for text in versions]}
    return WorkTask(Item(key=key, position=0, content=content), 1, RATE.options({}))


def taken_rate(value: dict[str, Any], *, complete: bool = True) -> dict[str, Any]:
    return RATE.checked(value, task(), complete=complete)


def order_of(item: Item, user: int) -> list[str]:
    return [row["text"] for row in RATE.shown(item, user).content["captions"]]


def test_the_order_is_drawn_for_each_item_and_person_and_stays() -> None:
    items = [Item(key=f"k{at}", position=at, content=CONTENTS["rate"]) for at in range(40)]
    orders = {tuple(order_of(item, user)) for item in items for user in range(1, 11)}
    assert orders == set(permutations(VERSIONS)), "all six orders come up in 400 draws"
    assert order_of(items[0], 7) == order_of(items[0], 7)


@given(st.permutations(VERSIONS))
def test_a_rating_stays_with_its_caption_in_whatever_order_captions_are_stored(
    versions: list[str],
) -> None:
    kept = RATE.checked(GOOD, task(tuple(versions)), complete=True)
    assert kept == GOOD
    assert list(kept["ratings"]) == [caption_key(text) for text in versions]


@given(
    st.dictionaries(
        st.sampled_from([*KEYS, "other"]),
        st.dictionaries(st.sampled_from([*SCALES, "x"]), st.integers(-1, 6) | st.none()),
    ),
    st.booleans(),
    st.booleans(),
)
def test_what_is_taken_is_whole_numbers_of_known_captions_and_is_taken_again_as_it_is(
    told: dict[str, Any], heard: bool, complete: bool
) -> None:
    try:
        kept = taken_rate({"ratings": told, "heard": heard}, complete=complete)
    except AnswerFault:
        return
    assert taken_rate(kept, complete=complete) == kept
    numbers = [number for row in kept["ratings"].values() for number in row.values()]
    assert set(numbers) <= {1, 2, 3, 4}
    assert set(kept["ratings"]) <= set(KEYS)
    assert not complete or len(numbers) == 2 * len(VERSIONS)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"heard": False}, "Listen to the whole sound first, then rate its captions"),
        ({"ratings": []}, "Ratings are an object"),
        ({"ratings": {}}, r'The accuracy of "rain falls on a roof" is missing'),
        ({"ratings": GOOD["ratings"] | {"other": {}}}, r'No caption of this sound .* "other"'),
        ({"ratings": GOOD["ratings"] | {KEYS[0]: {"accuracy": 5, "fluency": 1}}}, "cannot be 5"),
        ({"ratings": GOOD["ratings"] | {KEYS[0]: {"accuracy": 2.0, "fluency": 1}}}, "be 2.0"),
        ({"ratings": GOOD["ratings"] | {KEYS[0]: {"accuracy": True, "fluency": 1}}}, "be True"),
        ({"ratings": GOOD["ratings"] | {KEYS[0]: {"accuracy": 2}}}, "fluency of .* is missing"),
        ({"ratings": GOOD["ratings"] | {KEYS[0]: 3}}, "cannot be 3"),
    ],
)
def test_what_is_no_rating_is_refused_with_the_caption_and_what_to_do(
    change: dict[str, Any], says: str
) -> None:
    with pytest.raises(AnswerFault, match=says):
        taken_rate(GOOD | change)


def test_what_is_skipped_keeps_the_ratings_that_there_are() -> None:
    half = {"ratings": {KEYS[1]: {"fluency": 2}}, "heard": False}
    assert taken_rate(half, complete=False) == half


def test_an_answer_reads_in_one_line() -> None:
    assert RATE.said(GOOD) == "3 captions rated: accuracy 4, 2, 1; fluency 3, 4, 1"
    assert RATE.said({}) == ""


@pytest.mark.parametrize("keep", [0, 101, "5", 2.0, None])
def test_a_number_that_cannot_be_kept_is_refused(keep: object) -> None:
    with pytest.raises(AnswerFault, match="from 1 to 100"):
        RATE.options({"keep": keep})
