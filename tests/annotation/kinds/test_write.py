"""Writing, editing, rating and judging: what is shown, what is taken."""

from collections import Counter
from io import BytesIO
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.kinds.judge import order_for
from annotation.kinds.rate import SCALES, caption_key
from annotation.kinds.registry import kind_named
from annotation.kinds.work_kind import AnswerFault, WorkTask
from annotation.models import Item, Project, Sound
from annotation.services.answers import AnswerChange, annotation_save
from leaderboard.services.clips.recordings import recording_save
from tests.annotation.conftest import NOW
from tests.annotation.kinds.conftest import (
    CAPTION,
    CONTENTS,
    VERSIONS,
    Workshop,
    make_workshop,
    ratings,
)
from tests.annotation.kinds.test_engine import ask
from tests.sounds import wav

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


def test_what_cannot_be_a_caption_is_refused_with_how_it_can() -> None:
    edited = WorkTask(Item(content={"caption": CAPTION}), 1, EDIT.options({}))
    wrong: list[tuple[Any, Any, str]] = [
        *(("rain " * n, True, rf"has {n} word.*Write 8 to 20") for n in (1, 7, 21)),
        *((WRITTEN, heard, "Listen to the whole sound") for heard in (False, None, "yes", 1)),
        *(
            (value, True, "at most 1,000 characters")
            for value in (None, 7, ["rain"], "rain " * 500)
        ),
    ]
    for text, heard, says in wrong:
        with pytest.raises(AnswerFault, match=says):
            taken(text, heard=heard)
        with pytest.raises(AnswerFault, match=says):
            EDIT.checked({"text": text, "heard": heard}, edited, complete=True)


def test_what_is_skipped_stays_lines_become_one_and_a_caption_may_be_left_as_it_is() -> None:
    assert taken("rain", heard=False, complete=False) == {"text": "rain", "heard": False}
    assert taken(f"  {WRITTEN.replace(' ', chr(10))}\t\x00")["text"] == WRITTEN
    edited = WorkTask(Item(content={"caption": CAPTION}), 1, EDIT.options({}))
    kept = {"text": CAPTION, "heard": True}
    assert EDIT.checked(kept, edited, complete=True) == kept
    half = {"ratings": {KEYS[1]: {"fluency": 2}}, "heard": False}
    assert taken_rate(half, complete=False) == half
    assert RATE.said(GOOD) == "3 captions rated: accuracy 4, 2, 1; fluency 3, 4, 1"


@given(st.text(alphabet=st.characters(), max_size=200))
def test_a_caption_that_is_taken_is_taken_again_as_it_is(text: str) -> None:
    try:
        kept = taken(text)
    except AnswerFault:
        return
    assert taken(kept["text"]) == kept
    kept["text"].encode()


EDIT = kind_named("edit")


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


JUDGE = kind_named("judge")
CAPTIONS = {"a": "rain falls", "b": "water drips"}


def item(key: str = "k") -> Item:
    return Item(key=key, content={"captions": list(CAPTIONS.values()), "facet": "HC"})


def judged(
    value: Any, *, with_sound: int = 1, complete: bool = True, sounds: bool = True
) -> dict[str, Any]:
    task = WorkTask(item(), 1, {"with_sound": with_sound}, lambda: sounds)
    return JUDGE.checked(value, task, complete=complete)


@pytest.fixture
def pairs(db: None) -> Workshop:
    return make_workshop("judge")


@given(key=st.text(), user=st.integers(1, 10**6))
def test_each_text_has_its_own_key_whoever_looks_and_in_whatever_order(key: str, user: int) -> None:
    shown = JUDGE.shown(item(key), user)
    rows = shown.content["captions"]
    assert {row["key"]: row["text"] for row in rows} == CAPTIONS
    assert JUDGE.shown(item(key), user) == shown
    assert shown.text == f"First: {rows[0]['text']} Second: {rows[1]['text']}"
    assert set(shown.content) == {"captions"}


def test_either_order_is_as_frequent_over_pairs_and_over_people() -> None:
    for orders in (
        [order_for(item(str(number)), 1) for number in range(400)],
        [order_for(item(), number) for number in range(400)],
    ):
        assert 150 < Counter(orders)["a", "b"] < 250


@given(key=st.text(), user=st.integers(1, 10**6), choice=st.sampled_from("ab"))
def test_a_choice_reads_by_the_order_in_which_its_maker_saw_the_captions(
    key: str, user: int, choice: str
) -> None:
    shown = JUDGE.shown(item(key), user)
    said = JUDGE.said_as_shown({"choice": choice}, shown)
    place = {"The first is better": 0, "The second is better": 1}[said]
    assert shown.content["captions"][place]["text"] == CAPTIONS[choice]


def test_the_three_choices_are_taken_and_nothing_else() -> None:
    for choice in ("a", "b", "alike"):
        value = {"choice": choice, "heard": True, "left": "a"}
        assert judged(value) == {"choice": choice, "heard": True}
    others: list[Any] = ["c", "A", "first", 1, None, ["a"], {"a": 1}, "a" * 10_000]
    for other in others:
        for complete in (True, False):
            with pytest.raises(AnswerFault, match='The choice is "a", "b" or "alike"'):
                judged({"choice": other, "heard": True}, complete=complete)


def test_a_whole_answer_has_a_choice_and_a_sound_that_was_heard() -> None:
    with pytest.raises(AnswerFault, match="Choose the better caption"):
        judged({"heard": True})
    for heard in (False, None, 1, "yes"):
        for options in ({}, {"with_sound": 0}, {"sounds": False}):
            with pytest.raises(AnswerFault, match="Listen to the whole sound first, then judge"):
                judged({"choice": "a", "heard": heard}, **options)
    unheard = {"choice": "a", "heard": False}
    assert judged({"choice": "a"}, with_sound=0, sounds=False) == unheard
    assert judged({}, complete=False) == {"choice": "", "heard": False}


def test_where_pairs_without_a_sound_can_be_judged_those_with_one_must_be_heard(
    pairs: Workshop,
) -> None:
    """What is sent past the page is not taken, nor what was said before the sound came in."""
    Project.objects.update(kind_options={"with_sound": 0})
    first = pairs.items[0]

    def judged(edit: str, *, heard: bool, base: int = 0) -> int:
        change = AnswerChange(edit=edit, base=base, value={"choice": "a", "heard": heard})
        return annotation_save(item=first, user=pairs.ann, change=change, now=NOW).version

    assert judged("edit-one", heard=False) == 1
    stored = recording_save(BytesIO(wav()))
    Sound.objects.create(
        project=pairs.project,
        file_name=first.meta["file_name"],
        sha256=stored.sha256,
        size=stored.size,
        media_type=stored.media_type,
    )
    with pytest.raises(AnswerFault, match=r"^Listen to the whole sound first, then judge\.$"):
        judged("edit-two", heard=False, base=1)
    assert judged("edit-three", heard=True, base=1) == 2


def test_options_that_cannot_be_are_refused() -> None:
    assert JUDGE.options({}) == {"with_sound": 1}
    limits: list[dict[str, Any]] = [
        {"least": 9, "most": 8},
        {"least": 0},
        {"most": "20"},
        {"least": 8.0},
    ]
    wrong: list[tuple[Any, dict[str, Any], str]] = [
        *((WRITE, row, "the smaller one first") for row in limits),
        *((RATE, {"keep": keep}, "from 1 to 100") for keep in (0, 101, "5", 2.0, None)),
        *((JUDGE, {"with_sound": one}, "is 0 or 1") for one in (2, -1, "1", True, None, 0.5)),
    ]
    for kind, options, says in wrong:
        with pytest.raises(AnswerFault, match=says):
            kind.options(options)
