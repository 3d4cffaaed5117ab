"""Reading teams."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, OuterRef, QuerySet, Subquery

from leaderboard.models import Membership, Submission, Team, TeamInvitation, TeamRole, User


@dataclass(frozen=True, slots=True)
class TeamRow:
    """A team as its member sees it in the list."""

    team: Team
    role: TeamRole
    members: int
    submissions: int


def team_rows(user: User) -> tuple[TeamRow, ...]:
    """Give the teams of a user, by name."""
    submissions = (
        Submission.objects.filter(team=OuterRef("team"))
        .order_by()
        .values("team")
        .annotate(count=Count("pk"))
        .values("count")
    )
    memberships = (
        Membership.objects.filter(user=user)
        .select_related("team")
        .annotate(members=Count("team__memberships"), handed_in=Subquery(submissions))
        .order_by("team__name")
    )
    return tuple(
        TeamRow(row.team, TeamRole(row.role), row.members, row.handed_in or 0)
        for row in memberships
    )


def members_of(team: Team) -> QuerySet[Membership]:
    """Give the memberships of a team, the oldest first."""
    return team.memberships.select_related("user")


def invitations_of(team: Team, now: datetime) -> QuerySet[TeamInvitation]:
    """Give the invitations that still work, the one that ends last first."""
    return (
        TeamInvitation.objects.filter(team=team, expires_at__gt=now)
        .select_related("created_by", "invited")
        .order_by("-expires_at", "-pk")
    )


def invitations_to(user: User, now: datetime) -> QuerySet[TeamInvitation]:
    """Give the invitations to a person that still work, the latest first."""
    return (
        TeamInvitation.objects.filter(invited=user, expires_at__gt=now)
        .select_related("created_by", "team")
        .order_by("-created_at", "-pk")
    )


def owns(user: User, team: Team) -> bool:
    """Tell whether a user manages the team."""
    return team.memberships.filter(user=user, role=TeamRole.OWNER).exists()
