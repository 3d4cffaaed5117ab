"""Captions that a person may still label: what others say of them is not for them yet."""

from collections.abc import Iterable

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import Annotation, Assignment, Item, Member, Project, Role
from annotation.selectors.sounds import sound_addresses
from leaderboard.models import User
from leaderboard.selectors.clips.audio import audible, origin_of


def unanswered_items(project: Project, user: User) -> QuerySet[Item]:
    """The captions on which an answer of ``user`` could still count.

    They have an open assignment, whoever holds it now: it may come to ``user``. For
    managers, who can read everything in files, only those that they hold. In a
    closed project, and for who is no member, there are none.
    """
    member = Member.objects.filter(project=project, user=user).first()
    if project.closed or member is None:
        return Item.objects.none()
    open_assignment = Assignment.objects.filter(item=OuterRef("pk"), done=False)
    if member.role == Role.MANAGER:
        open_assignment = open_assignment.filter(user=user)
    counted = Annotation.objects.counting().filter(item=OuterRef("pk"), user=user)
    return Item.objects.filter(Exists(open_assignment), ~Exists(counted), project=project)


def own_answered_items(project: Project, user: User) -> frozenset[int]:
    """Ids of the captions that ``user`` labelled and therefore does not decide."""
    if project.settle_own:
        return frozenset()
    own = Annotation.objects.filter(item__project=project, user=user)
    return frozenset(own.values_list("item", flat=True))


def unanswered_compared_items(project: Project, user: User) -> tuple[int, ...]:
    """Ids of the ``unanswered_items`` that several people have answered, in order."""
    counted = Annotation.objects.counting().filter(item__project=project)
    answers = Count("annotations", filter=Q(annotations__in=counted))
    items = unanswered_items(project, user).annotate(answers=answers).filter(answers__gt=1)
    return tuple(items.order_by("pk").values_list("pk", flat=True))


def unanswered_gold_items(project: Project, user: User) -> frozenset[int]:
    """Ids of the ``unanswered_items`` that are settled."""
    items = unanswered_items(project, user).filter(gold__isnull=False)
    return frozenset(items.values_list("pk", flat=True))


def removed_at_hand(project: Project, user: User) -> QuerySet[Item]:
    """The captions that a person has to answer and that were removed meanwhile."""
    held = Assignment.with_removed.filter(user=user, done=False)
    rows = Item.with_removed.filter(project=project, removed_at__isnull=False, assignments__in=held)
    return rows.select_related("removed_by").order_by("position")


def audio_addresses(items: Iterable[Item]) -> dict[int, str]:
    """The addresses of the captions' sounds by the captions' ids, in three queries.

    Where a clip of a challenge has a sound, that is it, else the project's own.
    """
    rows = list(items)
    clips = {
        item.pk: (item.reference_set_id, item.clip)
        for item in rows
        if item.reference_set_id is not None and item.clip is not None
    }
    addresses = audible(clips.values())
    of_clips = {pk: addresses[clip] for pk, clip in clips.items() if clip in addresses}
    return sound_addresses(rows) | of_clips


def may_hear_clip(user: User, reference_set: int, position: int) -> bool:
    """Whether a clip is of a caption in a project that ``user`` is a member of."""
    return Item.objects.filter(
        reference_set=reference_set, clip=position, project__members__user=user
    ).exists()


def audio_origins(project: Project) -> list[str]:
    """List the servers elsewhere from which captions of a project sound."""
    addresses = (
        Item.objects.filter(project=project, reference_set__isnull=False)
        .exclude(reference_set__audio_base_url="")
        .order_by()
        .values_list("reference_set__audio_base_url", flat=True)
        .distinct()
    )
    return sorted({origin_of(address) for address in addresses})
