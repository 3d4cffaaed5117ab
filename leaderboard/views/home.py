"""The front page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.selectors.challenges import overviews_of


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show the challenges, the open ones first."""
    overviews = overviews_of(
        access.challenges_visible(request.user),
        timezone.now(),
        organised=access.organised_challenges(request.user),
    )
    return render(request, "leaderboard/home.html", {"overviews": overviews})
