"""Looking at labellers: the list, one, two beside each other, and the file to keep."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.models import Phase
from leaderboard.selectors.labellers.comparing import MEASURES, choices_of, compared
from leaderboard.selectors.labellers.listing import Kept, kept_labellers, uses_of
from leaderboard.selectors.labellers.needed import why_needed
from leaderboard.selectors.labellers.phases import phase_labellers
from leaderboard.selectors.labellers.scores import curve_of
from leaderboard.sending import labeller_sent
from leaderboard.views.requests import SignedInRequest
from scoring.errors import ScoringError

# Of the history as much is shown on the list.
SHOWN = 50


@login_required
@require_safe
@never_cache
def labeller_list(request: SignedInRequest) -> HttpResponse:
    """List the labellers, the one in use marked, and how it came to be that."""
    access.labellers_for(request.user)
    rows = kept_labellers()
    uses = uses_of()
    in_use = next(row for row in rows if row.in_use)
    organised = phase_labellers(access.phases_to_rescore(request.user))
    context = {
        "rows": rows,
        "in_use": in_use,
        "broken": in_use.fault,
        "uses": uses[:SHOWN],
        "since": uses[0] if uses else None,
        "may_roll_back": _other_before(uses, in_use),
        "may_publish": access.may_publish_labellers(request.user),
        "behind": sum(row.differs_from(in_use.identity) for row in organised),
    }
    return render(request, "leaderboard/labellers/list.html", context)


def _other_before(uses: list[Any], in_use: Kept) -> str:
    """Name the labeller that one goes back to; empty where there is none."""
    if not uses:
        return ""
    if len(uses) > 1 and uses[1].labeller_id is not None:
        return str(uses[1].identity)
    shipped = next(row.identity for row in kept_labellers() if row.shipped)
    return "" if shipped == in_use.identity else shipped


@login_required
@require_safe
@never_cache
def labeller(request: SignedInRequest, identity: str) -> HttpResponse:
    """Show all that is known of a labeller."""
    found = access.labeller_for(request.user, identity)
    seen = Phase.objects.filter(challenge__in=access.challenges_visible(request.user))
    others = [row for row in kept_labellers() if row.identity != found.identity]
    may_publish = access.may_publish_labellers(request.user)
    context = {
        "kept": found,
        "fault": found.fault,
        "choices": choices_of(found.recipe),
        "measures": measured(found),
        "curve": curve_of(found.report),
        "uses": uses_of(found.identity),
        "phases": [row for row in phase_labellers(seen) if row.identity == found.identity],
        "trainings": access.trainings_for(request.user, found),
        "others": others,
        "may_publish": may_publish,
        "not_deletable": _not_deletable(found) if may_publish else "",
    }
    return render(request, "leaderboard/labellers/labeller.html", context)


def measured(kept: Kept) -> list[tuple[str, float | None]]:
    """List the measures of a labeller by their titles."""
    return [(title, getattr(kept.scores, name, None)) for name, title in MEASURES]


def _not_deletable(kept: Kept) -> str:
    if kept.row is None:
        return "It comes with the installation."
    return why_needed(kept.row)


@login_required
@require_safe
@never_cache
def compare(request: SignedInRequest) -> HttpResponse:
    """Show two labellers side by side: the one in use and the latest where none are named."""
    access.labellers_for(request.user)
    rows = kept_labellers()
    a = _named(rows, request.GET.get("a", "")) or next(row for row in rows if row.in_use)
    b = _named(rows, request.GET.get("b", "")) or next(
        (row for row in (*rows[1:], *rows) if row.identity != a.identity), None
    )
    context: dict[str, Any] = {"rows": rows, "a": a, "b": b}
    if b is not None:
        context["comparison"] = compared(a, b)
    return render(request, "leaderboard/labellers/compare.html", context)


def _named(rows: list[Kept], identity: str) -> Kept | None:
    return next((row for row in rows if row.identity == identity), None)


@login_required
@require_safe
def download(request: SignedInRequest, identity: str) -> HttpResponseBase:
    """Give a labeller as a file, its content verified."""
    found = access.labeller_for(request.user, identity)
    try:
        return labeller_sent(found)
    except (ScoringError, OSError) as error:
        messages.error(request, str(error))
        return redirect("leaderboard:labeller", identity=identity)


@login_required
@require_safe
@never_cache
def phases(request: SignedInRequest) -> HttpResponse:
    """Offer to score anew each phase that one organises and that has another labeller."""
    access.labellers_for(request.user)
    in_use = next(row for row in kept_labellers() if row.in_use)
    found = phase_labellers(access.phases_to_rescore(request.user))
    context = {
        "in_use": in_use,
        "fault": in_use.fault,
        "behind": [row for row in found if row.differs_from(in_use.identity)],
        "same": [row for row in found if not row.differs_from(in_use.identity)],
    }
    return render(request, "leaderboard/labellers/phases.html", context)
