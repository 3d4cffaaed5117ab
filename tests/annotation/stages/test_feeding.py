"""Answers of a stage become the items of the next one, and follow what becomes of them."""

from collections.abc import Callable
from typing import Any

import pytest
from kombu.exceptions import OperationalError
from pytest_django import DjangoAssertNumQueries

from annotation import tasks
from annotation.models import Annotation, Answer, Assignment, EarlierHand, Item, Project, Sound
from annotation.selectors.stages.chain import stages_state
from annotation.selectors.stages.plan import stage_plan
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.captions import answer_refuse, refusal_take_back
from annotation.services.life_cycle import project_set_closed
from annotation.services.projects import ProjectAct
from annotation.services.stages import StageReport, stage_update
from leaderboard.models import User
from tests.annotation.conftest import NOW
from tests.annotation.stages.conftest import BETTER, ONE, OTHER, Chain, answer, numbers, skipped

Capture = Callable[..., Any]


def captions_to_edit(chain: Chain) -> list[str]:
    return [item.content["caption"] for item in chain.edit.items.all()]


def versions(chain: Chain) -> list[list[str]]:
    return [[row["text"] for row in item.content["captions"]] for item in chain.rate.items.all()]


def edited(chain: Chain, at: int, text: str) -> Annotation:
    """An edit item by the person after those who write."""
    item = chain.edit.items.order_by("position")[at]
    return answer(item, chain.people[2], {"text": text, "heard": True})


def all_written_and_edited(chain: Chain) -> None:
    ann, bob = chain.people[:2]
    chain.written(0, ann, ONE)
    chain.written(0, bob, OTHER)
    chain.feed()
    edited(chain, 0, ONE.upper() + ".")
    edited(chain, 1, BETTER)
    chain.feed()


def test_an_accepted_caption_is_to_be_edited_as_soon_as_it_is_there(chain: Chain) -> None:
    kept = chain.written(0, chain.people[0], ONE)
    chain.written(1, chain.people[0], "too short", answer=Answer.REJECT)
    skipped(chain.write.items.get(position=2), chain.people[0])
    chain.feed()
    item = chain.edit.items.get()
    assert item.content == {"caption": ONE, "annotation": kept.pk}
    assert (item.text, item.meta["file_name"]) == ("rain on a roof.wav", "rain on a roof.wav")
    assert (item.copies, item.assignments.count()) == (1, 1)
    assert not chain.rate.items.exists()


def test_recordings_come_along_and_are_replaced_with_the_sources(chain: Chain) -> None:
    chain.written(0, chain.people[0], ONE)
    chain.feed()
    assert [row.sha256 for row in chain.edit.sounds.all()] == ["0" * 64]
    Sound.objects.filter(project=chain.write).update(sha256="a" * 64)
    chain.feed()
    assert [row.sha256 for row in chain.edit.sounds.all()] == ["a" * 64]


def test_feeding_again_changes_nothing(chain: Chain) -> None:
    all_written_and_edited(chain)
    tables = (Item, Assignment, EarlierHand, Sound)
    before = [set(table._default_manager.values_list("pk", flat=True)) for table in tables]
    assert before[2]
    for project in (chain.edit, chain.rate):
        assert stage_update(project=project, now=NOW) == StageReport()
    after = [set(table._default_manager.values_list("pk", flat=True)) for table in tables]
    assert before == after


def test_a_clip_is_rated_once_all_of_it_is_written_and_edited(chain: Chain) -> None:
    ann, bob = chain.people[:2]
    chain.written(0, ann, ONE)
    chain.feed()
    edited(chain, 0, BETTER)
    chain.feed()
    assert not chain.rate.items.exists(), "a second caption is to be written"
    chain.written(0, bob, OTHER)
    stage_update(project=chain.rate, now=NOW)
    assert not chain.rate.items.exists(), "it is not even to be edited yet"
    chain.feed()
    assert not chain.rate.items.exists(), "it is to be edited"
    edited(chain, 1, OTHER)
    chain.feed()
    assert versions(chain) == [[ONE, OTHER, BETTER]]


def test_equal_texts_are_one_version_with_all_answers_that_said_it(chain: Chain) -> None:
    all_written_and_edited(chain)
    item = chain.rate.items.get()
    texts = {row["text"]: len(row["annotations"]) for row in item.content["captions"]}
    # The later stage has the text as it should be.
    assert texts == {f"{ONE.upper()}.": 2, OTHER: 1, BETTER: 1}
    assert item.copies == 2


def test_what_was_removed_here_does_not_come_again_and_what_was_at_the_source_goes(
    chain: Chain,
) -> None:
    kept = [chain.written(at, chain.people[0], f"{ONE} {at}") for at in range(3)]
    chain.feed()
    Item.objects.filter(project=chain.edit, position=0).update(removed_at=NOW)
    Item.objects.filter(project=chain.write, position=1).update(removed_at=NOW)
    # As of one that is sent back.
    Annotation.objects.filter(pk=kept[2].pk).update(assignment=None)
    chain.feed()
    assert not chain.edit.items.exists()
    assert Item.with_removed.filter(project=chain.edit).count() == 1


def test_a_closed_stage_lacks_no_answers(chain: Chain) -> None:
    chain.written(0, chain.people[0], ONE)
    chain.feed()
    Project.objects.filter(pk__in=[chain.write.pk, chain.edit.pk]).update(closed=True)
    chain.feed()
    assert versions(chain) == [[ONE]]


@pytest.mark.parametrize("other", [Answer.REJECT, Answer.IGNORE])
def test_what_nobody_was_handed_follows_the_answers(chain: Chain, other: Answer) -> None:
    ann = chain.people[0]
    chain.written(0, ann, ONE)
    chain.feed()
    chain.written(0, ann, BETTER)
    assert stage_update(project=chain.edit, now=NOW) == StageReport(changed=1)
    assert captions_to_edit(chain) == [BETTER]
    chain.written(0, ann, BETTER, answer=other)
    assert stage_update(project=chain.edit, now=NOW) == StageReport(dropped=1)
    assert not Item.with_removed.filter(project=chain.edit).exists()
    chain.written(0, ann, ONE)
    chain.feed()
    assert captions_to_edit(chain) == [ONE]


@pytest.mark.parametrize("is_answered", [False, True])
def test_what_somebody_was_handed_stays_and_is_told(chain: Chain, is_answered: bool) -> None:
    ann, cho = chain.people[0], chain.people[2]
    chain.written(0, ann, ONE)
    chain.feed()
    assert len(chain.taken(chain.edit, cho)) == 1
    if is_answered:
        edited(chain, 0, ONE)
    chain.written(0, ann, BETTER)
    assert stage_update(project=chain.edit, now=NOW) == StageReport(outdated=1)
    chain.written(0, ann, BETTER, answer=Answer.REJECT)
    assert stage_update(project=chain.edit, now=NOW) == StageReport(outdated=1)
    assert captions_to_edit(chain) == [ONE]
    assert [item.content["caption"] for item in stage_plan(chain.edit).outdated] == [ONE]


def test_a_clip_with_ratings_stays_when_its_captions_change(chain: Chain) -> None:
    all_written_and_edited(chain)
    item = chain.rate.items.get()
    answer(item, chain.people[3], numbers(item, 4, 4))
    edited(chain, 1, OTHER)
    chain.feed()
    assert chain.rate.items.get().content == item.content
    assert stage_plan(chain.rate).outdated == (item,)


def test_projects_whose_first_stage_was_deleted_stay_as_they_are(chain: Chain) -> None:
    all_written_and_edited(chain)
    Project.objects.filter(pk=chain.edit.pk).update(source=None)
    chain.rate.refresh_from_db()
    for project in (Project.objects.get(pk=chain.edit.pk), chain.rate):
        assert stage_update(project=project, now=NOW) == StageReport()


def put(chain: Chain, user: User, item: Item) -> None:
    change = {"edit": "edit-one-1", "base": 0, "value": {"text": ONE, "heard": True}}
    address = f"/api/v1/labelling/write/items/{item.pk}/annotation"
    kept = chain.client(user).put(address, change, content_type="application/json")
    assert kept.status_code == 200


@pytest.mark.parametrize("queue", [True, False])
def test_an_answer_through_the_api_feeds_the_next_stage_or_else_the_sweep_does(
    chain: Chain,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Capture,
    queue: bool,
) -> None:
    def refuse(*_: object) -> None:
        raise OperationalError("no broker")

    monkeypatch.setattr(tasks.stages_feed, "delay", tasks.stages_feed if queue else refuse)
    item = chain.taken(chain.write, chain.people[0])[0]
    with django_capture_on_commit_callbacks(execute=True):
        put(chain, chain.people[0], item)
    assert captions_to_edit(chain) == [ONE] * queue
    monkeypatch.setattr(tasks.stages_feed, "delay", tasks.stages_feed)
    tasks.stages_sweep()
    assert captions_to_edit(chain) == [ONE]


def test_a_late_answer_that_does_not_count_feeds_nothing(chain: Chain) -> None:
    item = chain.write.items.get(position=0)
    for user in chain.people[:3]:
        change = AnswerChange(edit=f"edit-{user.pk}", base=0, value={"text": ONE, "heard": True})
        annotation_save(item=item, user=user, change=change, now=NOW)
    chain.feed()
    assert chain.edit.items.count() == 2


def fed_by_sweep(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sweep; the projects that were fed."""
    fed: list[int] = []

    def feed(project: int, clip: str | None) -> None:
        fed.append(project)
        tasks.stages_feed(project, clip)

    monkeypatch.setattr(tasks.stages_feed, "delay", feed)
    tasks.stages_sweep()
    return fed


def test_a_sweep_reads_no_chain_in_which_nothing_changed(
    chain: Chain,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    """Else every sweep compares thousands of captions for nothing."""
    for at, user in enumerate(chain.people[:3]):
        chain.written(at, user, f"{ONE} number {at}")
    while fed_by_sweep(monkeypatch):  # what it adds is a change, too
        pass
    with django_assert_max_num_queries(12):
        assert fed_by_sweep(monkeypatch) == []
    chain.written(0, chain.people[0], OTHER)
    assert fed_by_sweep(monkeypatch) == [chain.write.pk]
    assert OTHER in captions_to_edit(chain)


def test_a_sweep_that_broke_off_is_done_again(
    chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(**_: object) -> None:
        raise RuntimeError("the worker was killed")

    chain.written(0, chain.people[0], ONE)
    with monkeypatch.context() as broken:
        broken.setattr(tasks, "stages_update", crash)
        with pytest.raises(RuntimeError):
            fed_by_sweep(broken)
    assert fed_by_sweep(monkeypatch) == [chain.write.pk]
    assert captions_to_edit(chain) == [ONE]


def test_whatever_stages_are_fed_by_changes_their_state(chain: Chain) -> None:
    """What left the state as it is would be fed a day later."""
    act, first = ProjectAct(chain.manager, NOW), chain.write.items.order_by("position")[0]
    kept = chain.written(0, chain.people[0], ONE)
    other = chain.written(0, chain.people[1], OTHER)

    def sound_again() -> None:
        sound = Sound.objects.filter(project=chain.write).first()
        assert sound is not None
        Sound.objects.filter(pk=sound.pk).delete()
        Sound.objects.create(
            project=chain.write, file_name=sound.file_name, sha256="f" * 64, size=9, media_type="x"
        )

    acts: dict[str, Callable[[], object]] = {
        "a changed answer": lambda: chain.written(0, chain.people[0], BETTER),
        "one handed out": lambda: chain.taken(chain.write, chain.people[2], 1),
        "feeding": chain.feed,
        "refusing": lambda: answer_refuse(annotation=kept, note="no", seen=2, act=act),
        "taking it back": lambda: refusal_take_back(annotation=kept, act=act),
        "refusing another": lambda: answer_refuse(annotation=other, note="no", seen=1, act=act),
        "removing": lambda: Item.objects.filter(pk=first.pk).update(removed_at=NOW),
        "bringing back": lambda: Item.with_removed.filter(pk=first.pk).update(removed_at=None),
        "another recording": sound_again,
        "closing": lambda: project_set_closed(project=chain.write, closed=True, act=act),
    }
    states = [stages_state(chain.write)]
    for name, change in acts.items():
        change()
        states.append(stages_state(Project.objects.get(pk=chain.write.pk)))
        assert states[-1] != states[-2], name
    assert stages_state(Project.objects.get(pk=chain.write.pk)) == states[-1]
