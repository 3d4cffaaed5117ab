"""What the head of every page says of the one who reads it, in one query.

It stands here because this app knows both.
"""

from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, Permission
from django.db.models import Count, Exists, OuterRef, Q

from annotation.models import Member
from leaderboard.models import Challenge, User

_MAY_ADD = {"codename": "add_challenge", "content_type__app_label": "leaderboard"}


@dataclass(frozen=True, slots=True)
class SiteHeader:
    """Which links a person finds, and how many notices they have not read."""

    manages: bool = False
    labels: bool = False
    unread: int = 0


def site_header_of(user: User | AnonymousUser) -> SiteHeader:
    """Say what the head of a page shows to ``user``."""
    if not user.is_authenticated or not user.is_active:
        return SiteHeader()
    runs, may_add, labels, unread = (
        User.objects.filter(pk=user.pk)
        .annotate(
            runs=Exists(Challenge.organisers.through.objects.filter(user=OuterRef("pk"))),
            may_add=Exists(
                Permission.objects.filter(
                    Q(user=OuterRef("pk")) | Q(group__user=OuterRef("pk")), **_MAY_ADD
                )
            ),
            labels=Exists(Member.objects.filter(user=OuterRef("pk"))),
            unread=Count("notices", filter=Q(notices__read_at=None)),
        )
        .values_list("runs", "may_add", "labels", "unread")
        .get()
    )
    return SiteHeader(
        manages=user.is_superuser or settings.ANYONE_MAY_ORGANISE or runs or may_add,
        labels=user.is_staff or runs or labels,
        unread=unread,
    )
