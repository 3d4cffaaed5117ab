"""Handing captions out: never to more people than they have assignments, never twice to one."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import ANSWERED, Annotation, Assignment, AssignmentRecord, Item, Project
from annotation.selectors.qualification import (
    captions_handed,
    gives_tests,
    met_in_qualification,
    must_qualify,
    test_items,
    test_places,
)
from annotation.selectors.stages.chain import met_elsewhere, noted_hands, other_stages
from annotation.services.stages import hand_note, hands_note, member_lock
from leaderboard.models import User

# A person has a few captions at hand, so that the next is there at once; more would
# be kept from others.
MOST_HELD = 12


@transaction.atomic
def tasks_take(
    *, project: Project, user: User, count: int, now: datetime, lease: timedelta
) -> list[Assignment]:
    """The captions that ``user`` has at hand, topped up to ``count`` from what is free.

    First those held already, whose time is extended, in the order of the
    project. Free is an assignment that nobody holds, or whose time has run out. Two
    requests of one person queue up; those of different people pass each other. From a
    closed project nothing comes, and what is held is held no longer than before.
    """
    # The lock keeps two tabs of one person from taking two assignments of one caption, or items
    # of one clip in two stages, and closing waits for it.
    member = member_lock(project=project, user=user)
    project.refresh_from_db(fields=["closed", "qualification_on"])
    if project.closed or must_qualify(project, member):
        return []
    count = max(1, min(count, MOST_HELD))
    # A manager may have handed somebody hundreds, which come a few at a time.
    held = list(_held(project, user)[:MOST_HELD])
    wanted = count - len(held)
    take = _take_with_tests if gives_tests(project, member) else _take_unmet
    taken = take(project, user, wanted, now) if wanted > 0 else []
    assignments = [*held, *taken]
    # Those held as well: an assignment may be older than the record of who was handed what.
    AssignmentRecord.objects.bulk_create(
        [AssignmentRecord(item=assignment.item, user=user, at=now) for assignment in assignments],
        ignore_conflicts=True,
    )
    hands_note(project=project, items=[assignment.item for assignment in taken], user=user)
    rows = Assignment.every.filter(pk__in=[assignment.pk for assignment in assignments])
    rows.exclude(user=user, expires_at__gt=now + lease).update(user=user, expires_at=now + lease)
    return assignments


def _held(project: Project, user: User) -> QuerySet[Assignment]:
    """Assignments that the person holds; one whose time ran out is theirs until somebody takes it.

    What was answered while the project was closed does not come again.
    """
    answered = _answered(user)
    return (
        Assignment.every.select_for_update(of=("self",))
        .filter(~Exists(answered), project=project, user=user, done=False)
        .select_related("item")
    )


def _take(project: Project, user: User, wanted: int, now: datetime) -> list[Assignment]:
    """Lock the next free assignments of captions that the person has not met, one for each."""
    mine = Assignment.every.filter(item=OuterRef("item"), user=user)
    answered = _answered(user)
    free = (
        Assignment.objects.select_for_update(skip_locked=True, of=("self",))
        .filter(Q(user=None) | Q(expires_at__lt=now), ~Exists(mine), ~Exists(answered))
        .exclude(Exists(met_in_qualification(user)))
        .exclude(Exists(noted_hands(user)))
        .filter(project=project, done=False)
        .exclude(user=user)
        .order_by("rank", "item", "number")
        .select_related("item")
    )
    # A caption may come with several free assignments, so a few more than wanted are looked at.
    first: dict[int, Assignment] = {}
    for assignment in free[: wanted * max(1, project.copies)]:
        first.setdefault(assignment.item_id, assignment)
    return list(first.values())[:wanted]


def _take_unmet(project: Project, user: User, wanted: int, now: datetime) -> list[Assignment]:
    """Lock the next free assignments, none of a clip that the person met in another stage.

    What is noted of that may be a moment behind what was handed out.
    """
    others = other_stages(project)
    while True:
        taken = _take(project, user, wanted, now)
        met = met_elsewhere(others, [assignment.item for assignment in taken], user)
        if not met:
            return taken
        hand_note(items=met, user=user)


def _answered(user: User) -> QuerySet[Annotation]:
    """Answers of a person to a caption that they need not go through again."""
    return Annotation.every.filter(ANSWERED, item=OuterRef("item"), user=user)


def _take_with_tests(project: Project, user: User, wanted: int, now: datetime) -> list[Assignment]:
    """Take the next free assignments with test captions in their places among them.

    Tests come only among others: none follows the last caption that is free. The same is
    asked of the database wherever they stand, so that time tells nothing.
    """
    places = test_places(project, user, captions_handed(project, user), wanted)
    tests = list(test_items(project, user).order_by("?")[: max(1, sum(places))])
    tests = tests[: sum(places)]
    work = _take(project, user, wanted - len(tests) + 1, now)
    is_last = len(work) <= wanted - len(tests)
    mixed: list[Item | Assignment] = []
    for place in places:
        if place and tests:
            mixed.append(tests.pop())
        elif work:
            mixed.append(work.pop(0))
        else:
            break
    while is_last and mixed and isinstance(mixed[-1], Item):
        mixed.pop()
    return _test_assignments(project, user, mixed)


def _test_assignments(
    project: Project, user: User, mixed: Sequence[Item | Assignment]
) -> list[Assignment]:
    """Make an assignment of each test caption, with the rank of the one next to it."""
    rank = next((one.rank for one in mixed if isinstance(one, Assignment)), 0.0)
    rows = []
    for one in mixed:
        row = one
        if isinstance(row, Item):
            row = Assignment(item=row, number=0, project=project, rank=rank, user=user, test=True)
            row.save(force_insert=True)
        rank = row.rank
        rows.append(row)
    return rows


def assignments_for_imported(work: Sequence[tuple[Item, User]], now: datetime) -> list[Assignment]:
    """Assign each person the caption, done: the assignment held, a free one, or a new one.

    Work from files counts, so a caption of which a file has more people than
    the project asks for gets more assignments; nobody who labels here loses theirs.
    The captions are locked by the caller.
    """
    items = {item.pk: item for item, _ in work}
    rows: dict[int, list[Assignment]] = {key: [] for key in items}
    there = Assignment.objects.select_for_update(of=("self",)).filter(item__in=items)
    for assignment in there.order_by("pk"):
        rows[assignment.item_id].append(assignment)
    assignments: list[Assignment] = []
    added: list[Assignment] = []
    for item, user in work:
        existing = _fitting(rows[item.pk], user, now)
        number = max((one.number for one in rows[item.pk]), default=0) + 1
        assignment = existing or Assignment(
            item=item, number=number, project_id=item.project_id, rank=item.rank
        )
        if existing is None:
            rows[item.pk].append(assignment)
            added.append(assignment)
        assignment.user, assignment.done, assignment.expires_at = user, True, None
        assignments.append(assignment)
    _store(assignments, added, [items[assignment.item_id] for assignment in added])
    return assignments


def _fitting(assignments: list[Assignment], user: User, now: datetime) -> Assignment | None:
    own = [assignment for assignment in assignments if assignment.user_id == user.pk]
    free = [assignment for assignment in assignments if assignment.is_free(now)]
    return next(iter([*own, *sorted(free, key=lambda assignment: assignment.number)]), None)


def _store(assignments: list[Assignment], added: list[Assignment], grown: list[Item]) -> None:
    new = {id(assignment) for assignment in added}
    # Rows that are there and locked: without the joins by which managers leave removed ones out.
    Assignment.with_removed.bulk_update(
        [assignment for assignment in assignments if id(assignment) not in new],
        ["user", "done", "expires_at"],
        batch_size=200,
    )
    Assignment.objects.bulk_create(added)
    more = Counter(assignment.item_id for assignment in added)
    for item in {item.pk: item for item in grown}.values():
        # Not the highest number: those of an import that was taken back are gone.
        item.copies += more[item.pk]
    Item.with_removed.bulk_update({item.pk: item for item in grown}.values(), ["copies"])
