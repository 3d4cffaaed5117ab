"""Judging pairs: what is shown to whom, what is taken, how answers read."""

from collections import Counter
from html import unescape
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.kinds.judge import order_for
from annotation.kinds.registry import kind_named
from annotation.kinds.work_kind import AnswerFault, SaidAsShown, WorkTask
from annotation.models import Item, Project, Sound
from annotation.services.answers import AnswerChange, annotation_save
from leaderboard.models import User
from leaderboard.services.clips.recordings import recording_save
from tests.annotation.conftest import NOW, Crew
from tests.annotation.kinds.conftest import Workshop, make_workshop
from tests.leaderboard.scored_pages import text
from tests.sounds import wav

JUDGE = kind_named("judge")
CAPTIONS = {"a": "rain falls", "b": "water drips"}


def item(key: str = "k") -> Item:
    return Item(key=key, content={"captions": list(CAPTIONS.values()), "facet": "HC"})


def taken(
    value: Any, *, with_sound: int = 1, complete: bool = True, sounds: bool = True
) -> dict[str, Any]:
    task = WorkTask(item(), 1, {"with_sound": with_sound}, lambda: sounds)
    return JUDGE.checked(value, task, complete=complete)


@pytest.fixture
def workshop(db: None) -> Workshop:
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
    assert isinstance(JUDGE, SaidAsShown)
    shown = JUDGE.shown(item(key), user)
    said = JUDGE.said_as_shown({"choice": choice}, shown)
    place = {"The first is better": 0, "The second is better": 1}[said]
    assert shown.content["captions"][place]["text"] == CAPTIONS[choice]


def test_the_three_choices_are_taken_and_nothing_else() -> None:
    for choice in ("a", "b", "alike"):
        value = {"choice": choice, "heard": True, "left": "a"}
        assert taken(value) == {"choice": choice, "heard": True}
    others: list[Any] = ["c", "A", "first", 1, None, ["a"], {"a": 1}, "a" * 10_000]
    for other in others:
        for complete in (True, False):
            with pytest.raises(AnswerFault, match='The choice is "a", "b" or "alike"'):
                taken({"choice": other, "heard": True}, complete=complete)


def test_a_whole_answer_has_a_choice_and_a_sound_that_was_heard() -> None:
    with pytest.raises(AnswerFault, match="Choose the better caption"):
        taken({"heard": True})
    for heard in (False, None, 1, "yes"):
        for options in ({}, {"with_sound": 0}, {"sounds": False}):
            with pytest.raises(AnswerFault, match="Listen to the whole sound first, then judge"):
                taken({"choice": "a", "heard": heard}, **options)
    unheard = {"choice": "a", "heard": False}
    assert taken({"choice": "a"}, with_sound=0, sounds=False) == unheard
    assert taken({}, complete=False) == {"choice": "", "heard": False}


def test_where_pairs_without_a_sound_can_be_judged_those_with_one_must_be_heard(
    workshop: Workshop,
) -> None:
    """What is sent past the page is not taken, nor what was said before the sound came in."""
    Project.objects.update(kind_options={"with_sound": 0})
    first = workshop.items[0]

    def judged(edit: str, *, heard: bool, base: int = 0) -> int:
        change = AnswerChange(edit=edit, base=base, value={"choice": "a", "heard": heard})
        return annotation_save(item=first, user=workshop.ann, change=change, now=NOW).version

    assert judged("edit-one", heard=False) == 1
    stored = recording_save(BytesIO(wav()))
    Sound.objects.create(
        project=workshop.project,
        file_name=first.meta["file_name"],
        sha256=stored.sha256,
        size=stored.size,
        media_type=stored.media_type,
    )
    with pytest.raises(AnswerFault, match=r"^Listen to the whole sound first, then judge\.$"):
        judged("edit-two", heard=False, base=1)
    assert judged("edit-three", heard=True, base=1) == 2


def test_what_has_no_sound_is_skipped_at_first_and_other_options_are_refused() -> None:
    assert JUDGE.options({}) == {"with_sound": 1}
    values: list[Any] = [2, -1, "1", True, None, 0.5]
    for value in values:
        with pytest.raises(AnswerFault, match="with_sound is 0 or 1"):
            JUDGE.options({"with_sound": value})


def test_a_project_is_made_by_its_form_and_goes_on_to_its_pairs(db: None) -> None:
    staff = User.objects.create_user("sam", is_staff=True)
    client = Crew.client(None, staff)  # type: ignore[arg-type]
    address = "/annotate/new/work/judge/"
    assert address in client.get("/annotate/new/").content.decode()
    values = {"name": "Court", "copies": 4, "order": "random", "guidelines": "", "with_sound": "0"}
    made = client.post(address, values)
    project = Project.objects.get()
    assert made["Location"] == f"/annotate/{project.slug}/manage/pairs/"
    assert (project.kind, project.kind_options) == ("judge", {"with_sound": 0})
    for wrong in ("2", "", "x"):
        refused = client.post(address, values | {"with_sound": wrong})
        assert refused.status_code == 422, wrong
    shown = client.get(f"/annotate/{project.slug}/manage/settings/").content.decode()
    assert '<option value="0" selected>Can be judged by the captions alone' in shown


def test_answers_are_listed_in_the_order_that_was_seen_and_had_as_lines(
    workshop: Workshop,
) -> None:
    change = AnswerChange(edit="edit-one", base=0, value={"choice": "a", "heard": True})
    annotation_save(item=workshop.items[0], user=workshop.ann, change=change, now=NOW)
    root = f"/annotate/{workshop.project.slug}"
    shown = unescape(workshop.client(workshop.ann).get(f"{root}/history/").content.decode())
    first = order_for(workshop.items[0], workshop.ann.pk)[0]
    assert f"The {'first' if first == 'a' else 'second'} is better" in shown
    assert ".wav" not in shown
    managed, address = workshop.client(workshop.manager), f"{root}/manage/answers/"
    page = managed.get(address).content
    assert "A is better" in text(page)
    assert "Pairs with all answers" in text(managed.get(f"{root}/manage/").content)
    codes = [managed.get(f"{address}?format={name}").status_code for name in ("jsonl", "csv")]
    assert codes == [200, 404], "not as captions of clips"
    assert "format=csv" not in page.decode()
