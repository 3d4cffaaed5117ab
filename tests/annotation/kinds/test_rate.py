"""Rating captions: what is shown in which order, what is taken."""

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.kinds.rate import SCALES, caption_key
from annotation.kinds.registry import kind_named
from annotation.kinds.work_kind import AnswerFault, WorkTask
from annotation.models import Item
from tests.annotation.kinds.conftest import CONTENTS, VERSIONS, make_workshop, ratings
from tests.annotation.kinds.test_engine import ask

RATE = kind_named("rate")
GOOD = ratings((4, 3), (2, 4), (1, 1))
KEYS = [caption_key(text) for text in VERSIONS]


def task(versions: tuple[str, ...] = VERSIONS, key: str = "k") -> WorkTask:
    content = {"captions": [{"text": text, "annotations": [1]} for text in versions]}
    return WorkTask(Item(key=key, position=0, content=content), 1, RATE.options({}))


def taken(value: dict[str, Any], *, complete: bool = True) -> dict[str, Any]:
    return RATE.checked(value, task(), complete=complete)


def order_of(item: Item, user: int) -> list[str]:
    return [row["text"] for row in RATE.shown(item, user).content["captions"]]


def test_captions_are_shown_without_who_wrote_them_and_without_the_name_of_the_file(
    db: None,
) -> None:
    workshop = make_workshop("rate")
    captions = [{"text": text, "annotations": [987654]} for text in VERSIONS]
    Item.objects.update(content={"captions": captions})
    told = ask(workshop.client(workshop.ann), workshop)
    assert "987654" not in told.content.decode()
    assert ".wav" not in told.content.decode()
    first = told.json()["tasks"][0]
    assert first["text"] == "Sound 1"
    assert {row["text"] for row in first["content"]["captions"]} == set(VERSIONS)
    assert all(set(row) == {"key", "text"} for row in first["content"]["captions"])


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
        kept = taken({"ratings": told, "heard": heard}, complete=complete)
    except AnswerFault:
        return
    assert taken(kept, complete=complete) == kept
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
        taken(GOOD | change)


def test_what_is_skipped_keeps_the_ratings_that_there_are() -> None:
    half = {"ratings": {KEYS[1]: {"fluency": 2}}, "heard": False}
    assert taken(half, complete=False) == half


def test_an_answer_reads_in_one_line() -> None:
    assert RATE.said(GOOD) == "3 captions rated: accuracy 4, 2, 1; fluency 3, 4, 1"
    assert RATE.said({}) == ""


@pytest.mark.parametrize("keep", [0, 101, "5", 2.0, None])
def test_a_number_that_cannot_be_kept_is_refused(keep: object) -> None:
    with pytest.raises(AnswerFault, match="from 1 to 100"):
        RATE.options({"keep": keep})
