"""Scoring a phase anew: the dry run, what it would change, and publishing it."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from earmark.errors import ScoringError
from leaderboard import access, tasks
from leaderboard.forms.lab import CompositeForm
from leaderboard.forms.rescoring import RescoringForm
from leaderboard.models import EvaluationState, Phase, Rescoring
from leaderboard.selectors.labellers.listing import kept_labeller
from leaderboard.selectors.labellers.use import identity_in_use, labeller_of
from leaderboard.selectors.organising.rescoring import (
    Targets,
    former_parameters,
    open_rescoring,
    phase_after,
    queue_sentence,
    status_of,
    targets_of,
)
from leaderboard.selectors.organising.rescoring_diff import RescoringDiff, diff_of, metrics_in
from leaderboard.services.organising import rescoring as services
from leaderboard.services.organising.rescoring import composite_dry_run
from leaderboard.views.pages import act_on, phase_context, row_named, with_acts
from leaderboard.web.refusals import Refused, refusal_in
from leaderboard.web.requests import SignedInRequest, signed_in_form, signed_in_page

# Of the systems that move as many are shown; all are a click away.
SHOWN = 50


def _begun(request: SignedInRequest, made: Rescoring) -> None:
    message = (
        "The dry run has started. Only organisers see it."
        if _send(made)
        else "Everything was computed before, so the dry run is already finished."
    )
    messages.success(request, message)


def _send(current: Rescoring) -> bool:
    """Let workers begin with what waits, if anything does."""
    waiting = services.rescoring_waiting(current)
    transaction.on_commit(lambda: tasks.evaluations_enqueue(waiting))
    return bool(waiting)


@contextmanager
def _failure_told(request: SignedInRequest) -> Iterator[None]:
    """Tell on the next page why nothing could be begun or done, and go on after it."""
    try:
        yield
    except (Refused, ScoringError, ImportError) as error:
        messages.warning(request, str(error))


_on_phase = act_on(access.organised_phase_for, "leaderboard.rescore", "30/m", told=_failure_told)


@_on_phase
def rescoring_labeller(request: SignedInRequest, found: Phase) -> None:
    """Begin a dry run of ACES with a labeller that is kept here, and leave all else as it is."""
    chosen = kept_labeller(request.POST.get("labeller", ""))
    if chosen is None:
        raise Refused("Choose a labeller that is kept here.")
    made = services.rescoring_open_with(
        phase=found,
        family="aces",
        changes={"labeller": chosen.identity},
        reason=f"Labeller {chosen.identity}",
        actor=request.user,
        now=timezone.now(),
    )
    _begun(request, made)


@_on_phase
def rescoring_composite(request: SignedInRequest, found: Phase) -> None:
    """Begin a dry run of a composite that was put together in the lab; it ranks once published."""
    form = CompositeForm(request.POST)
    if not form.is_valid():
        faults = [str(fault) for faults in form.errors.values() for fault in faults]
        raise Refused(" ".join(faults))
    made = composite_dry_run(
        phase=found, **form.cleaned_data, actor=request.user, now=timezone.now()
    )
    _begun(request, made)


def _named(request: SignedInRequest, phase: Phase) -> Rescoring:
    return row_named(request, "rescoring", Rescoring.objects.filter(phase=phase))


@_on_phase
def rescoring_publish(request: SignedInRequest, phase: Phase) -> None:
    """Publish a dry run, or take in first what came in since."""
    current, now = _named(request, phase), timezone.now()
    newcomers = services.rescoring_extend(rescoring=current, actor=request.user, now=now)
    if newcomers:
        _send(current)
        what = "1 system was" if newcomers == 1 else f"{newcomers:,} systems were"
        messages.warning(
            request,
            f"{what} submitted since the dry run began. Nothing was published. Check the "
            "comparison once all scores are computed.",
        )
        return
    services.rescoring_publish(
        rescoring=current,
        accept_failures="accept_failures" in request.POST,
        actor=request.user,
        now=now,
    )
    _send(current)
    tasks.notices_enqueue()
    messages.success(
        request, f"Published: {phase.name} ranks by the new scores. The ranking of before was kept."
    )


@_on_phase
def rescoring_retry(request: SignedInRequest, phase: Phase) -> None:
    """Retry what failed."""
    current = _named(request, phase)
    services.rescoring_retry(rescoring=current, actor=request.user, now=timezone.now())
    _send(current)
    messages.success(request, "What failed is being computed again.")


@_on_phase
def rescoring_discard(request: SignedInRequest, phase: Phase) -> None:
    """Discard a dry run."""
    current = _named(request, phase)
    services.rescoring_discard(rescoring=current, actor=request.user, now=timezone.now())
    messages.success(request, "The dry run was discarded. The ranking is as it was.")


@_on_phase
def rescoring_roll_back(request: SignedInRequest, phase: Phase) -> None:
    """Begin a dry run with the parameters of before a published rescoring."""
    former = _named(request, phase)
    if former.published_at is None:
        raise Refused("Only what was published can be taken back.")
    if former.ranking_metric:
        raise Refused("Choose the metric that ranked before in the phase's rules.")
    made = services.rescoring_open(
        phase=phase,
        parameters=former_parameters(former),
        reason=f"Back to the parameters before {former.published_at:%Y-%m-%d %H:%M} UTC",
        actor=request.user,
        now=timezone.now(),
    )
    _begun(request, made)


@with_acts(
    labeller=rescoring_labeller,
    composite=rescoring_composite,
    publish=rescoring_publish,
    retry=rescoring_retry,
    discard=rescoring_discard,
    back=rescoring_roll_back,
)
@signed_in_form("leaderboard.rescore", "30/m")
def rescoring(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Show the dry run of a phase, or offer to begin one, and what was rescored before."""
    found = access.organised_phase_for(request.user, challenge, phase)
    if request.method != "POST":
        return _page(request, found, None)
    form = RescoringForm(request.POST, phase=found)
    if not form.is_valid():
        return _page(request, found, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    with refusal_in(form):
        made = services.rescoring_open(
            phase=found,
            parameters=form.parameters,
            reason=form.cleaned_data["reason"],
            actor=request.user,
            now=timezone.now(),
        )
        _begun(request, made)
        return redirect("leaderboard:manage-rescoring", challenge=challenge, phase=phase)
    return _page(request, found, form, status=HTTPStatus.CONFLICT)


@signed_in_page
def rescoring_progress(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Send the progress alone; once nothing waits any more the page is told to reload."""
    found = access.organised_phase_for(request.user, challenge, phase)
    current = open_rescoring(found)
    context: dict[str, Any] = phase_context(found)
    if current is not None:
        try:
            targets = targets_of(current)
            context["status"] = status_of(current, targets)
            context["queue"] = queue_sentence(targets, timezone.now())
        except (ScoringError, ImportError):
            context["status"] = None
    response = render(request, "leaderboard/organising/_rescoring_progress.html", context)
    status = context.get("status")
    if status is None or status.settled:
        response["HX-Refresh"] = "true"
    return response


def _page(
    request: SignedInRequest,
    phase: Phase,
    form: RescoringForm | None,
    *,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    current = open_rescoring(phase)
    context: dict[str, Any] = {
        **phase_context(phase),
        "rescoring": current,
        # What is over.
        "history": Rescoring.objects.filter(phase=phase)
        .exclude(published_at=None, discarded_at=None)
        .select_related("created_by"),
    }
    if current is None:
        context["form"] = form or RescoringForm(phase=phase)
        if phase.computes("aces"):
            context |= {"labeller": labeller_of(phase), "labeller_in_use": identity_in_use()}
    else:
        context |= _dry_run(request, phase, current)
        context["refused"] = form.non_field_errors() if form else ()
    return render(request, "leaderboard/organising/rescoring.html", context, status=status)


def _dry_run(request: SignedInRequest, phase: Phase, current: Rescoring) -> dict[str, Any]:
    try:
        targets = targets_of(current)
    except (ScoringError, ImportError) as error:
        return {"broken": str(error)}
    status = status_of(current, targets)
    # For organisers alone: the detail may hold captions.
    failed = targets.eligible.filter(state=EvaluationState.FAILED).select_related(
        "submission__team"
    )
    context: dict[str, Any] = {
        "status": status,
        "queue": queue_sentence(targets, timezone.now()),
        "failures": failed.order_by("submission__system_name", "pk")[:SHOWN],
        "ranking_after": phase_after(phase, current) if current.ranking_metric else None,
    }
    if status.settled and any(family.total for family in status.families):
        context |= _comparison(request, phase, current, targets)
    return context


def _comparison(
    request: SignedInRequest, phase: Phase, current: Rescoring, targets: Targets
) -> dict[str, Any]:
    after = phase_after(phase, current)
    infos = metrics_in(after, targets)
    by_name = {info.name: info for info in infos}
    diff = diff_of(phase, after, targets, by_name.get(request.GET.get("metric", ""), infos[0]))
    every = request.GET.get("show") == "all"
    return {
        "diff": diff,
        "metrics": infos,
        "every": every,
        "rows": diff.rows if every else _first(diff),
        "ranking_rescored": after.ranking.family in targets.families,
    }


def _first(diff: RescoringDiff) -> list[Any]:
    """Show those that move, and where few do, those that stand on top."""
    moving = [row for row in diff.rows if row.moves][:SHOWN]
    shown = {row.public_id for row in (*moving, *diff.rows[: max(0, SHOWN - len(moving))])}
    return [row for row in diff.rows if row.public_id in shown]
