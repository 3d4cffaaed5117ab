"""Closing and answering at the same moment, on the real database: one waits for the other."""

from datetime import datetime
from threading import Event
from typing import Any

import pytest
from django.db import connection, transaction

from annotation.models import Annotation, Assignment, Item, Project
from annotation.services import answers, tasks
from annotation.services.life_cycle import project_set_closed
from annotation.services.people import person_leaves
from annotation.services.projects import ProjectAct
from annotation.services.tasks import tasks_take
from leaderboard.models import User
from tests.annotation.conftest import LEASE, NOW, Crew
from tests.annotation.labelled import label
from tests.waiting import elsewhere, waits

pytestmark = pytest.mark.django_db(transaction=True)


def close(crew: Crew) -> None:
    project = Project.objects.get()
    project_set_closed(project=project, closed=True, act=ProjectAct(crew.manager, NOW))


def test_closing_waits_for_an_answer_on_its_way_which_counts(crew: Crew) -> None:
    with transaction.atomic():
        label(crew.items[0], crew.ann)
        closing = elsewhere(lambda: close(crew))
        assert waits(closing)
    closing.result()
    assert Project.objects.get().closed
    assert Annotation.objects.get().counts


def test_an_answer_during_the_closing_waits_and_is_kept_without_counting(crew: Crew) -> None:
    tasks_take(project=crew.project, user=crew.ann, count=1, now=NOW, lease=LEASE)
    with transaction.atomic():
        close(crew)
        answer = elsewhere(lambda: label(crew.items[0], crew.ann))
        assert waits(answer)
    answer.result()
    assert not Annotation.objects.get().counts


def test_captions_asked_for_during_the_closing_are_not_handed_out(crew: Crew) -> None:
    """The request read the project while it was open."""
    project = Project.objects.get()
    with transaction.atomic():
        close(crew)
        taken = elsewhere(
            lambda: tasks_take(project=project, user=crew.ann, count=2, now=NOW, lease=LEASE)
        )
        assert waits(taken)
    assert taken.result() == []


def test_who_leaves_during_the_closing_waits_and_holds_nothing_it_needs(crew: Crew) -> None:
    tasks_take(project=crew.project, user=crew.ann, count=2, now=NOW, lease=LEASE)
    with transaction.atomic():
        close(crew)
        leaving = elsewhere(lambda: person_leaves(crew.ann, now=NOW))
        assert waits(leaving)
        held = Assignment.objects.select_for_update(nowait=True).filter(user=crew.ann)
        assert len(held) == 2
    leaving.result()
    assert not Assignment.objects.filter(user=crew.ann).exists()


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time")
def test_a_late_answer_and_the_next_person_do_not_wait_for_each_other(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One has the caption and wants its assignment, the other has that and notes the caption."""
    later = NOW + 2 * LEASE
    taken, answering = Event(), Event()
    take, assign = tasks._take_unmet, answers.assignment_for

    def taking(*given: Any) -> list[Assignment]:
        found = take(*given)
        taken.set()
        answering.wait()
        return found

    def assigning(item: Item, user: User, now: datetime) -> Assignment | None:
        answering.set()
        taken.wait()
        return assign(item, user, now)

    tasks.tasks_take(project=crew.project, user=crew.ann, count=1, now=NOW, lease=LEASE)
    monkeypatch.setattr(tasks, "_take_unmet", taking)
    monkeypatch.setattr(answers, "assignment_for", assigning)
    answer = elsewhere(lambda: label(crew.items[0], crew.ann, now=later))
    handing = elsewhere(
        lambda: tasks.tasks_take(
            project=crew.project, user=crew.bob, count=1, now=later, lease=LEASE
        )
    )
    answer.result()
    handing.result()
    handed = Assignment.objects.get(user=crew.bob)
    late = Annotation.objects.get(user=crew.ann)
    assert late.assignment != handed
