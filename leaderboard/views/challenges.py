"""The front page, the page of a challenge, and the health check."""

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.selectors.organising.challenges import (
    announcements_of,
    overviews_of,
    phase_statuses,
)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show the challenges, the open ones first."""
    overviews = overviews_of(
        access.challenges_visible(request.user),
        timezone.now(),
        organised=access.organised_challenges(request.user),
    )
    return render(request, "leaderboard/challenges/home.html", {"overviews": overviews})


@require_safe
@never_cache
def health(_request: HttpRequest) -> HttpResponse:
    """Answer "ok" where the database does, else 503."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()
    except DatabaseError:
        return HttpResponse("The database does not answer.", status=503, content_type="text/plain")
    return HttpResponse("ok", content_type="text/plain")


@require_safe
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
