"""Teams, notices, and the person who asks."""

from typing import Annotated, Any

from django.http import Http404
from django.utils import timezone
from ninja import Query, Router
from pydantic import Field

from leaderboard import access
from leaderboard.api.schemas.people import Me, NoticesOut, NoticesRead, TeamOut, TeamPhaseOut
from leaderboard.models import Team
from leaderboard.selectors.people.notices import notices_of, unread_count
from leaderboard.selectors.people.teams import members_of
from leaderboard.services.people.notices import notices_mark_read
from leaderboard.web.api_auth import ANYONE, PUBLIC, UserRequest, VisitorRequest

router = Router(tags=["Account"])
# The largest number that every database takes as a key.
LARGEST_KEY = 2**63 - 1


@router.get(
    "/teams/{slug:team}",
    tags=["Teams"],
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
    "/notices",
    response={200: NoticesOut},
    operation_id="notices",
    summary="Read your notices",
)
def notices(
    request: UserRequest,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    unread: bool = False,
) -> dict[str, Any]:
    """Your notices, the latest first; with ``unread`` only those that you have not read."""
    rows = notices_of(request.auth)
    if unread:
        rows = rows.filter(read_at=None)
    return {
        "unread": unread_count(request.auth),
        "total": rows.count(),
        "notices": rows[offset : offset + limit],
    }


@router.post(
    "/notices/read",
    response={200: NoticesRead},
    operation_id="notices_read",
    summary="Mark all your notices as read",
)
def notices_mark_all(request: UserRequest) -> NoticesRead:
    """Mark all that you were told as read."""
    return NoticesRead(marked=notices_mark_read(user=request.auth, now=timezone.now()))


@router.post(
    "/notices/{notice_id}/read",
    response={200: NoticesRead},
    operation_id="notice_read",
    summary="Mark a notice as read",
)
def notice_mark(
    request: UserRequest, notice_id: Annotated[int, Field(ge=1, le=LARGEST_KEY)]
) -> NoticesRead:
    """Mark one notice of yours as read."""
    if not notices_of(request.auth).filter(pk=notice_id).exists():
        raise Http404
    marked = notices_mark_read(user=request.auth, now=timezone.now(), pk=notice_id)
    return NoticesRead(marked=marked)


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
