"""The metrics of a phase against people who judged pairs of its captions."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.models import JudgmentSet
from leaderboard.selectors.analysis.human_judgments import KIND_TITLES, shares_scale
from leaderboard.selectors.analysis.phase_judgments import judged_metrics
from leaderboard.selectors.evaluations.progress import family_label
from leaderboard.selectors.figures.human_judgments import human_judgments_figure
from leaderboard.services.judgments.states import judgments_publish
from leaderboard.views.pages import phase_context, signed_in_act
from leaderboard.web.requests import SignedInRequest
from scoring.benchmark import TOTAL
from scoring.registry import METRICS


@require_safe
def judgments(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Show how often each metric agrees with the judges: ``?of=`` a source, ``?pairs=`` a kind."""
    found, rows = access.judgments_for(request.user, challenge, phase)
    every = list(rows)
    asked = request.GET.get("of", "")
    chosen = next((row for row in every if str(row.pk) == asked), None)
    if asked and chosen is None:
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
    page = render(request, "leaderboard/analysis/judgments.html", context)
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
    asked = request.GET.get("pairs", "")
    kind = asked if asked in measured.kinds else TOTAL
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


@signed_in_act()
def publish(request: SignedInRequest, challenge: str, phase: str, pk: int) -> HttpResponse:
    """Show what judges say of the metrics to everyone, or with ``public=no`` to organisers."""
    found = access.organised_phase_for(request.user, challenge, phase)
    rows = JudgmentSet.objects.filter(phase=found).defer("pairs").select_related("phase")
    row = get_object_or_404(rows, pk=pk)
    public = request.POST.get("public") != "no"
    row.phase = found
    judgments_publish(judgments=row, public=public, actor=request.user, now=timezone.now())
    seen = "Everyone sees" if public else "Only organisers see"
    messages.success(request, f"{seen} what judges say of the metrics.")
    address = reverse("leaderboard:judgments", args=[found.challenge.slug, found.slug])
    return redirect(f"{address}?of={row.pk}")
