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
)
from leaderboard.web.visitors_cache import cached_for_visitors


@require_safe
@cached_for_visitors()
def home(request: HttpRequest) -> HttpResponse:
    """Show the challenges, the open ones first."""
    overviews = overviews_of(
        access.challenges_visible(request.user),
        timezone.now(),
        organised=access.organised_challenges(request.user),
    )
    return render(request, "leaderboard/challenges/home.html", {"overviews": overviews})


@require_safe
@cached_for_visitors()
def challenge(request: HttpRequest, challenge: str) -> HttpResponse:
    """Show what a challenge is about, its phases and who leads."""
    found = access.challenge_for(request.user, challenge)
    is_organiser = access.is_organiser(request.user, found)
    statuses = phase_statuses(
        found.phases.all(), timezone.now(), organised={found.pk} if is_organiser else ()
    )
    context = {
        "challenge": found,
        "statuses": statuses,
        "is_organiser": is_organiser,
        "announcements": announcements_of(found),
    }
    return render(request, "leaderboard/challenges/challenge.html", context)
