"""The phases of a challenge: list, order, rules, freezing the ranking, judges from elsewhere."""

import hashlib
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from leaderboard import access
from leaderboard.forms.phases import AskingJudgeForm, HearingJudgeForm, PhaseForm
from leaderboard.models import Phase
from leaderboard.selectors.organising.overview import phase_lines
from leaderboard.selectors.organising.rule_changes import captions_shown_by, consequences_of
from leaderboard.selectors.outside import (
    PhaseJudge,
    asking_state,
    cost_estimate,
    hearing_state,
    kind_of,
    outside_families,
    phase_judges,
)
from leaderboard.selectors.ranking.snapshots import being_scored, snapshots_of
from leaderboard.selectors.visibility.visibility import public_view
from leaderboard.services.organising import phases as services
from leaderboard.services.organising.edit_conflicts import ChangedMeanwhile
from leaderboard.services.outside.judges import judge_turn_off, judge_turn_on
from leaderboard.services.ranking.snapshots import (
    phase_freeze,
    phase_freeze_cancel,
    phase_freeze_when_scored,
    phase_reveal,
)
from leaderboard.tasks import evaluations_enqueue
from leaderboard.views.pages import (
    act_on,
    asked_rendered,
    conflict_of,
    form_rendered,
    phase_context,
    with_acts,
)
from leaderboard.web.refusals import Refused, refusal_in, refusal_shown
from leaderboard.web.requests import SignedInRequest, signed_in_form, signed_in_page


@signed_in_page
def phase_list(request: SignedInRequest, challenge: str) -> HttpResponse:
    """List the phases of a challenge in order."""
    found = access.organised_challenge_for(request.user, challenge)
    context = {"challenge": found, "lines": phase_lines(found, timezone.now())}
    return render(request, "leaderboard/organising/phases.html", context)


@signed_in_form("leaderboard.manage", "60/m")
def phase_create(request: SignedInRequest, challenge: str) -> HttpResponse:
    """Add a phase."""
    found = access.organised_challenge_for(request.user, challenge)
    data = request.POST if request.method == "POST" else None
    form = PhaseForm(data, challenge=found, phase=None)
    if form.is_valid():
        try:
            made = services.phase_create(
                challenge=found, actor=request.user, now=timezone.now(), **form.rules
            )
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, f"{made.name} was added. It needs references next.")
            return redirect("leaderboard:manage-references", challenge=found.slug, phase=made.slug)
    context = {"challenge": found, "form": form}
    return form_rendered(request, "leaderboard/organising/phase_new.html", context)


@act_on(access.organised_phase_for)
def phase_move(request: SignedInRequest, found: Phase) -> HttpResponse:
    """Move a phase up or down in the list."""
    by = -1 if request.POST.get("to") == "up" else 1
    services.phase_move(phase=found, by=by, actor=request.user, now=timezone.now())
    return redirect("leaderboard:manage-phases", challenge=found.challenge.slug)


@act_on(access.organised_phase_for)
def phase_delete(request: SignedInRequest, found: Phase) -> HttpResponse:
    """Ask whether a phase is to be deleted, and delete it once that is confirmed."""
    context = {**phase_context(found), "not_deletable": services.why_not_deletable(found)}
    if "confirmed" in request.POST:
        with refusal_shown(context, "not_deletable"):
            services.phase_delete(phase=found, actor=request.user, now=timezone.now())
            messages.success(request, f"{found.name} was deleted.")
            return redirect("leaderboard:manage-phases", challenge=found.challenge.slug)
    return asked_rendered(request, "leaderboard/organising/phase_delete.html", context)


@with_acts(move=phase_move, delete=phase_delete)
@signed_in_form("leaderboard.manage", "60/m")
def phase_rules(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Show the rules of a phase and change them; what touches submissions is asked twice."""
    found = access.organised_phase_for(request.user, challenge, phase)
    fixed = found.submissions.of_teams().exists()
    data = request.POST if request.method == "POST" else None
    form = PhaseForm(data, challenge=found.challenge, phase=found, fixed=fixed)
    context: dict[str, object] = {
        **phase_context(found),
        "form": form,
        "submitted": fixed,
        "not_deletable": services.why_not_deletable(found),
    }
    if form.is_valid():
        consequences = consequences_of(found, form.rules, timezone.now()) if fixed else ()
        consequences += captions_shown_by(found, form.rules["references_public"], request.user)
        context |= {"consequences": consequences, "confirmed": _mark(consequences)}
        # Confirmed is what was read, and not what was changed after it.
        if not consequences or request.POST.get("confirmed") == _mark(consequences):
            conflict = _save(request, found, form)
            if conflict is None and form.is_valid():
                messages.success(request, "The rules were saved.")
                return redirect("leaderboard:manage-phase", challenge=challenge, phase=found.slug)
            context |= {"conflict": conflict, "consequences": ()}
    return form_rendered(request, "leaderboard/organising/phase.html", context)


def _mark(consequences: Sequence[str]) -> str:
    """A short digest of the consequences of a change."""
    return hashlib.sha256("\n".join(consequences).encode()).hexdigest()[:16]


def _save(request: SignedInRequest, phase: Phase, form: PhaseForm) -> dict[str, Any] | None:
    """Save; a refusal is left on the form."""
    try:
        waiting = services.phase_change(
            phase=phase,
            values=form.rules,
            version=form.cleaned_data["version"],
            actor=request.user,
            now=timezone.now(),
        )
    except ChangedMeanwhile as error:
        fresh = Phase.objects.select_related("challenge").get(pk=phase.pk)
        return conflict_of(
            error,
            form,
            PhaseForm(None, challenge=fresh.challenge, phase=fresh),
            request.POST,
            target=fresh,
        )
    except Refused as refused:
        form.add_error(refused.field or None, str(refused))
    except ValidationError as error:
        form.add_error(None, error)
    else:
        transaction.on_commit(lambda: evaluations_enqueue(waiting))
    return None


def _ranking_act(service: Callable[..., object], done: str) -> Callable[..., HttpResponse]:
    @act_on(access.organised_phase_for, "leaderboard.manage", "60/m")
    def act(request: SignedInRequest, found: Phase) -> None:
        service(phase=found, actor=request.user, now=timezone.now())
        messages.success(request, done)

    return act


@with_acts(
    freeze=_ranking_act(
        phase_freeze,
        "The ranking is frozen. Everyone else sees it as it is now, until you reveal it.",
    ),
    wait=_ranking_act(
        phase_freeze_when_scored,
        "The ranking will be frozen as soon as everything submitted so far is scored.",
    ),
    cancel=_ranking_act(phase_freeze_cancel, "The ranking stays live."),
    reveal=_ranking_act(phase_reveal, "The ranking is revealed. Everyone sees it live."),
)
@signed_in_page
def ranking(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Show what everyone else sees of a ranking, and offer to freeze or to reveal it."""
    found = access.organised_phase_for(request.user, challenge, phase)
    now = timezone.now()
    context = {
        **phase_context(found),
        "public": public_view(found, now),
        "being_scored": being_scored(found, found.freeze_asked_at or now),
        "snapshots": snapshots_of(found),
    }
    return render(request, "leaderboard/organising/ranking.html", context)


@act_on(access.organised_phase_for)
def outside_off(request: SignedInRequest, found: Phase) -> None:
    """Turn a judge off."""
    family = request.POST.get("family", "")
    judge_turn_off(phase=found, family=family, actor=request.user, now=timezone.now())
    messages.success(request, "It was turned off, and its results are hidden.")


@with_acts(off=outside_off)
@signed_in_form("leaderboard.manage", "60/m")
def outside(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Show the judges that a phase has or can have; turn one on."""
    found = access.organised_phase_for(request.user, challenge, phase)
    if request.method != "POST":
        return _outside_page(request, found)
    family = request.POST.get("family", "")
    if family not in outside_families():
        return _outside_page(request, found, status=HTTPStatus.UNPROCESSABLE_ENTITY)
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
            return redirect("leaderboard:manage-outside", challenge=challenge, phase=phase)
    return _outside_page(request, found, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)


def _outside_page(
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
