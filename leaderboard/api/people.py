"""Teams, and the person who asks."""

from datetime import datetime
from typing import Any

from django.http import Http404
from django.utils import timezone
from ninja import Router, Schema
from pydantic import Field

from leaderboard import access
from leaderboard.models import Team, TeamRole
from leaderboard.selectors.people.teams import members_of
from leaderboard.selectors.submissions.team_systems import TeamPhase
from leaderboard.web.api_auth import ANYONE, UserRequest, VisitorRequest


class MemberOut(Schema):
    """A person in a team."""

    username: str = Field(validation_alias="user.username")
    role: TeamRole
    joined_at: datetime


class TeamSystemOut(Schema):
    """A system of a team."""

    id: str = Field(validation_alias="public_id")
    system_name: str
    challenge: str = Field(validation_alias="phase.challenge.slug")
    phase: str = Field(validation_alias="phase.slug")
    submitted_at: datetime = Field(validation_alias="created_at")
    chosen: bool
    withdrawn_at: datetime | None
    disqualified_at: datetime | None


class TeamPhaseOut(Schema):
    """How a team stands in a phase, for the team itself."""

    challenge: str
    phase: str
    rank: int | None = Field(description="null: none, or none that is shown.")
    teams: int = Field(description="Teams that have a rank.")
    counting: str | None = Field(description="The submission that counts for the team.")
    quota_left: int | None = Field(description="Submissions left; null: no limit.")
    quota_limit: int | None
    quota_resets_at: datetime | None = Field(description="Set where the day's limit binds.")
    places_left: int | None = Field(
        description="How many more systems the team may have; null: no limit."
    )

    @classmethod
    def of(cls, row: TeamPhase) -> "TeamPhaseOut":
        """Describe a phase as a team stands in it."""
        counting = row.counting
        return cls(
            challenge=row.phase.challenge.slug,
            phase=row.phase.slug,
            rank=None if counting is None else counting.rank,
            teams=0 if row.hidden else row.teams,
            counting=None if counting is None else counting.submission.public_id,
            quota_left=row.quota.left,
            quota_limit=row.quota.limit,
            quota_resets_at=row.quota.resets_at,
            places_left=row.slots.left,
        )


class TeamOut(Schema):
    """A team, as much as the one who asks may see of it."""

    slug: str
    name: str
    affiliation: str
    systems: list[TeamSystemOut] = Field(description="The latest first; members see all.")
    members: list[MemberOut] | None = Field(description="For members and organisers only.")
    phases: list[TeamPhaseOut] | None = Field(description="For members only.")


class MembershipOut(Schema):
    """A team and what the person may do there."""

    slug: str = Field(validation_alias="team.slug")
    name: str = Field(validation_alias="team.name")
    role: TeamRole


class Me(Schema):
    """The person behind the token or the session."""

    username: str
    email: str
    teams: list[MembershipOut]
    organises: list[str]


router = Router(tags=["For participants"])


@router.get(
    "/teams/{slug:team}",
    auth=ANYONE,
    response={200: TeamOut},
    operation_id="team",
    summary="Read a team",
)
def team_detail(request: VisitorRequest, team: str) -> dict[str, Any]:
    """A team: to its members all of it, to others the systems that they see under its name."""
    user, now = request.auth, timezone.now()
    found = Team.objects.filter(slug=team).first()
    if found is None:
        raise Http404
    is_member = access.is_member(user, found.pk)
    organises = not is_member and access.organises_for(user, found)
    phases = access.team_phases_for(user, found, now) if is_member else None
    if phases is None:
        systems = access.visible_systems_of(user, found, now)
    else:
        systems = [system.submission for row in phases for system in row.systems]
        systems.sort(key=lambda row: (row.created_at, row.pk), reverse=True)
    if not (is_member or systems or organises):
        raise Http404
    return {
        "slug": found.slug,
        "name": found.name,
        "affiliation": found.affiliation,
        "systems": systems,
        "members": members_of(found) if is_member or organises else None,
        "phases": phases and [TeamPhaseOut.of(row) for row in phases],
    }


@router.get(
    "/me",
    response={200: Me},
    operation_id="me",
    summary="Read who you are",
)
def me(request: UserRequest) -> dict[str, Any]:
    """Your name, your teams and the challenges that you organise."""
    user = request.auth
    return {
        "username": user.username,
        "email": user.email,
        "teams": user.memberships.select_related("team").order_by("team__slug"),
        "organises": user.organised_challenges.order_by("slug").values_list("slug", flat=True),
    }
