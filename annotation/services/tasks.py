"""Handing captions out: never to more people than they have places, never twice to one."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Annotation, Handout, Member, Place, Project
from leaderboard.models import User

# A person has a few captions at hand, so that the next is there at once; more would
# be kept from others.
MOST_HELD = 12


@transaction.atomic
def tasks_take(
    *, project: Project, user: User, count: int, now: datetime, lease: timedelta
) -> list[Place]:
    """Give the captions that ``user`` has at hand, topped up to ``count`` from what is free.

    First those held already, whose time is extended, in the order of the
    project. Free is a place that nobody holds, or whose time has run out. Two
    requests of one person queue up; those of different people pass each other.
    """
    # The lock keeps two tabs of one person from taking two places of one caption.
    Member.objects.select_for_update().get(project=project, user=user)
    count = max(1, min(count, MOST_HELD))
    held = list(_held(project, user))
    wanted = count - len(held)
    taken = _take(project, user, wanted, now) if wanted > 0 and not project.closed else []
    places = [*held, *taken]
    # Those held as well: a place may be older than the record of who was handed what.
    Handout.objects.bulk_create(
        [Handout(item=place.item, user=user, at=now) for place in places], ignore_conflicts=True
    )
    Place.objects.filter(pk__in=[place.pk for place in places]).update(
        user=user, expires_at=now + lease
    )
    return places


def _held(project: Project, user: User) -> QuerySet[Place]:
    """Give what the person holds; where time ran out but nobody took it, it still is theirs.

    What was answered while the project was closed does not come again.
    """
    answered = Annotation.objects.filter(item=OuterRef("item"), user=user)
    return (
        Place.objects.select_for_update(of=("self",))
        .filter(~Exists(answered), project=project, user=user, done=False)
        .select_related("item")
    )


def _take(project: Project, user: User, wanted: int, now: datetime) -> list[Place]:
    """Lock the next free places of captions that the person has not met, one for each."""
    mine = Place.objects.filter(item=OuterRef("item"), user=user)
    answered = Annotation.objects.filter(item=OuterRef("item"), user=user)
    free = (
        Place.objects.select_for_update(skip_locked=True, of=("self",))
        .filter(Q(user=None) | Q(expires_at__lt=now), ~Exists(mine), ~Exists(answered))
        .filter(project=project, done=False)
        .exclude(user=user)
        .order_by("rank", "item", "number")
        .select_related("item")
    )
    # A caption may come with several free places, so a few more than wanted are looked at.
    chosen = _one_each(free[: wanted * max(1, project.copies)])
    return chosen[:wanted]


def _one_each(places: Iterable[Place]) -> list[Place]:
    first: dict[int, Place] = {}
    for place in places:
        first.setdefault(place.item_id, place)
    return list(first.values())


def tasks_release(*, project: Project, user: User) -> int:
    """Give back what a person holds and has not answered; tell how many there were."""
    held = Place.objects.filter(project=project, user=user, done=False)
    return held.update(user=None, expires_at=None)
