"""What the metrics are."""

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

import scoring
from leaderboard import access
from leaderboard.forms.playground import PlaygroundForm
from leaderboard.models import Phase
from leaderboard.scorer import family_parameters
from leaderboard.selectors.analysis.human_judgments import (
    KIND_TITLES,
    left_out,
    metric_shares,
    people_share,
    published_shares,
    ranked_shares,
    shares_scale,
)
from leaderboard.selectors.analysis.tricks import false_sound_share, trick_row, trick_rows
from leaderboard.selectors.figures.human_judgments import human_judgments_figure
from leaderboard.selectors.labellers.use import (
    identity_in_use,
    labeller_in_use,
    new_phase_parameters,
)
from leaderboard.services.playground.computing import word_weight_documents
from leaderboard.services.playground.texts import example_texts
from leaderboard.web.visitors_cache import cached_for_visitors
from leaderboard.wheel import wheel_path
from scoring.as_published import models_of
from scoring.benchmark import TOTAL
from scoring.benchmark_results import KINDS, measured
from scoring.errors import ScoringError
from scoring.registry import FAMILIES, METRICS, metrics_for, metrics_of
from scoring.tricks.captions import TRICKS
from scoring.tricks.measuring import measured_tricks


@require_safe
@cached_for_visitors()
def metrics(request: HttpRequest) -> HttpResponse:
    """List every metric."""
    return render(request, "leaderboard/metrics/list.html", {"metrics": tuple(METRICS.values())})


@require_safe
def metric(request: HttpRequest, name: str) -> HttpResponse:
    """Show what a metric measures, how to read it and its settings here."""
    info = METRICS.get(name)
    if info is None:
        raise Http404
    phases = Phase.objects.filter(
        ranking_metric=name, challenge__in=access.challenges_visible(request.user)
    ).select_related("challenge")
    return render(
        request,
        "leaderboard/metrics/metric.html",
        {
            "info": info,
            "explanation": info.explanation,
            "relatives": [other for other in metrics_of(info.family) if other.name != name],
            "phases": phases,
            "judged": metric_shares(name),
            "not_judged": left_out().get(name, ""),
            "tricked": trick_row(name),
            "false_sounds": false_sound_share(name),
            # Neither what several candidates are needed for nor what a phase configures is tried.
            "form": PlaygroundForm.showing(example_texts(name), name)
            if name in metrics_for(several=False)
            else None,
            "documents": word_weight_documents(),
            "papers_models": models_of(info.family),
            **_settings(info.family),
            **(_labeller(request) if FAMILIES[info.family].labeller_options else {}),
        },
    )


@require_safe
def wheel(_request: HttpRequest, version: str) -> FileResponse:
    """Send the wheel of the version that runs here, and of no other."""
    if version != scoring.__version__:
        raise Http404("The site offers the version that it runs.")
    path = wheel_path(settings.VAR_DIR / "wheel")
    # For minutes alone: a checkout may change without a new version.
    headers = {"Cache-Control": "public, max-age=300", "X-Content-Type-Options": "nosniff"}
    return FileResponse(
        path.open("rb"),
        as_attachment=True,
        filename=path.name,
        content_type="application/octet-stream",
        headers=headers,
    )


@require_safe
@cached_for_visitors("pairs")
def agreement(request: HttpRequest) -> HttpResponse:
    """Show how often each metric agrees with people, on the kind of pair that ``?pairs=`` names."""
    asked = request.GET.get("pairs", "")
    kind = asked if asked in KINDS else TOTAL
    rows, people = ranked_shares(kind), people_share(kind)
    return render(
        request,
        "leaderboard/metrics/human_judgments.html",
        {
            "kind": kind,
            "kinds": KIND_TITLES,
            "pairs": list(measured().pairs.items()),
            "rows": [(row, row.of(kind), row.shares) for row in rows],
            "figure": human_judgments_figure(rows, kind, people),
            "scale": shares_scale(rows, kind),
            "measured": measured(),
            "published": published_shares(),
            "tricks": TRICKS,
            "trick_rows": trick_rows(),
            "trick_clips": measured_tricks().clips,
            "left_out": [(METRICS[name], reason) for name, reason in left_out().items()],
        },
    )


def _labeller(request: HttpRequest) -> dict[str, object]:
    """Which labeller is in use, and whether the reader may look at it."""
    return {
        "labeller": identity_in_use(),
        "labeller_use": labeller_in_use(),
        "sees_labellers": access.may_see_labellers(request.user),
    }


def _settings(family_name: str) -> dict[str, object]:
    """The parameters of a new phase here, or why the metric is not available."""
    if FAMILIES[family_name].configured_by_phase:
        return {"by_phase": True}
    own = new_phase_parameters().get(family_name)
    try:
        return {"parameters": family_parameters(family_name, own)}
    except (ScoringError, ImportError) as error:
        return {"unavailable": str(error)}
