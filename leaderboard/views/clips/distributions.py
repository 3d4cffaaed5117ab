"""How the scores of single clips are spread, for chosen systems and metrics of a phase."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.models import Phase
from leaderboard.selectors.analysis.distributions import MetricSpread, event_counts, spreads_of
from leaderboard.selectors.analysis.stamps import systems_stamp
from leaderboard.selectors.board.columns import grouped
from leaderboard.selectors.clips.corpus import CaptionsUnreadable, corpus_of
from leaderboard.selectors.figures.distributions import (
    events_figure,
    histogram_figure,
    tone_of,
    violin_figure,
)
from leaderboard.selectors.figures.figure import Figure
from leaderboard.selectors.figures.scatter import against_figure
from leaderboard.selectors.submissions.system_choice import SystemChoice, pool_of
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.views.clips.query import clip_links
from leaderboard.views.pages import phase_context
from leaderboard.web.page_cache import cached_fragment
from scoring.registry import MetricInfo

Drawing = Literal["histogram", "violin"]
DRAWINGS: dict[Drawing, str] = {"histogram": "Histograms", "violin": "Violins"}
MOST_SYSTEMS = 8
MOST_METRICS = 6
FIRST_SYSTEMS = 4
PAIR = ("cb_score", "fense")


@dataclass(frozen=True, slots=True)
class DistributionsQuery:
    """What the address asks for; ``pair`` is drawn for the system ``of``, None of one metric."""

    systems: tuple[AnySubmission, ...]
    metrics: tuple[MetricInfo, ...]
    drawing: Drawing
    of: AnySubmission
    pair: tuple[MetricInfo, MetricInfo] | None


@require_safe
def distributions(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Show the clips of several systems under several metrics.

    ``?s=`` and ``?metric=`` (each repeated) choose both, ``?drawing=`` how;
    ``?of=``, ``?x=`` and ``?y=`` draw one metric against another.
    """
    found = access.analysis_for(request.user, challenge, phase)
    view = access.visibility_for(request.user, found, timezone.now())
    pool = pool_of(found, view=view)
    context: dict[str, Any] = phase_context(found)
    if pool.every:
        query = _asked(request, found, pool)
        names = [[info.name for info in of] for of in (query.metrics, query.pair or ())]
        part = cached_fragment(
            request,
            "leaderboard/clips/_distributions.html",
            (systems_stamp([*query.systems, query.of]), view, *names, query.drawing, query.of.pk),
            lambda: _content(query),
        )
        context |= {
            "asked": query,
            "listed": pool.listed(request.GET.get("find", ""), [*query.systems, query.of]),
            "chosen": {system.public_id for system in query.systems},
            "groups": list(grouped(_finite_metrics(found), lambda info: info.family)),
            "drawings": DRAWINGS.items(),
            "most": (MOST_SYSTEMS, MOST_METRICS),
            "part": part,
        }
    return render(request, "leaderboard/clips/distributions.html", context)


def _finite_metrics(phase: Phase) -> list[MetricInfo]:
    """List the metrics of a phase that have a value for every clip."""
    return [info for info in phase.computed.values() if info.high != float("inf")]


def _asked(request: HttpRequest, phase: Phase, pool: SystemChoice) -> DistributionsQuery:
    """Read the address; an id that is not of this phase does not exist."""
    wanted = set(request.GET.getlist("s"))
    drawn = request.GET.get("of", "")
    if not pool.has({*wanted, *filter(None, [drawn])}):
        raise Http404
    # In the order of the phase, whatever the address says: the same choice is one page.
    chosen = [option.public_id for option in pool.every if option.public_id in wanted]
    systems = tuple(pool.read(chosen[:MOST_SYSTEMS]))
    systems = systems or (*pool.best(FIRST_SYSTEMS), *pool.unranked)
    of = next((row for row in systems if row.public_id == drawn), None)
    known = {info.name: info for info in _finite_metrics(phase)}
    listed = set(request.GET.getlist("metric"))
    names = [name for name in known if name in listed]
    usual = [name for name in dict.fromkeys((phase.ranking_metric, *PAIR)) if name in known]
    drawing = request.GET.get("drawing", "")
    return DistributionsQuery(
        systems=systems,
        metrics=tuple(known[name] for name in (names or usual)[:MOST_METRICS]),
        drawing=drawing if drawing in DRAWINGS else "histogram",
        of=of or (pool.read([drawn])[0] if drawn else systems[0]),
        pair=_pair(request, known),
    )


def _pair(
    request: HttpRequest, known: Mapping[str, MetricInfo]
) -> tuple[MetricInfo, MetricInfo] | None:
    """The two metrics that are drawn against each other: those of the address, else the usual."""
    usual = [name for name in dict.fromkeys((*PAIR, *known)) if name in known][:2]
    if len(usual) < 2:
        return None
    x, y = (
        known.get(request.GET.get(name, ""), known[default])
        for name, default in zip("xy", usual, strict=True)
    )
    return x, y


def _content(query: DistributionsQuery) -> dict[str, Any]:
    draw = histogram_figure if query.drawing == "histogram" else violin_figure
    spreads = spreads_of(query.systems, query.metrics)
    events = [
        (system.system_name, shares, tone_of(system, place))
        for place, system in enumerate(query.systems)
        if (shares := event_counts(system))
    ]
    return {
        "rows": [(spread, draw(spread)) for spread in spreads if spread.spreads],
        "of": query.of,
        "pair": query.pair,
        "against": _against(query),
        "events": events_figure(events) if events else None,
    }


def _against(query: DistributionsQuery) -> Figure | None:
    """Draw the pair where the system has both metrics for some clip."""
    if query.pair is None:
        return None
    spreads = spreads_of([query.of], list(dict.fromkeys(query.pair)))
    by_name: dict[str, MetricSpread] = {spread.info.name: spread for spread in spreads}
    x, y = (
        by_name[info.name].of(query.of) if info.name in by_name else None for info in query.pair
    )
    if x is None or y is None:
        return None
    try:
        corpus = corpus_of(query.of)
    except CaptionsUnreadable:
        return None
    return against_figure(x, y, query.pair, corpus.file_names, clip_links(query.of, corpus))
