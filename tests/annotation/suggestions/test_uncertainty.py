"""Most uncertain first: the captions of which the labeller is least sure are handed out first."""

import logging
from collections.abc import Sequence
from typing import Any

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks

from annotation import tasks
from annotation.models import Assignment, Item, Order, Project
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.projects import Task, items_add
from annotation.services.suggestions import doubts, items_rank
from annotation.services.tasks import tasks_take
from scoring.models.descriptors import DescriptorLabeller, find_labeller
from tests.annotation.conftest import LEASE, NOW, Crew

# By the captions of the crew: the third is the least certain.
SURE = {"dog": 0.9, "people": 0.2, "rain": 0.7, "door": 0.8, "cat": 0.1}


@pytest.fixture
def uncertain(crew: Crew, monkeypatch: pytest.MonkeyPatch) -> Crew:
    def fake(_labeller: DescriptorLabeller, texts: Sequence[str]) -> list[float]:
        return [1 - next(SURE[word] for word in SURE if word in text) for text in texts]

    monkeypatch.setattr("annotation.services.suggestions.doubts", fake)
    crew.project.order = Order.UNCERTAIN
    crew.project.save()
    return crew


def next_texts(crew: Crew, count: int = 4) -> list[str]:
    assignments = tasks_take(project=crew.project, user=crew.ann, count=count, now=NOW, lease=LEASE)
    return [assignment.item.text.split()[-1] for assignment in assignments]


def test_the_least_certain_come_first(uncertain: Crew) -> None:
    assert items_rank(project=uncertain.project, now=NOW) == 4
    assert next_texts(uncertain) == ["passes", "roof", "shut", "distance"]
    assert items_rank(project=uncertain.project, now=NOW) == 4


def test_the_project_says_which_labeller_made_the_order_and_when(uncertain: Crew) -> None:
    items_rank(project=uncertain.project, now=NOW)
    uncertain.project.refresh_from_db()
    assert uncertain.project.ranked_by == find_labeller().identity
    assert uncertain.project.ranked_at == NOW
    page = uncertain.client(uncertain.manager).get(f"/annotate/{uncertain.project.slug}/manage/")
    assert f"Most uncertain first by <code>{find_labeller().identity}</code>" in page.text


def test_the_sweep_orders_anew_what_another_labeller_ordered(
    uncertain: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what came after the order was made, should its message have been lost."""
    asked: list[int] = []
    monkeypatch.setattr(tasks.items_rank, "delay", asked.append)
    tasks.labeller_sweep()
    assert asked == [uncertain.project.pk]
    tasks.items_rank(uncertain.project.pk)
    tasks.labeller_sweep()
    assert len(asked) == 1, "what is in order is not sent again"
    items_add(project=uncertain.project, tasks=[Task("a cat")])
    tasks.labeller_sweep()
    assert len(asked) == 2
    tasks.items_rank(uncertain.project.pk)
    Project.objects.update(ranked_by="other@00000000")
    tasks.labeller_sweep()
    assert len(asked) == 3
    Project.objects.update(closed=True)
    tasks.labeller_sweep()
    assert len(asked) == 3, "nothing of a closed project is handed out"


def test_captions_that_are_added_later_find_their_place(uncertain: Crew) -> None:
    items_rank(project=uncertain.project, now=NOW)
    items_add(project=uncertain.project, tasks=[Task("a cat")])
    assert Item.objects.latest("pk").rank == 4
    items_rank(project=uncertain.project, now=NOW)
    assert next_texts(uncertain, 2) == ["cat", "passes"]


def test_what_is_done_is_left_as_it_is(uncertain: Crew) -> None:
    item = uncertain.items[0]
    for user in (uncertain.ann, uncertain.bob):
        annotation_save(item=item, user=user, change=AnswerChange("edit-one", 0, []), now=NOW)
    assert items_rank(project=uncertain.project, now=NOW) == 3
    assert {assignment.rank for assignment in Assignment.objects.filter(item=item)} == {0.0}


def test_other_orders_are_left_alone(crew: Crew) -> None:
    assert items_rank(project=crew.project, now=NOW) == 0
    assert [item.rank for item in crew.project.items.all()] == [0, 1, 2, 3]


def test_the_labeller_is_surer_of_what_it_knows() -> None:
    texts = ["a dog barks", "quux the frobnicated blorp thereof", "..."]
    known, odd, nothing = doubts(find_labeller(), texts)
    assert 0 < known < odd
    assert nothing == 0


def test_adding_captions_has_them_ordered_after_the_commit(
    uncertain: Crew,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(tasks.items_rank, "delay", asked.append)
    client = uncertain.client(uncertain.manager)
    told = {"name": "x", "copies": "2", "share": "20", "order": "uncertain"}
    told["suggestion_threshold"] = "70"
    with django_capture_on_commit_callbacks(execute=True):
        client.post(f"/annotate/{uncertain.project.slug}/manage/settings/", told)
    assert asked == [uncertain.project.pk]
    with django_capture_on_commit_callbacks(execute=True):
        client.post(
            f"/annotate/{uncertain.project.slug}/manage/settings/", {**told, "order": "given"}
        )
    assert asked == [uncertain.project.pk]


def test_without_a_queue_captions_go_out_as_given(
    uncertain: Crew,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    def gone(_project: int) -> Any:
        raise OSError("no queue")

    monkeypatch.setattr(tasks.items_rank, "delay", gone)
    with caplog.at_level(logging.WARNING), django_capture_on_commit_callbacks(execute=True):
        tasks.labelling_enqueue(uncertain.project)
    assert "captions go out as given" in caplog.text
    assert next_texts(uncertain, 1) == ["distance"]


def test_the_task_of_a_project_that_is_gone_does_nothing(uncertain: Crew) -> None:
    tasks.items_rank(0)
    tasks.items_rank(uncertain.project.pk)
    assert next_texts(uncertain, 1) == ["passes"]
