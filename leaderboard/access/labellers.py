"""Who sees the labellers of this site, and who chooses the one in use."""

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404

from leaderboard.access.challenges import organised_challenges_of
from leaderboard.models import Phase, User
from leaderboard.selectors.labellers.listing import StoredLabeller, kept_labeller
from leaderboard.web.requests import Visitor

PUBLISH = "leaderboard.publish_labeller"


def may_see_labellers(user: Visitor) -> bool:
    """Whether ``user`` may see labellers; one query at most, besides that of the rights.

    Organisers of any challenge, managers of any labelling project, and those who may choose
    the one in use.
    """
    if not user.is_authenticated or not user.is_active:
        return False
    if may_publish_labellers(user):
        return True
    return User.objects.filter(
        Q(organised_challenges__isnull=False) | Q(labelling_memberships__role="manager"),
        pk=user.pk,
    ).exists()


def may_publish_labellers(user: Visitor) -> bool:
    """Whether ``user`` may delete labellers and choose the one in use."""
    return user.is_authenticated and user.has_perm(PUBLISH)


def labellers_for(user: Visitor) -> None:
    """Raise ``Http404`` unless ``user`` may see labellers."""
    if not may_see_labellers(user):
        raise Http404


def publishing_for(user: Visitor) -> None:
    """Raise ``PermissionDenied`` unless ``user`` may publish labellers.

    Raises ``Http404`` where they may not even see them.
    """
    labellers_for(user)
    if not may_publish_labellers(user):
        raise PermissionDenied(
            "You may look at labellers. To delete or choose one you need a right that "
            "an administrator of this site can give: manage.py allow_labellers USER."
        )


def labeller_for(user: Visitor, identity: str) -> StoredLabeller:
    """A labeller that ``user`` may see."""
    labellers_for(user)
    labeller = kept_labeller(identity)
    if labeller is None:
        raise Http404
    return labeller


def trainings_for(user: Visitor, labeller: StoredLabeller) -> Iterable[Any]:
    """The trainings of labelling projects that a labeller is from, of those ``user`` may see."""
    if labeller.row is None or not user.is_authenticated:
        return ()
    rows = labeller.row.trainings.select_related("project").order_by("pk")
    if not user.is_superuser:
        # As ``annotation.access.training_for``: who manages or adjudicates.
        roles = ("manager", "adjudicator")
        rows = rows.filter(project__members__user=user, project__members__role__in=roles)
    return rows


def phases_to_rescore(user: Visitor) -> QuerySet[Phase]:
    """Phases that ``user`` may rescore."""
    return Phase.objects.filter(challenge__in=organised_challenges_of(user))
