"""How the scores of single clips are spread, for chosen systems and metrics of a phase."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from earmark.registry import MetricInfo
from leaderboard import access
from leaderboard.models import Phase
from leaderboard.selectors.analysis.distributions import event_counts, spreads_of
from leaderboard.selectors.analysis.stamps import systems_stamp
from leaderboard.selectors.board.columns import grouped
from leaderboard.selectors.figures.distributions import (
    events_figure,
    histogram_figure,
    tone_of,
    violin_figure,
)
from leaderboard.selectors.submissions.system_choice import SystemChoice, pool_of
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.views.clips.metric_pair import USUAL, pairable
from leaderboard.views.pages import phase_context
from leaderboard.web.page_cache import cached_fragment

DRAWINGS = {"histogram": "Histograms", "violin": "Violins"}
MOST_SYSTEMS = 8
MOST_METRICS = 6
FIRST_SYSTEMS = 4


@require_safe
def distributions(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Show the clips of several systems under several metrics.

    ``?s=`` and ``?metric=`` (each repeated) choose both, ``?drawing=`` how.
    """
    found = access.analysis_for(request.user, challenge, phase)
    view = access.visibility_for(request.user, found, timezone.now())
    pool = pool_of(found, view=view)
    context: dict[str, Any] = phase_context(found)
    if pool.every:
        systems, metrics = _systems(request, pool), _metrics(request, found)
        drawing = "violin" if request.GET.get("drawing") == "violin" else "histogram"
        part = cached_fragment(
            request,
            "leaderboard/clips/_distributions.html",
            (systems_stamp(systems), view, *(info.name for info in metrics), drawing),
            lambda: _content(systems, metrics, drawing),
        )
        context |= {
            "asked": {"systems": systems, "metrics": metrics, "drawing": drawing},
            "listed": pool.listed(request.GET.get("find", ""), systems),
            "chosen": {system.public_id for system in systems},
            "groups": list(grouped(pairable(found), lambda info: info.family)),
            "drawings": DRAWINGS.items(),
            "most": (MOST_SYSTEMS, MOST_METRICS),
            "part": part,
        }
    return render(request, "leaderboard/clips/distributions.html", context)


def _systems(request: HttpRequest, pool: SystemChoice) -> tuple[AnySubmission, ...]:
    """The systems that are asked for; an id that is not of this phase does not exist."""
    wanted = set(request.GET.getlist("s"))
    if not pool.has(wanted):
        raise Http404
    # In the order of the phase, whatever the address says: the same choice is one page.
    chosen = [option.public_id for option in pool.every if option.public_id in wanted]
    systems = tuple(pool.read(chosen[:MOST_SYSTEMS]))
    return systems or (*pool.best(FIRST_SYSTEMS), *pool.unranked)


def _metrics(request: HttpRequest, phase: Phase) -> list[MetricInfo]:
    known = {info.name: info for info in pairable(phase)}
    listed = set(request.GET.getlist("metric"))
    names = [name for name in known if name in listed]
    usual = [name for name in dict.fromkeys((phase.ranking_metric, *USUAL)) if name in known]
    return [known[name] for name in (names or usual)[:MOST_METRICS]]


def _content(
    systems: Sequence[AnySubmission], metrics: Sequence[MetricInfo], drawing: str
) -> dict[str, Any]:
    draw = histogram_figure if drawing == "histogram" else violin_figure
    spreads = spreads_of(systems, metrics)
    events = [
        (system.system_name, shares, tone_of(system, place))
        for place, system in enumerate(systems)
        if (shares := event_counts(system))
    ]
    return {
        "rows": [(spread, draw(spread)) for spread in spreads if spread.spreads],
        "events": events_figure(events) if events else None,
    }
