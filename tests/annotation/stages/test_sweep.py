"""Sweeping: what changed is fed, however it changed, and what did not is left alone."""

from collections.abc import Callable

import pytest
from pytest_django import DjangoAssertNumQueries

from annotation import tasks
from annotation.models import Annotation, Item, Project, Sound
from annotation.selectors.stages.state import stages_state
from annotation.services.closing import project_set_closed
from annotation.services.projects import ProjectAct
from annotation.services.refusals import answer_refuse, refusal_take_back
from tests.annotation.conftest import NOW
from tests.annotation.stages.conftest import BETTER, ONE, OTHER, Chain


def captions_to_edit(chain: Chain) -> list[str]:
    return [item.content["caption"] for item in chain.edit.items.all()]


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


def test_an_exchange_between_two_answers_changes_the_state(chain: Chain) -> None:
    """Sums of ids would stay the same."""
    one = chain.written(0, chain.people[0], ONE)
    other = chain.written(0, chain.people[1], OTHER)
    before = stages_state(chain.write)
    first, second = one.assignment_id, other.assignment_id
    Annotation.objects.filter(pk=one.pk).update(assignment=None)
    Annotation.objects.filter(pk=other.pk).update(assignment=first)
    Annotation.objects.filter(pk=one.pk).update(assignment=second)
    assert stages_state(chain.write) != before
