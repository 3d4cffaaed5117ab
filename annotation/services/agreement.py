"""Telling answers that were made before their maker could know what others say from later ones."""

from datetime import datetime

from django.db.models import Q

from annotation.models import Annotation, Gold, Item, Lateness, Member, PastGold, Project, Role
from leaderboard.models import User


def agreement_note_shown(*, project: Project, user: User, now: datetime) -> None:
    """Note that a member sees for the first time what others say, where they say something."""
    member = Member.objects.filter(project=project, user=user, agreement_shown_at=None)
    others = Annotation.objects.filter(item__project=project).exclude(user=user)
    if member.exists() and others.exists():
        member.update(agreement_shown_at=now)


def change_lateness(item: Item, user: User) -> Lateness:
    """Say what who changes an answer can know of what others say of the caption."""
    if _settled(item):
        return Lateness.SETTLED
    return Lateness.SHOWN if _shown(item, user) else Lateness.NO


def first_answer_lateness(item: Item, user: User) -> Lateness:
    """Say what who answers a caption for the first time can know of what others say of it.

    Before a project is closed nobody is shown a caption that may still come to
    them, but managers. Once it is opened again all know what was there by then.
    """
    if _settled(item):
        return Lateness.SETTLED
    others = Annotation.objects.filter(item=item, assignment__isnull=False).exclude(user=user)
    member = Member.objects.filter(project=item.project_id, user=user)
    known = member.filter(role=Role.MANAGER, agreement_shown_at__isnull=False).exists()
    reopened = Project.objects.values_list("reopened_at", flat=True).get(pk=item.project_id)
    if not known and reopened is not None:
        known = others.filter(created_at__lt=reopened).exists()
    return Lateness.SHOWN if known and others.exists() else Lateness.NO


def _settled(item: Item) -> bool:
    return Gold.objects.filter(item=item).exists() or PastGold.objects.filter(item=item).exists()


def _shown(item: Item, user: User) -> bool:
    person = Q(members__user=user, members__agreement_shown_at__isnull=False)
    projects = Project.objects.filter(pk=item.project_id)
    return projects.filter(Q(agreement_shown_at__isnull=False) | person).exists()
