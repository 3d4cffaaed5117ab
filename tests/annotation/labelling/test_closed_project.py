"""A closed project: who labels is told so, and only what counts is counted."""

from datetime import timedelta
from typing import Any

import pytest

from annotation.models import Annotation, Lateness, Project
from annotation.selectors.progress import own_progress
from annotation.selectors.projects import member_rows
from annotation.services.answers import agreement_note_shown
from annotation.services.life_cycle import project_set_closed
from annotation.services.projects import ProjectAct, member_remove
from annotation.services.tasks import tasks_take
from tests.annotation.conftest import LEASE, NOW, Crew
from tests.annotation.labelled import label


def close(crew: Crew, *, closed: bool = True) -> tuple[int, int]:
    return project_set_closed(
        project=crew.project, closed=closed, act=ProjectAct(crew.manager, NOW)
    )


def tasks(crew: Crew) -> dict[str, Any]:
    address = f"/api/v1/labelling/{crew.project.slug}/tasks"
    return crew.client(crew.ann).post(address, "{}", "application/json").json()


def test_who_labels_is_told_who_closed_the_project_and_what_follows(crew: Crew) -> None:
    assert tasks(crew)["own"]["closed"] is None
    # A closing of which nothing is known is told all the same.
    Project.objects.update(closed=True)
    told = tasks(crew)["own"]["closed"]
    assert (told["by"], told["at"]) == ("", None)
    Project.objects.update(closed=False)
    close(crew)
    reply = tasks(crew)
    told = reply["own"]["closed"]
    assert (reply["tasks"], reply["own"]["left"]) == ([], 0)
    assert (told["by"], told["at"]) == (crew.manager.username, "2026-03-01T12:00:00Z")
    assert "An answer that comes now is kept" in told["detail"]
    own = crew.client(crew.ann).get(f"/api/v1/labelling/{crew.project.slug}/own").json()
    assert own["closed"] == told
    close(crew, closed=False)
    assert tasks(crew)["own"]["closed"] is None
    # Of who left the site no name is told.
    project_set_closed(project=crew.project, closed=True, act=ProjectAct(crew.outsider, NOW))
    crew.outsider.delete()
    assert tasks(crew)["own"]["closed"] | {"detail": ""} == told | {"by": "", "detail": ""}


def test_answers_that_do_not_count_are_counted_apart(crew: Crew) -> None:
    tasks_take(project=crew.project, user=crew.ann, count=3, now=NOW, lease=LEASE)
    label(crew.items[0], crew.ann)
    close(crew)
    assert not label(crew.items[1], crew.ann).counts
    own = own_progress(crew.project, crew.ann, NOW)
    assert (own.answered, own.today, own.uncounted, own.left) == (1, 1, 1, 0)
    row = next(row for row in member_rows(crew.project, NOW) if row["member"].user == crew.ann)
    counts = [row[name] for name in ("answered", "today", "skipped", "uncounted")]
    assert counts == [1, 1, 0, 1]
    for user, path in ((crew.ann, ""), (crew.manager, f"{crew.project.slug}/manage/members/")):
        page = crew.client(user).get(f"/annotate/{path}").content.decode()
        assert "and 1 not counted" in page
    answers = crew.client(crew.ann).get(f"/annotate/{crew.project.slug}/history/").content.decode()
    assert answers.count(">Not counted<") == 1


def test_answers_that_came_meanwhile_count_once_the_project_is_opened_again(crew: Crew) -> None:
    tasks_take(project=crew.project, user=crew.ann, count=1, now=NOW, lease=LEASE)
    close(crew)
    held, free = label(crew.items[0], crew.ann), label(crew.items[1], crew.bob)
    assert [answer.counts for answer in (held, free)] == [False, False]
    client = crew.client(crew.manager)
    address = f"/annotate/{crew.project.slug}/manage/state/"
    assert "2 answers that do not count are kept" in client.get(address).content.decode()
    page = client.post(address, {"closed": "no"}, follow=True).content.decode()
    assert "2 answers that did not count now do" in page
    assert "nobody had looked at the agreement; 2 answers now count" in page
    for answer in (held, free):
        answer.refresh_from_db()
        assert answer.assignment is not None
        assert (answer.assignment.user, answer.assignment.done) == (answer.user, True)
        assert (answer.version, answer.late) == (1, "")
    assert own_progress(crew.project, crew.ann, NOW).uncounted == 0


def test_of_more_answers_than_places_the_first_count_and_the_rest_is_said(crew: Crew) -> None:
    """Who holds a place gets it, whoever answered before; the other goes to who was first."""
    tasks_take(project=crew.project, user=crew.judge, count=1, now=NOW, lease=LEASE)
    close(crew)
    for minute, user in enumerate((crew.ann, crew.bob, crew.judge)):
        label(crew.items[0], user, now=NOW + timedelta(minutes=minute))
    assert close(crew, closed=False) == (2, 1)
    counted = Annotation.objects.filter(assignment__isnull=False)
    assert set(counted.values_list("user", flat=True)) == {crew.ann.pk, crew.judge.pk}
    assert own_progress(crew.project, crew.bob, NOW).uncounted == 1


def test_work_of_who_is_gone_does_not_count_and_what_others_hold_is_not_taken_from_them(
    crew: Crew,
) -> None:
    for user in (crew.ann, crew.bob):
        tasks_take(project=crew.project, user=user, count=1, now=NOW, lease=LEASE)
    close(crew)
    label(crew.items[0], crew.judge)
    label(crew.items[1], crew.bob)
    member_remove(member=crew.project.members.get(user=crew.bob))
    assert close(crew, closed=False)[1] == 1
    assert label(crew.items[0], crew.ann).counts


@pytest.mark.parametrize("looked", [False, True])
def test_an_answer_of_who_had_looked_at_the_closed_project_is_late_when_it_counts(
    crew: Crew, looked: bool
) -> None:
    """It could follow what others say; one by somebody who had not looked could not."""
    label(crew.items[0], crew.judge, (1, 1, "WHO"))
    label(crew.items[1], crew.judge, (1, 1, "WHAT"))
    close(crew)
    if looked:
        agreement_note_shown(project=crew.project, user=crew.ann, now=NOW)
    label(crew.items[0], crew.ann, (1, 1, "WHAT"))
    changed = label(crew.items[0], crew.ann, (1, 1, "WHO"))
    blind = label(crew.items[1], crew.bob, (1, 1, "WHAT"))
    close(crew, closed=False)
    for answer, late in ((changed, Lateness.SHOWN if looked else Lateness.NO), (blind, "")):
        answer.refresh_from_db()
        assert (answer.counts, answer.late) == (True, late)
    assert changed.version == 2
