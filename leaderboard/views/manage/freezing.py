"""Whether a phase's ranking is frozen, and freezing and revealing it."""

from collections.abc import Callable
from datetime import datetime

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from leaderboard import access
from leaderboard.models import Phase, RankSnapshot
from leaderboard.selectors.snapshots import snapshots_of
from leaderboard.selectors.view import public_view
from leaderboard.services.freezing import FreezingRefused, phase_freeze, phase_reveal
from leaderboard.views.rate_limits import rate_limited
from leaderboard.views.requests import SignedInRequest


@login_required
@require_safe
@never_cache
def ranking(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Say what everyone else sees of a ranking, and offer to freeze or to reveal it."""
    found = access.organised_phase_for(request.user, challenge, phase)
    context = {
        "challenge": found.challenge,
        "phase": found,
        "public": public_view(found, timezone.now()),
        "snapshots": snapshots_of(found),
    }
    return render(request, "leaderboard/manage/ranking.html", context)


@login_required
@rate_limited("leaderboard.manage", "60/m")
@require_POST
def freeze(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Freeze a ranking."""
    told = "The ranking is frozen. Everyone else sees it as it stands now, until you reveal it."
    return _act(request, challenge, phase, lambda found, now: _frozen(request, found, now), told)


@login_required
@rate_limited("leaderboard.manage", "60/m")
@require_POST
def reveal(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Reveal a ranking."""
    told = "The ranking is revealed. Everyone sees it live."
    return _act(request, challenge, phase, lambda found, now: _revealed(request, found, now), told)


def _frozen(request: SignedInRequest, phase: Phase, now: datetime) -> RankSnapshot:
    return phase_freeze(phase=phase, actor=request.user, now=now)


def _revealed(request: SignedInRequest, phase: Phase, now: datetime) -> RankSnapshot:
    return phase_reveal(phase=phase, actor=request.user, now=now)


def _act(
    request: SignedInRequest,
    challenge: str,
    phase: str,
    act: Callable[[Phase, datetime], RankSnapshot],
    told: str,
) -> HttpResponse:
    found = access.organised_phase_for(request.user, challenge, phase)
    try:
        act(found, timezone.now())
    except FreezingRefused as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, told)
    return redirect("leaderboard:manage-reveal", challenge=challenge, phase=phase)
