"""Teams, and the person who asks."""

from typing import Any

from django.http import Http404
from django.utils import timezone
from ninja import Router

from leaderboard import access
from leaderboard.api.schemas.people import Me, TeamOut, TeamPhaseOut
from leaderboard.models import Team
from leaderboard.selectors.people.teams import members_of
from leaderboard.web.api_auth import ANYONE, PUBLIC, UserRequest, VisitorRequest

router = Router(tags=["For participants"])


@router.get(
    "/teams/{slug:team}",
    auth=ANYONE,
    response={200: TeamOut},
    operation_id="team",
    summary="Read a team",
    openapi_extra=PUBLIC,
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
