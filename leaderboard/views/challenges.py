"""The page of a challenge."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.selectors.announcements import announcements_of
from leaderboard.selectors.challenges import standings_of


@require_safe
def challenge(request: HttpRequest, challenge: str) -> HttpResponse:
    """Show what a challenge is about, its phases and who leads."""
    found = access.challenge_for(request.user, challenge)
    is_organiser = access.is_organiser(request.user, found)
    standings = standings_of(
        found.phases.all(), timezone.now(), organised={found.pk} if is_organiser else ()
    )
    context = {
        "challenge": found,
        "standings": standings,
        "is_organiser": is_organiser,
        "announcements": announcements_of(found),
    }
    return render(request, "leaderboard/challenge.html", context)
