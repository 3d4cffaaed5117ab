"""Handing captions out: never to more people than they have assignments, never twice to one."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Annotation, Assignment, AssignmentRecord, Item, Member, Project
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
    requests of one person queue up; those of different people pass each other.
    """
    # The lock keeps two tabs of one person from taking two assignments of one caption.
    Member.objects.select_for_update().get(project=project, user=user)
    count = max(1, min(count, MOST_HELD))
    held = list(_held(project, user))
    wanted = count - len(held)
    taken = _take(project, user, wanted, now) if wanted > 0 and not project.closed else []
    assignments = [*held, *taken]
    # Those held as well: an assignment may be older than the record of who was handed what.
    AssignmentRecord.objects.bulk_create(
        [AssignmentRecord(item=assignment.item, user=user, at=now) for assignment in assignments],
        ignore_conflicts=True,
    )
    Assignment.objects.filter(pk__in=[assignment.pk for assignment in assignments]).update(
        user=user, expires_at=now + lease
    )
    return assignments


def _held(project: Project, user: User) -> QuerySet[Assignment]:
    """Assignments that the person holds; one whose time ran out is theirs until somebody takes it.

    What was answered while the project was closed does not come again.
    """
    answered = Annotation.objects.filter(item=OuterRef("item"), user=user)
    return (
        Assignment.objects.select_for_update(of=("self",))
        .filter(~Exists(answered), project=project, user=user, done=False)
        .select_related("item")
    )


def _take(project: Project, user: User, wanted: int, now: datetime) -> list[Assignment]:
    """Lock the next free assignments of captions that the person has not met, one for each."""
    mine = Assignment.objects.filter(item=OuterRef("item"), user=user)
    answered = Annotation.objects.filter(item=OuterRef("item"), user=user)
    free = (
        Assignment.objects.select_for_update(skip_locked=True, of=("self",))
        .filter(Q(user=None) | Q(expires_at__lt=now), ~Exists(mine), ~Exists(answered))
        .filter(project=project, done=False)
        .exclude(user=user)
        .order_by("rank", "item", "number")
        .select_related("item")
    )
    # A caption may come with several free assignments, so a few more than wanted are looked at.
    chosen = _one_each(free[: wanted * max(1, project.copies)])
    return chosen[:wanted]


def _one_each(assignments: Iterable[Assignment]) -> list[Assignment]:
    first: dict[int, Assignment] = {}
    for assignment in assignments:
        first.setdefault(assignment.item_id, assignment)
    return list(first.values())


def assignments_for_imported(work: Sequence[tuple[Item, User]], now: datetime) -> list[Assignment]:
    """Assign each person the caption, done: the assignment held, a free one, or a new one.

    Work from files counts, so a caption of which a file has more people than
    the project asks for gets more assignments; nobody who labels here loses theirs.
    The captions are locked by the caller.
    """
    items = {item.pk: item for item, _ in work}
    rows: dict[int, list[Assignment]] = {key: [] for key in items}
    for assignment in Assignment.objects.select_for_update().filter(item__in=items).order_by("pk"):
        rows[assignment.item_id].append(assignment)
    given: list[Assignment] = []
    added: list[Assignment] = []
    for item, user in work:
        found = _fitting(rows[item.pk], user, now)
        assignment = found or _another(item, rows[item.pk])
        if found is None:
            rows[item.pk].append(assignment)
            added.append(assignment)
        assignment.user, assignment.done, assignment.expires_at = user, True, None
        given.append(assignment)
    _store(given, added, [items[assignment.item_id] for assignment in added])
    return given


def _fitting(assignments: list[Assignment], user: User, now: datetime) -> Assignment | None:
    own = [assignment for assignment in assignments if assignment.user_id == user.pk]
    free = [
        assignment
        for assignment in assignments
        if not assignment.done and _is_free(assignment, now)
    ]
    return next(iter([*own, *sorted(free, key=lambda assignment: assignment.number)]), None)


def _another(item: Item, assignments: list[Assignment]) -> Assignment:
    number = max((assignment.number for assignment in assignments), default=0) + 1
    return Assignment(item=item, number=number, project_id=item.project_id, rank=item.rank)


def _is_free(assignment: Assignment, now: datetime) -> bool:
    return assignment.user_id is None or (
        assignment.expires_at is not None and assignment.expires_at < now
    )


def _store(given: list[Assignment], added: list[Assignment], grown: list[Item]) -> None:
    new = {id(assignment) for assignment in added}
    Assignment.objects.bulk_update(
        [assignment for assignment in given if id(assignment) not in new],
        ["user", "done", "expires_at"],
        batch_size=200,
    )
    Assignment.objects.bulk_create(added)
    for item in {item.pk: item for item in grown}.values():
        item.copies = max(
            assignment.number for assignment in added if assignment.item_id == item.pk
        )
    Item.objects.bulk_update({item.pk: item for item in grown}.values(), ["copies"])
