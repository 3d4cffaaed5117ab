"""Who runs and who sees challenges."""

from django.conf import settings
from django.contrib.auth.models import Permission
from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404

from leaderboard.models import Challenge, User
from leaderboard.web.requests import Visitor


def is_organiser(user: Visitor, challenge: Challenge) -> bool:
    """Whether ``user`` runs the challenge (staff with all rights run every one)."""
    if not user.is_authenticated:
        return False
    if challenge.asked_by is not None and challenge.asked_by[0] == user.pk:
        return challenge.asked_by[1]
    return user.is_superuser or challenge.organisers.filter(pk=user.pk).exists()


def organised_challenges(user: Visitor) -> frozenset[int]:
    """Ids of all challenges that ``user`` runs, in one query, for lists."""
    return frozenset(organised_challenges_of(user).values_list("pk", flat=True))


def challenges_visible(user: Visitor) -> QuerySet[Challenge]:
    """Challenges that ``user`` may see."""
    if not user.is_authenticated:
        return Challenge.objects.filter(published=True)
    if user.is_superuser:
        return Challenge.objects.all()
    return Challenge.objects.filter(Q(published=True) | Q(organisers=user)).distinct()


def challenge_for(user: Visitor, slug: str) -> Challenge:
    """A challenge that ``user`` may see."""
    return get_object_or_404(challenges_visible(user), slug=slug)


def organised_challenges_of(user: Visitor) -> QuerySet[Challenge]:
    """Challenges that ``user`` runs."""
    if not user.is_authenticated:
        return Challenge.objects.none()
    return Challenge.objects.all() if user.is_superuser else user.organised_challenges.all()


def organised_challenge_for(user: Visitor, slug: str) -> Challenge:
    """A challenge that ``user`` runs."""
    return get_object_or_404(organised_challenges_of(user), slug=slug)


def may_create_challenges(user: Visitor) -> bool:
    """Whether ``user`` may make a challenge of their own, here or nowhere."""
    if not user.is_authenticated:
        return False
    return settings.ANYONE_MAY_ORGANISE or user.has_perm("leaderboard.add_challenge")


def sees_management_pages(user: Visitor) -> bool:
    """Whether pages lead ``user`` to those of organisers; one query at most."""
    if not user.is_authenticated or not user.is_active:
        return False
    if user.is_superuser or settings.ANYONE_MAY_ORGANISE:
        return True
    may_add = {
        "codename__in": ("add_challenge", "publish_labeller"),
        "content_type__app_label": "leaderboard",
    }
    return User.objects.filter(
        Q(organised_challenges__isnull=False)
        | Q(user_permissions__in=Permission.objects.filter(**may_add))
        | Q(groups__permissions__in=Permission.objects.filter(**may_add)),
        pk=user.pk,
    ).exists()
