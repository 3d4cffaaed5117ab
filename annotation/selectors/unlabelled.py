"""Captions that a person may still label: what others say of them is not for them yet."""

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import Annotation, Item, Member, Place, Project, Role
from leaderboard.models import User


def still_to_label(project: Project, user: User) -> QuerySet[Item]:
    """Give the captions on which an answer of ``user`` could still count.

    They have an open place, whoever holds it now: it may come to ``user``. For
    managers, who can read everything in files, only those that they hold. In a
    closed project, and for who is no member, there are none.
    """
    member = Member.objects.filter(project=project, user=user).first()
    if project.closed or member is None:
        return Item.objects.none()
    open_place = Place.objects.filter(item=OuterRef("pk"), done=False)
    if member.role == Role.MANAGER:
        open_place = open_place.filter(user=user)
    counted = Annotation.objects.filter(item=OuterRef("pk"), user=user, place__isnull=False)
    return Item.objects.filter(Exists(open_place), ~Exists(counted), project=project)


def own_captions(project: Project, user: User) -> frozenset[int]:
    """Give the captions, by id, that ``user`` labelled and therefore does not decide."""
    if project.settle_own:
        return frozenset()
    own = Annotation.objects.filter(item__project=project, user=user)
    return frozenset(own.values_list("item", flat=True))


def compared_unlabelled(project: Project, user: User) -> tuple[int, ...]:
    """Give those of them that several people have answered, by id, in order."""
    counted = Count("annotations", filter=Q(annotations__place__isnull=False))
    items = still_to_label(project, user).annotate(said=counted).filter(said__gt=1)
    return tuple(items.order_by("pk").values_list("pk", flat=True))


def settled_unlabelled(project: Project, user: User) -> frozenset[int]:
    """Give those of them that are settled, by id."""
    items = still_to_label(project, user).filter(gold__isnull=False)
    return frozenset(items.values_list("pk", flat=True))
