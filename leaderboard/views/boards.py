"""The leaderboard of a phase."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.selectors.boards import table_of
from leaderboard.selectors.challenges import phase_state
from leaderboard.selectors.phases import board_of


@require_safe
def board(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Show who stands where, or why it is not shown."""
    found = access.phase_for(request.user, challenge, phase)
    context: dict[str, object] = {
        "phase": found,
        "challenge": found.challenge,
        "state": phase_state(found, timezone.now()),
        "may_see_scores": access.may_see_scores(request.user, found),
    }
    if context["may_see_scores"]:
        every_system = request.GET.get("systems") == "all"
        own_teams = set(access.teams_of(request.user).values_list("pk", flat=True))
        context["every_system"] = every_system
        context["table"] = table_of(
            board_of(found, every_system=every_system),
            sort=request.GET.get("sort", ""),
            own_teams=own_teams,
        )
    return render(request, "leaderboard/board.html", context)
