"""Handing out: exactly as many people as a caption has assignments, nobody twice, nothing stuck."""

import json
from datetime import timedelta
from io import BytesIO

import pytest
from django.db import IntegrityError, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation import access
from annotation.models import Annotation, Assignment, Item, Project
from annotation.selectors.progress import own_progress
from annotation.selectors.projects import member_rows
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.formats.imports import ImportRules, file_read, records_import
from annotation.services.projects import member_add
from annotation.services.tasks import tasks_take
from leaderboard.models import User
from tests.annotation.conftest import LEASE, NOW, TEXTS, Crew, make_project
from tests.annotation.labelled import label
from tests.factories import UserFactory


def take(crew: Crew, user: User, count: int = 2, later: timedelta = timedelta()) -> list[Item]:
    assignments = tasks_take(
        project=crew.project, user=user, count=count, now=NOW + later, lease=LEASE
    )
    return [assignment.item for assignment in assignments]


def answer(item: Item, user: User, later: timedelta = timedelta()) -> Annotation:
    change = AnswerChange(edit=f"edit-{item.pk}-{user.pk}", base=0, spans=[])
    return annotation_save(item=item, user=user, change=change, now=NOW + later)


def test_captions_come_in_order_and_stay_at_hand(crew: Crew) -> None:
    assert take(crew, crew.ann) == crew.items[:2]
    assert take(crew, crew.ann) == crew.items[:2]
    assert take(crew, crew.ann, 3) == crew.items[:3]


def test_an_assignment_held_since_before_it_was_recorded_is_noted_when_it_comes_again(
    crew: Crew,
) -> None:
    crew.items[0].assignments.filter(number=1).update(user=crew.ann, expires_at=NOW + LEASE)
    assert take(crew, crew.ann, 1) == crew.items[:1]
    assert access.item_to_save(crew.ann, crew.project.slug, crew.items[0].pk) == crew.items[0]


def test_time_that_ran_out_gives_an_assignment_to_others_but_not_before(crew: Crew) -> None:
    late = LEASE + timedelta(seconds=1)
    for user in (crew.ann, crew.bob):
        take(crew, user, 4)
    assert take(crew, crew.judge, 4, LEASE) == []
    assert take(crew, crew.judge, 4, late) == crew.items
    # Nobody else wanted the second assignments: they are still with one of the two.
    assert len(take(crew, crew.bob, 4, late)) + len(take(crew, crew.ann, 4, late)) == 4


def test_a_closed_project_hands_out_nothing_and_what_is_held_is_held_no_longer(crew: Crew) -> None:
    take(crew, crew.ann, 1)
    Project.objects.update(closed=True)  # elsewhere: the request has read the project before
    for user in (crew.ann, crew.bob):
        assert take(crew, user, 4, timedelta(minutes=5)) == []
    assert Assignment.objects.get(user=crew.ann).expires_at == NOW + LEASE
    Project.objects.update(closed=False)
    assert take(crew, crew.ann, 1) == crew.items[:1]


def test_the_database_refuses_a_second_assignment_of_one_caption(crew: Crew) -> None:
    (item,) = take(crew, crew.ann, 1)
    other = item.assignments.get(user=None)
    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.filter(pk=other.pk).update(user=crew.ann)


def test_the_share_that_measures_agreement_and_random_order_are_drawn_by_the_seed(db: None) -> None:
    texts = tuple(f"sound number {n}" for n in range(150))
    for share, doubled in ((0.0, 0), (1.0, 150)):
        project = make_project(texts=texts, share=share)
        assert project.items.filter(copies=2).count() == doubled
    made = [
        make_project(texts=texts, share=0.25, order="random", seed=seed).items for seed in (1, 1, 2)
    ]
    drawn = [list(items.values_list("copies", flat=True)) for items in made]
    assert drawn[0] == drawn[1] != drawn[2]
    assert 20 <= drawn[0].count(2) <= 56
    orders = [list(items.order_by("rank").values_list("text", flat=True)) for items in made]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(texts)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_whatever_happens_in_whatever_order_every_caption_gets_exactly_two(
    db: None, data: st.DataObject
) -> None:
    """People come, take, answer, vanish and return; in the end each caption counts for two."""
    with transaction.atomic():
        project = make_project(texts=("one dog", "two cats", "three cars"), copies=2)
        people = UserFactory.create_batch(4)
        for person in people:
            member_add(project=project, user=person)
        _live(project, people, data)
        transaction.set_rollback(True)


def _live(project: Project, people: list[User], data: st.DataObject) -> None:
    now = NOW
    hands: dict[int, list[Item]] = {person.pk: [] for person in people}
    for _ in range(data.draw(st.integers(0, 25))):
        person = data.draw(st.sampled_from(people))
        now += timedelta(minutes=data.draw(st.sampled_from([0, 1, 45])))
        if data.draw(st.booleans()):
            assignments = tasks_take(project=project, user=person, count=2, now=now, lease=LEASE)
            hands[person.pk] = [assignment.item for assignment in assignments]
        elif hands[person.pk]:
            item = hands[person.pk].pop()
            change = AnswerChange(edit=f"{person.pk}-{item.pk}-{now}"[:40], base=0, spans=[])
            if not item.annotations.filter(user=person).exists():
                annotation_save(item=item, user=person, change=change, now=now)
        for item in project.items.all():
            counted = item.annotations.filter(assignment__isnull=False)
            assert counted.count() <= 2
    now += timedelta(days=1)
    for person in people:
        while assignments := tasks_take(
            project=project, user=person, count=3, now=now, lease=LEASE
        ):
            for assignment in assignments:
                change = AnswerChange(
                    edit=f"end-{person.pk}-{assignment.item_id}", base=0, spans=[]
                )
                annotation_save(item=assignment.item, user=person, change=change, now=now)
    for item in project.items.all():
        counted = item.annotations.filter(assignment__isnull=False)
        assert counted.values("user").distinct().count() == counted.count() == 2


def test_the_pace_is_that_of_this_sitting(crew: Crew) -> None:
    for minutes, pace in (
        ([0, 1, 2, 3], None),  # too few to say
        ([0, 1, 2, 3, 4], 60.0),
        ([0, 0, 0, 0, 0], None),  # came in together, after a time without a network
        ([-200, -199, -100, 0, 2, 4, 6, 8, 10], 30.0),  # pauses are no work
    ):
        project = make_project(texts=tuple(f"sound number {n}" for n in range(len(minutes))))
        for item, minute in zip(project.items.all(), minutes, strict=True):
            answer(item, crew.ann, timedelta(minutes=minute))
        assert own_progress(project, crew.ann, NOW + timedelta(minutes=10)).per_hour == pace


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
        row["member"].user: (row["answered"], row["today"], row["last"])
        for row in member_rows(crew.project, NOW)
    }
    assert work[crew.ann] == (4, 0, None)
    assert work[crew.bob] == (1, 1, NOW)
