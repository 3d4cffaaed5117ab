"""The metrics against people who judged pairs: of a phase, or of a file of one's own."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from earmark.benchmark import TOTAL
from earmark.captions import Fault
from earmark.judgment_files import HEADER
from earmark.registry import METRICS
from leaderboard import access
from leaderboard.forms.uploads import OwnJudgmentsForm, parsed_late
from leaderboard.models import JudgmentSet, Phase
from leaderboard.selectors.analysis.human_judgments import (
    KIND_TITLES,
    judged_metrics,
    shares_scale,
    wrong_pairs,
    wrong_pairs_lines,
)
from leaderboard.selectors.evaluations.progress import family_label
from leaderboard.selectors.figures.human_judgments import human_judgments_figure
from leaderboard.services.judgments.states import (
    MOST_KEPT,
    MOST_PAIRS,
    RATE,
    RATE_GROUP,
    judgments_publish,
    own_judgments_create,
    own_judgments_delete,
)
from leaderboard.tasks import JUDGMENTS_TASKS
from leaderboard.views.pages import act_on, form_rendered, phase_context, row_named, with_acts
from leaderboard.web.body_limits import reads_upload
from leaderboard.web.file_responses import attachment
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import SignedInRequest, signed_in_form, signed_in_page

PER_PAGE = 25
FAULTS_SHOWN = 100


@act_on(access.organised_phase_for)
def publish(request: SignedInRequest, phase: Phase) -> HttpResponse:
    """Show what judges say of the metrics to everyone, or with ``public=no`` to organisers."""
    rows = JudgmentSet.objects.filter(phase=phase).defer("pairs").select_related("phase")
    row = row_named(request, "judgments", rows)
    public = request.POST.get("public") != "no"
    row.phase = phase
    judgments_publish(judgments=row, public=public, actor=request.user, now=timezone.now())
    seen = "Everyone sees" if public else "Only organisers see"
    messages.success(request, f"{seen} how metrics agree with these judges.")
    return redirect(f"{request.path}?of={row.pk}")


@with_acts(publish=publish)
@require_safe
def judgments(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Show how often each metric agrees with the judges: ``?of=`` a source, ``?pairs=`` a kind."""
    found, rows = access.judgments_for(request.user, challenge, phase)
    every = list(rows)
    source = request.GET.get("of", "")
    chosen = next((row for row in every if str(row.pk) == source), None)
    if source and chosen is None:
        raise Http404
    shown = chosen or next(iter(every), None)
    context = {
        **phase_context(found),
        "every": every,
        "judgments": shown,
        "organises": access.is_organiser(request.user, found.challenge),
    }
    if shown is not None:
        if context["organises"]:
            context["wrong"] = f"{request.path}{shown.pk}/wrong/"
        context |= judged_context(request, shown)
    return _looked_at(request, "leaderboard/analysis/judgments.html", context)


def _looked_at(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    page = render(request, template, context)
    shown: JudgmentSet | None = context["judgments"]
    if shown is not None and not shown.under_way and "HX-Request" in request.headers:
        # A page that looked how far it is shows what came of it, figure and all.
        page["HX-Refresh"] = "true"
    return page


def judged_context(request: HttpRequest, shown: JudgmentSet) -> dict[str, object]:
    """How far judgments are measured, and how often each metric agrees with them."""
    measured = judged_metrics(shown)
    family = shown.progress.get("family")
    context: dict[str, object] = {
        "measured": measured,
        "family": family and family_label(family),
        "query": f"of={shown.pk}&" if shown.phase_id else "",
    }
    if measured is None or not measured.rows:
        return context
    kind_name = request.GET.get("pairs", "")
    kind = kind_name if kind_name in measured.kinds else TOTAL
    ranked = measured.ranked(kind)
    return context | {
        "kind": kind,
        "kinds": {name: KIND_TITLES[name] for name in measured.kinds},
        "rows": [(row, row.of(kind), [row.of(name) for name in measured.kinds]) for row in ranked],
        "pairs": [(name, ranked[0].of(name).counts.pairs) for name in measured.kinds],
        "figure": human_judgments_figure(ranked, kind, None),
        "scale": shares_scale(ranked, kind),
        "left_out": [
            (METRICS[name], reason)
            for name, reason in measured.unavailable.items()
            if name in METRICS
        ],
    }


@signed_in_form(RATE_GROUP, RATE)
@parsed_late
@reads_upload
def own_judgments(request: SignedInRequest) -> HttpResponse:
    """List one's own judgments; take a file in and have the metrics compared with it."""
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    form = OwnJudgmentsForm(*sent)
    faults: Sequence[Fault] = ()
    status = None
    if form.is_valid():
        try:
            made = own_judgments_create(
                owner=request.user,
                name=form.shown_name,
                data=form.cleaned_data["file"].read(),
                now=timezone.now(),
            )
        except Refused as refused:
            faults, status = refused.faults, refused.status
            if not faults:
                form.add_error(refused.field or None, str(refused))
        else:
            JUDGMENTS_TASKS.enqueue(made.pk)
            messages.success(request, f"The metrics are being compared with {made.name}.")
            return redirect("leaderboard:own-judgment", pk=made.pk)
    context = {
        "form": form,
        "faults": faults[:FAULTS_SHOWN],
        "fault_count": len(faults),
        "every": access.own_judgments_of(request.user),
        "header": HEADER,
        "most_pairs": MOST_PAIRS,
        "most_kept": MOST_KEPT,
    }
    template = "leaderboard/metrics/own_judgments.html"
    return form_rendered(request, template, context, refused=status)


@act_on(access.own_judgments_for)
def own_judgments_remove(request: SignedInRequest, row: JudgmentSet) -> HttpResponse:
    """Delete one's own judgments."""
    own_judgments_delete(judgments=row)
    messages.success(request, f"{row.name} was deleted.")
    return redirect("leaderboard:own-judgments")


@with_acts(delete=own_judgments_remove)
@signed_in_page
def own_judgment(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show how often each metric agrees with one's own judgments: ``?pairs=`` a kind."""
    row = access.own_judgments_for(request.user, pk)
    context = {"judgments": row, "wrong": f"{request.path}wrong/", **judged_context(request, row)}
    return _looked_at(request, "leaderboard/metrics/own_judgment.html", context)


@signed_in_page
def own_wrong_pairs(request: SignedInRequest, pk: int, name: str) -> HttpResponse:
    """List the pairs of one's own judgments that a metric gets wrong."""
    return _wrong_pairs(request, access.own_judgments_for(request.user, pk), name)


@signed_in_page
def phase_wrong_pairs(
    request: SignedInRequest, challenge: str, phase: str, pk: int, name: str
) -> HttpResponse:
    """List the judged pairs of a phase that a metric gets wrong, for its organisers."""
    return _wrong_pairs(request, access.judged_pairs_for(request.user, challenge, phase, pk), name)


def _wrong_pairs(request: SignedInRequest, judgments: JudgmentSet, name: str) -> HttpResponse:
    """``?kind=`` one kind of pair, ``?page=`` which of them, ``?csv`` all of them as a file."""
    info = METRICS.get(name)
    if info is None:
        raise Http404
    wrong = wrong_pairs(judgments, name)
    context: dict[str, object] = {"judgments": judgments, "info": info, "found": wrong}
    template = "leaderboard/metrics/own_wrong_pairs.html"
    if judgments.phase is not None:
        template = "leaderboard/analysis/wrong_pairs.html"
        context |= {**phase_context(judgments.phase), "of": str(judgments.pk)}
    if wrong is not None:
        kind_name = request.GET.get("kind", "")
        kind = kind_name if kind_name in wrong.kinds else TOTAL
        if "csv" in request.GET:
            text = "".join(wrong_pairs_lines(wrong.of(kind)))
            return attachment(text.encode(), f"wrong-pairs-{name}.csv", "text/csv; charset=utf-8")
        pages = Paginator(wrong.of(kind), PER_PAGE)
        context |= {
            "kind": kind,
            "kinds": [(one, KIND_TITLES[one], count) for one, count in wrong.kinds.items()],
            "page": pages.get_page(request.GET.get("page")),
        }
    return render(request, template, context)
