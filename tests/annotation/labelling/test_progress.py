"""How far the work is: the pace of the present sitting, and nothing from too few answers."""

import json
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest

from annotation.models import Project
from annotation.selectors.progress import _pace, own_progress, project_progress
from annotation.selectors.projects import member_rows
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.formats.imports import ImportRules, file_read, records_import
from annotation.services.projects import member_add
from tests.annotation.conftest import NOW, TEXTS, Crew, make_project
from tests.annotation.labelled import label


@pytest.mark.parametrize(
    ("minutes", "pace"),
    [
        ([], None),
        ([0, 1, 2, 3], None),  # too few to say
        ([0, 1, 2, 3, 4], 60.0),
        ([0, 0, 0, 0, 0], None),  # came in together, after a time without a network
        ([-200, -199, -100, 0, 2, 4, 6, 8, 10], 30.0),  # pauses are no work
    ],
)
def test_the_pace_is_that_of_this_sitting(minutes: list[int], pace: float | None) -> None:
    times = [NOW + timedelta(minutes=minute) for minute in sorted(minutes, reverse=True)]
    assert _pace(times) == pace


def test_a_project_is_done_where_all_its_assignments_are(crew: Crew) -> None:
    for user in (crew.ann, crew.bob):
        change = AnswerChange(edit=f"edit-{user.pk}", base=0, spans=[], flagged=user == crew.ann)
        annotation_save(item=crew.items[0], user=user, change=change, now=NOW)
    whole = project_progress(crew.project)
    assert (whole.items, whole.items_done, whole.assignments, whole.assignments_done) == (
        4,
        1,
        8,
        2,
    )
    assert (whole.flagged, whole.share) == (1, 0.25)


def own_of(crew: Crew) -> Any:
    return crew.client(crew.ann).get(f"/api/v1/labelling/{crew.project.slug}/own").json()


def test_the_end_of_the_work_tells_what_it_came_to_and_where_to_go_on(crew: Crew) -> None:
    done, closed, following = (make_project(texts=("a dog", "a cat")) for _ in range(3))
    for other in (done, closed, following):
        member_add(project=other, user=crew.ann)
    Project.objects.filter(pk=closed.pk).update(closed=True)
    for item in done.items.all():
        label(item, crew.ann)
    *others, last = crew.items
    for item in others:
        label(item, crew.ann)
    assert own_of(crew)["finished"] is None
    change = AnswerChange(edit="last", base=0, spans=[], seconds=90)
    annotation_save(item=last, user=crew.ann, change=change, now=NOW)
    # What others did, and what was done in other projects, is no part of it.
    label(last, crew.bob)
    words = sum(len(item.words) for item in crew.items)
    assert own_of(crew)["finished"] == {
        "captions": len(TEXTS),
        "words": words,
        "seconds": 90,
        "next": {
            "slug": following.slug,
            "name": following.name,
            "left": 2,
            "page": f"/annotate/{following.slug}/",
        },
    }
    following.members.all().delete()
    assert own_of(crew)["finished"]["next"] is None
    Project.objects.filter(pk=crew.project.pk).update(closed=True)
    assert own_of(crew)["finished"] is None


def test_answers_of_a_file_are_nobodys_work_of_today_and_no_pace(crew: Crew) -> None:
    rows = [{"text": text, "spans": [], "_session_id": "old"} for text in TEXTS]
    file = BytesIO("\n".join(map(json.dumps, rows)).encode())
    records = file_read(file, "x.jsonl")
    rules = ImportRules(people={"old": crew.ann})
    records_import(project=crew.project, records=records, now=NOW, rules=rules)
    own = own_progress(crew.project, crew.ann, NOW)
    assert (own.answered, own.today, own.per_hour) == (4, 0, None)
    label(crew.items[0], crew.bob)
    work = {
        row.member.user: (row.answered, row.today, row.last)
        for row in member_rows(crew.project, NOW)
    }
    assert work[crew.ann] == (4, 0, None)
    assert work[crew.bob] == (1, 1, NOW)
