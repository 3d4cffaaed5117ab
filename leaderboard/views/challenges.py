"""The front page and the page of a challenge."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.selectors.organising.challenges import (
    announcements_of,
    overviews_of,
    phase_statuses,
    timeline_of,
)
from leaderboard.selectors.people.own_work import own_work_of
from leaderboard.selectors.people.participation import taking_part
from leaderboard.web.visitors_cache import cached_for_visitors


@require_safe
@cached_for_visitors()
def home(request: HttpRequest) -> HttpResponse:
    """Show what the site is, what is somebody's own, and the challenges, the open ones first."""
    now = timezone.now()
    overviews = overviews_of(
        access.challenges_visible(request.user),
        now,
        organised=access.organised_challenges(request.user),
    )
    context: dict[str, object] = {"overviews": overviews}
    if request.user.is_authenticated:
        teams = list(access.teams_of(request.user))
        context["own"] = own_work_of(teams, overviews, now)
    return render(request, "leaderboard/challenges/home.html", context)


@require_safe
@cached_for_visitors()
def challenge(request: HttpRequest, challenge: str) -> HttpResponse:
    """Show what a challenge is about, its phases and who leads."""
    found = access.challenge_for(request.user, challenge)
    is_organiser = access.is_organiser(request.user, found)
    now = timezone.now()
    statuses = phase_statuses(found.phases.all(), now, organised={found.pk} if is_organiser else ())
    teams = access.teams_of(request.user) if found.asks_to_take_part else []
    parts = taking_part(found, teams)
    context = {
        "challenge": found,
        "parts": parts,
        "may_ask": not parts or any(part.may_ask for part in parts),
        "statuses": statuses,
        "timeline": timeline_of([status.phase for status in statuses], now),
        "is_organiser": is_organiser,
        "announcements": announcements_of(found),
    }
    return render(request, "leaderboard/challenges/challenge.html", context)
