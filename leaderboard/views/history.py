"""Who stood where when."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.selectors.figures.history import history_figure
from leaderboard.selectors.history import history_of


@require_safe
def history(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Show how the teams came to their ranks, where everyone's scores may be seen."""
    found = access.phase_for(request.user, challenge, phase)
    if not access.may_see_scores(request.user, found):
        raise Http404
    own = frozenset(access.teams_of(request.user).values_list("pk", flat=True))
    view = access.view_of(request.user, found, timezone.now())
    ways = history_of(found, view=view, own_teams=own)
    context = {
        "phase": found,
        "challenge": found.challenge,
        "history": ways,
        "figure": history_figure(ways) if ways.moments else None,
    }
    return render(request, "leaderboard/history.html", context)
