"""Pairs of captions: drawing them, and what judges say of them."""

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from annotation import access
from annotation.forms.sources import PairPhaseForm, PairsForm
from annotation.models import PairDraw, Project
from annotation.selectors.judging.results import judging_results, strengths_figure
from annotation.selectors.judging.votes import (
    best_first,
    judged_references,
    judgment_file,
    phase_of,
    votes_of,
)
from annotation.services.judging import judgments_hand_over, pairs_draw
from annotation.views.pages import act_of, manage_page, managed
from earmark.captions.faults import count_of
from leaderboard.models import Phase
from leaderboard.selectors.clips.corpus import CaptionsUnreadable
from leaderboard.tasks import JUDGMENTS_TASKS
from leaderboard.web.file_responses import Download, download_response
from leaderboard.web.refusals import refusal_in, refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_act, signed_in_form, signed_in_page


def _judged(request: SignedInRequest, slug: str) -> Project:
    project = managed(request, slug, any_kind=True)
    if project.kind != "judge":
        raise Http404
    return project


@signed_in_form("annotation.files", "30/m")
def pairs(request: SignedInRequest, project: str) -> HttpResponse:
    """Show how pairs are drawn from a phase that the asker organises; draw some."""
    found = _judged(request, project)
    phase, choice = _phase_to_draw(request, found)
    if phase is None:
        if request.method == "POST":
            raise Http404
        return _pairs_page(request, found, choice=choice)
    posted = request.POST if request.method == "POST" else None
    systems = best_first(phase, access.systems_to_draw(request.user, phase))
    form = PairsForm(posted, systems=systems)
    if not form.is_valid():
        return _pairs_page(request, found, phase=phase, form=form)
    try:
        with refusal_in(form):
            drawn = pairs_draw(project=found, phase=phase, act=act_of(request), **form.draw)
            alone = not found.members.exclude(user=request.user).exists()
            first = " Next, add people." if alone else ""
            messages.success(request, f"{count_of(len(drawn), 'pair')} drawn.{first}")
            return redirect("annotation:pairs", project=found.slug)
    except CaptionsUnreadable:
        form.add_error("systems", "The captions of a chosen system can no longer be read.")
    return _pairs_page(request, found, phase=phase, form=form)


def _phase_to_draw(
    request: SignedInRequest, project: Project
) -> tuple[Phase | None, PairPhaseForm | None]:
    """The phase of the project or the chosen one, where the asker organises it; else a choice."""
    phases = access.phases_for(request.user).order_by("challenge__title", "position", "pk")
    own = phase_of(project)
    if own is not None:
        return phases.filter(pk=own.pk).first(), None
    choice = PairPhaseForm(request.GET if "phase" in request.GET else None, phases=phases)
    if choice.is_valid():
        chosen: Phase = choice.cleaned_data["phase"]
        return chosen, choice
    return None, choice


def _pairs_page(
    request: SignedInRequest,
    project: Project,
    *,
    phase: Phase | None = None,
    form: PairsForm | None = None,
    choice: PairPhaseForm | None = None,
) -> HttpResponse:
    draws = PairDraw.objects.filter(project=project)
    return manage_page(
        request,
        project,
        "pairs",
        phase=phase,
        pairs_form=form,
        choice=choice,
        organises=access.phases_for(request.user).exists(),
        draws=draws.select_related("phase__challenge", "by"),
    )


@signed_in_page
def results(request: SignedInRequest, project: str) -> HttpResponseBase:
    """Show what judges say of systems, and how far they agree; ``?format=json`` is the file."""
    found = _judged(request, project)
    phase = phase_of(found)
    named = access.draws_from(request.user, phase)
    if "format" in request.GET:
        if request.GET["format"] != "json" or not (named or phase is None):
            raise Http404
        judged, references = votes_of(found).pairs, judged_references(found, phase)
        if not all(pair.clip in references for pair in judged):
            raise Http404
        content = judgment_file(judged, references)
        file = Download(f"{found.slug}-judgments.json", "application/json", iter([content]))
        return download_response(file)
    shown = judging_results(found, phase, named=named)
    has_file = named or (phase is None and bool(judged_references(found, None)))
    return manage_page(
        request,
        found,
        "judging",
        phase=phase,
        named=named,
        has_file=has_file and shown.votes,
        results=shown,
        figure=strengths_figure(shown.systems) if len(shown.systems) > 1 else None,
    )


@signed_in_act("annotation.files", "30/m")
def measure(request: SignedInRequest, project: str) -> HttpResponse:
    """Have the metrics of the phase compared with what judges say, and go on to its page."""
    found = _judged(request, project)
    phase = phase_of(found)
    if phase is None or not access.draws_from(request.user, phase):
        raise Http404
    with refusal_told(request):
        row = judgments_hand_over(project=found, phase=phase, act=act_of(request))
        JUDGMENTS_TASKS.enqueue(row.pk)
        messages.success(request, "The metrics are being compared with the judges.")
        address = reverse("leaderboard:judgments", args=[phase.challenge.slug, phase.slug])
        return redirect(f"{address}?of={row.pk}")
    return redirect("annotation:judging", project=found.slug)
