"""Teams and their systems."""

from django.http import Http404
from django.utils import timezone
from ninja import Router

from leaderboard import access
from leaderboard.access import Visitor
from leaderboard.api.auth import ANYONE, PUBLIC, VisitorRequest
from leaderboard.api.schemas.errors import READ_ERRORS
from leaderboard.api.schemas.teams import MemberOut, TeamOut, TeamPhaseOut, TeamSystemOut
from leaderboard.models import Team
from leaderboard.selectors.teams import members_of

router = Router(tags=["Teams"])


@router.get(
    "/teams/{slug:team}",
    auth=ANYONE,
    response={200: TeamOut, **READ_ERRORS},
    operation_id="team",
    summary="Read a team",
    openapi_extra=PUBLIC,
)
def team_detail(request: VisitorRequest, team: str) -> TeamOut:
    """Give a team: to its members all of it, to others the systems that they see under its name."""
    found = Team.objects.filter(slug=team).first()
    if found is None:
        raise Http404
    if access.is_member(request.auth, found):
        return _for_members(request.auth, found)
    systems = access.systems_seen_of(request.auth, found, timezone.now())
    organises = access.organises_for(request.auth, found)
    if not (systems or organises):
        raise Http404
    return TeamOut(
        slug=found.slug,
        name=found.name,
        affiliation=found.affiliation,
        systems=[TeamSystemOut.of(row) for row in systems],
        members=_members(found) if organises else None,
        phases=None,
    )


def _for_members(user: Visitor, team: Team) -> TeamOut:
    phases = access.team_phases_for(user, team, timezone.now())
    systems = [system.submission for row in phases for system in row.systems]
    systems.sort(key=lambda row: (row.created_at, row.pk), reverse=True)
    return TeamOut(
        slug=team.slug,
        name=team.name,
        affiliation=team.affiliation,
        systems=[TeamSystemOut.of(row) for row in systems],
        members=_members(team),
        phases=[TeamPhaseOut.of(row) for row in phases],
    )


def _members(team: Team) -> list[MemberOut]:
    return [MemberOut.of(row) for row in members_of(team)]
