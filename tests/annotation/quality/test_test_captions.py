"""Test captions: mixed in unseen, never twice, and counted nowhere but against gold."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Annotation, Assignment, Gold, Order, Project, Role
from annotation.selectors.adjudication.cases import cases_of
from annotation.selectors.agreement.answers import agreement_data
from annotation.selectors.formats import ExportSelection, export_rows
from annotation.selectors.progress import own_progress, project_progress
from annotation.services.life_cycle import project_set_closed
from annotation.services.projects import ProjectAct, Task, items_add, member_add
from annotation.services.qualification import project_set_tests
from annotation.services.tasks import tasks_take
from leaderboard.models import User
from tests.annotation.conftest import LEASE, NOW, Crew, make_project
from tests.annotation.labelled import label

EVERY, SETTLED, WORK = 4, 10, 20


def act(user: User) -> ProjectAct:
    return ProjectAct(user, NOW)


@pytest.fixture
def project(crew: Crew) -> Project:
    """Twenty captions for one person each, and ten settled ones; one in four is a test."""
    texts = tuple(f"caption number {n} of these" for n in range(WORK))
    made = make_project(crew.manager, texts=texts, copies=1)
    member_add(project=made, user=crew.ann)
    # Captions that somebody else labelled, all words as nothing, and that are settled.
    settled = [Task(f"settled caption number {n}") for n in range(SETTLED)]
    for item in items_add(project=made, tasks=settled):
        label(item, crew.manager)
        Gold.objects.create(
            item=item, labels=["O"] * len(item.tokens), provenance=[], settled_at=NOW
        )
    project_set_tests(project=made, every=EVERY, act=act(crew.manager))
    return made


def taken(project: Project, user: User, count: int = 6) -> list[Assignment]:
    return tasks_take(project=project, user=user, count=count, now=NOW, lease=LEASE)


def all_taken(project: Project, user: User) -> Iterator[Assignment]:
    """Label everything, one caption after another."""
    while held := taken(project, user):
        for assignment in held:
            label(assignment.item, user, (1, 1, "WHO"))
            yield assignment


def test_they_come_at_the_rate_never_twice_and_count_nowhere(crew: Crew, project: Project) -> None:
    before, left = project_progress(project), [own_progress(project, crew.ann, NOW).left]
    handed = []
    for one in all_taken(project, crew.ann):
        handed.append(one)
        left.append(own_progress(project, crew.ann, NOW).left)
    tests = [one for one in handed if one.test]
    assert len({one.item_id for one in handed}) == len(handed)
    assert len(handed) - len(tests) == WORK
    assert WORK // EVERY <= len(tests) <= 7
    runs = [[one.test for one in handed[n : n + EVERY]] for n in range(0, WORK, EVERY)]
    assert all(sum(run) == 1 for run in runs)
    assert not handed[-1].test, "none comes after the last that is work"
    # What is left would tell them, were tests not counted before they come.
    assert left == list(range(left[0], -1, -1))
    after = project_progress(project)
    assert after.assignments == before.assignments
    assert after.assignments_done == before.assignments_done + WORK
    assert len(list(export_rows(project, ExportSelection()))) == SETTLED + WORK
    assert not agreement_data(project).captions
    items = [one.item_id for one in tests]
    assert not Annotation.objects.filter(item__in=items, user=crew.ann).exists()
    page = crew.client(crew.manager).get(reverse("annotation:people", args=[project.slug]))
    row = next(row for row in page.context["members"] if row["member"].user == crew.ann)
    assert row["answered"] == WORK


def test_what_a_person_is_shown_is_the_same(crew: Crew, project: Project) -> None:
    client = crew.client(crew.ann)
    base = f"/api/v1/labelling/{project.slug}"
    body = client.post(f"{base}/tasks", {"count": 12}, "application/json").json()
    tests = set(Assignment.every.filter(test=True, user=crew.ann).values_list("item_id", flat=True))
    assert tests
    kinds: dict[bool, list[Any]] = {True: [], False: []}
    for number, task in enumerate(body["tasks"]):
        change = {"edit": f"edit-{number:04}", "base": 0, "spans": []}
        with CaptureQueriesContext(connection) as asked:
            stored = client.put(
                f"{base}/items/{task['id']}/annotation", change, "application/json"
            ).json()
        one = client.get(f"{base}/items/{task['id']}").json()
        known = ("measures_agreement", "held_until", "suggestion", "meta")
        kinds[task["id"] in tests].append(
            (
                len(asked),
                stored["counts"],
                sorted(stored),
                sorted(one),
                [task[name] is not None for name in known],
                len(client.get(f"{base}/items/{task['id']}/versions").json()["versions"]),
            )
        )
    assert len({repr(row) for rows in kinds.values() for row in rows}) == 1
    own = client.get(f"{base}/own").json()
    assert (own["answered"], own["uncounted"], own["against_gold"]) == (12, 0, None)
    history = client.get(f"{base}/history").json()["tasks"]
    assert {task["id"] for task in history} >= tests
    page = client.get(reverse("annotation:history", args=[project.slug])).content.decode()
    assert "Late" not in page
    assert "Not counted" not in page


def test_a_test_at_hand_hinders_nobody_and_goes_with_who_leaves(
    crew: Crew, project: Project
) -> None:
    for user, role in ((crew.judge, Role.ADJUDICATOR), (crew.bob, Role.MANAGER)):
        member_add(project=project, user=user, role=role)
        assert not [one for one in taken(project, user, 8) if one.test], "could look it up"
    held = taken(project, crew.ann, 8)
    (test, *_) = [one for one in held if one.test]
    assert cases_of(project, [test.item_id])[0].complete, "gold can be corrected"
    for one in held[:6]:
        label(one.item, crew.ann)
    count = Annotation.every.filter(test=True).count()
    crew.ann.delete()
    assert not Assignment.every.filter(test=True, done=False).exists()
    assert Annotation.every.filter(test=True).count() == count


def test_what_came_while_a_project_was_closed_counts_like_the_others_afterwards(
    crew: Crew, project: Project
) -> None:
    held = taken(project, crew.ann, 12)
    assert any(one.test for one in held)
    project_set_closed(project=project, closed=True, act=act(crew.manager))
    for one in held:
        assert not label(one.item, crew.ann).counts
    counted, _ = project_set_closed(project=project, closed=False, act=act(crew.manager))
    assert counted == sum(not one.test for one in held)
    own = own_progress(project, crew.ann, NOW)
    assert (own.answered, own.uncounted) == (12, 0)


def test_captions_that_came_as_given_come_at_random_then(crew: Crew) -> None:
    """In their order a caption from far behind would be known as a test."""
    client, address = crew.client(crew.manager), f"/annotate/{crew.project.slug}/quality/tests/"
    assert (
        "at random from now on"
        in client.post(address, {"every": "5"}, follow=True).content.decode()
    )
    crew.project.refresh_from_db()
    assert (crew.project.test_every, crew.project.order) == (5, Order.RANDOM)
    ranks = list(Assignment.objects.filter(project=crew.project).values_list("rank", flat=True))
    assert max(ranks) < 1
    settings = {"name": "x", "copies": "2", "share": "100", "order": "given"}
    settings["suggestion_threshold"] = "70"
    refused = client.post(reverse("annotation:manage-settings", args=[crew.project.slug]), settings)
    assert "tests could be recognised by their numbers" in refused.content.decode()
    client.post(address, {"every": ""})
    crew.project.refresh_from_db()
    assert crew.project.test_every is None
    assert client.post(address, {"every": "1"}).status_code == 422
