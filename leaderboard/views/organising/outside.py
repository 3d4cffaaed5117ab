"""Judges from elsewhere: a language model that is asked, CLAP models that hear the recordings."""

from http import HTTPStatus

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from leaderboard import access
from leaderboard.forms.outside import AskingJudgeForm, HearingJudgeForm
from leaderboard.models import Phase
from leaderboard.selectors.outside import (
    PhaseJudge,
    asking_state,
    cost_estimate,
    hearing_state,
    kind_of,
    outside_families,
    phase_judges,
)
from leaderboard.services.outside.judges import judge_turn_off, judge_turn_on
from leaderboard.tasks import evaluations_enqueue
from leaderboard.views.pages import phase_context
from leaderboard.web.refusals import refusal_in, refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_act, signed_in_form

PAGE = "leaderboard:manage-outside"


@signed_in_form("leaderboard.manage", "60/m")
def outside(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Show the judges that a phase has or can have; turn one on."""
    found = access.organised_phase_for(request.user, challenge, phase)
    if request.method != "POST":
        return _page(request, found)
    family = request.POST.get("family", "")
    if family not in outside_families():
        return _page(request, found, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    form = HearingJudgeForm(request.POST)
    if kind_of(family) == "language":
        state = asking_state(found)
        form = AskingJudgeForm(request.POST, use=state.use if state else None)
    if form.is_valid():
        with refusal_in(form):
            waiting = judge_turn_on(
                phase=found,
                family=family,
                model=form.cleaned_data["model"],
                budget=form.cleaned_data.get("budget", 0),
                actor=request.user,
                now=timezone.now(),
            )
            transaction.on_commit(lambda: evaluations_enqueue(waiting))
            later = " Systems that have no score of it yet will be scored." if waiting else ""
            messages.success(request, f"Saved.{later}")
            return redirect(PAGE, challenge=challenge, phase=phase)
    return _page(request, found, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)


@signed_in_act()
def outside_off(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Turn a judge off."""
    found = access.organised_phase_for(request.user, challenge, phase)
    family = request.POST.get("family", "")
    with refusal_told(request):
        judge_turn_off(phase=found, family=family, actor=request.user, now=timezone.now())
        messages.success(request, "It was turned off, and its results are hidden.")
    return redirect(PAGE, challenge=challenge, phase=phase)


def _page(
    request: SignedInRequest,
    phase: Phase,
    sent: HearingJudgeForm | None = None,
    *,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    judges = phase_judges(phase)
    state = asking_state(phase)
    servers = settings.LANGUAGE_MODELS.values() if any(judge.asks for judge in judges) else ()
    estimates = [cost_estimate(phase, server) for server in servers]
    offered = outside_families()

    def form_of(judge: PhaseJudge) -> HearingJudgeForm | None:
        if judge.family not in offered:
            return None
        if sent is not None and sent.data.get("family") == judge.family:
            return sent
        initial = {"family": judge.family, "model": judge.model}
        auto_id = f"id_{judge.family}_%s"
        if not judge.asks:
            return HearingJudgeForm(initial=initial, auto_id=auto_id)
        usual = max((estimate.requests for estimate in estimates), default=0)
        budget = state.use.budget if state else usual * 3 // 2 or 1000
        use = state.use if state else None
        return AskingJudgeForm(initial={**initial, "budget": budget}, use=use, auto_id=auto_id)

    context = {
        **phase_context(phase),
        "judges": [(judge, form_of(judge)) for judge in judges],
        "asking": state,
        "estimates": estimates,
        "hearing": hearing_state(phase),
    }
    return render(request, "leaderboard/organising/outside.html", context, status=status)
