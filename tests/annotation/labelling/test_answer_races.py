"""Answers and handing out at the same moment, on the real database."""

from datetime import datetime
from threading import Event
from typing import Any

import pytest
from django.db import connection

from annotation.models import Annotation, Assignment, Item
from annotation.services import answers, tasks
from leaderboard.models import User
from tests.annotation.conftest import LEASE, NOW, Crew
from tests.annotation.labelled import label
from tests.waiting import elsewhere

pytestmark = pytest.mark.django_db(transaction=True)


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
