"""The small pages on which a team withdraws a submission, takes it back, or chooses it."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard import access
from leaderboard.selectors.acts import TeamActs, team_acts
from leaderboard.selectors.quotas import places_of
from leaderboard.services import withdrawing as services
from leaderboard.services.withdrawing import ActRefused
from leaderboard.views.rate_limits import rate_limited
from leaderboard.views.requests import SignedInRequest


@dataclass(frozen=True, slots=True)
class Act:
    """One act: its words, its service, and whether it is offered now."""

    name: str
    button: str
    done: str
    already: str
    service: Callable[..., bool]
    offered: Callable[[TeamActs], bool]


WITHDRAW = Act(
    "withdraw",
    "Withdraw",
    "{} was withdrawn. You can take it back until the phase closes.",
    "{} was withdrawn already.",
    services.submission_withdraw,
    lambda acts: acts.withdraw,
)
TAKE_BACK = Act(
    "take_back",
    "Take back",
    "{} stands again.",
    "{} stands; it is not withdrawn.",
    services.submission_take_back,
    lambda acts: acts.take_back,
)
CHOOSE = Act(
    "choose",
    "Choose",
    "{} now counts for your team.",
    "{} counts for your team already.",
    services.submission_choose,
    lambda acts: acts.choose,
)


def submission_withdraw(request: SignedInRequest, public_id: str) -> HttpResponse:
    """Ask whether to withdraw a submission; do it when confirmed."""
    return _act(request, public_id, WITHDRAW)


def submission_take_back(request: SignedInRequest, public_id: str) -> HttpResponse:
    """Ask whether to let a withdrawn submission stand again; do it when confirmed."""
    return _act(request, public_id, TAKE_BACK)


def submission_choose(request: SignedInRequest, public_id: str) -> HttpResponse:
    """Ask whether this submission should count; make it count when confirmed."""
    return _act(request, public_id, CHOOSE)


@login_required
@never_cache
@rate_limited("leaderboard.acts", "30/m")
@require_http_methods(["GET", "HEAD", "POST"])
def _act(request: SignedInRequest, public_id: str, act: Act) -> HttpResponse:
    submission = access.team_submission_for(request.user, public_id)
    name, now = submission.system_name, timezone.now()
    refused = ""
    if request.method == "POST":
        try:
            changed = act.service(submission=submission, actor=request.user, now=now)
        except ActRefused as error:
            refused = str(error)
        else:
            messages.success(request, (act.done if changed else act.already).format(name))
            return redirect("leaderboard:system", public_id=public_id)
    of_team = submission.phase.submissions.filter(team=submission.team)
    context = {
        "act": act,
        "submission": submission,
        "phase": submission.phase,
        "challenge": submission.phase.challenge,
        "offered": act.offered(team_acts(submission, now)),
        "refused": refused,
        "chosen": of_team.filter(chosen=True).exclude(pk=submission.pk).first(),
        "places": places_of(phase=submission.phase, team=submission.team),
    }
    status = HTTPStatus.CONFLICT if refused else HTTPStatus.OK
    return render(request, "leaderboard/submission_act.html", context, status=status)
