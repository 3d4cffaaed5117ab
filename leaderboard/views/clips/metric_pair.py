"""Two metrics of a phase against each other: CB-score and FENSE, or another pair."""

from dataclasses import replace
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from earmark.registry import MetricInfo
from leaderboard import access
from leaderboard.models import Phase
from leaderboard.selectors.analysis.distributions import spreads_of
from leaderboard.selectors.analysis.metric_pair import disagreements
from leaderboard.selectors.analysis.stamps import phase_stamp
from leaderboard.selectors.board.columns import grouped
from leaderboard.selectors.board.files import contents_of
from leaderboard.selectors.board.query import BoardQuery
from leaderboard.selectors.clips.audio import sound_of
from leaderboard.selectors.clips.corpus import CaptionsUnreadable, Corpus, clip_lines, corpus_of
from leaderboard.selectors.figures.figure import Figure, numbered
from leaderboard.selectors.figures.scatter import against_figure, means_figure
from leaderboard.selectors.submissions.system_choice import SystemChoice, pool_of
from leaderboard.selectors.visibility.visibility import Visibility
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.views.clips.clips import with_recordings
from leaderboard.views.clips.query import clip_links
from leaderboard.views.pages import phase_context
from leaderboard.web.page_cache import cached_fragment

MOST_SYSTEMS = 8
USUAL = ("cb_score", "fense")
Pair = tuple[MetricInfo, MetricInfo]


@require_safe
def metric_pair(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Show all systems by two metrics (``?x=`` and ``?y=``), and the clips of ``?of=``.

    Who may see no clips is shown the systems alone.
    """
    found = access.shown_analysis_for(request.user, challenge, phase)
    pair = _pair(request, found)
    if pair is None:
        raise Http404
    view = access.visibility_for(request.user, found, timezone.now())
    clips = access.may_see_clips(request.user, found)
    pool = pool_of(found, view=view)
    public_id = request.GET.get("of", "")
    if public_id and not (clips and pool.has([public_id])):
        raise Http404
    chosen = next(iter(pool.read([public_id]) if public_id else pool.best(1)), None)
    names = [info.name for info in pair]
    part = cached_fragment(
        request,
        "leaderboard/clips/_metric_pair.html",
        (phase_stamp(found), view, *names, clips, chosen and chosen.pk),
        lambda: _content(found, view, pair, pool, chosen if clips else None),
    )
    context = {
        **phase_context(found),
        "pair": pair,
        "groups": list(grouped(pairable(found), lambda info: info.family)),
        "listed": pool.listed("", [chosen] if chosen else []) if clips else None,
        "of": chosen,
        "part": part,
    }
    page = render(request, "leaderboard/clips/metric_pair.html", context)
    return with_recordings(request, page, found)


def pairable(phase: Phase) -> list[MetricInfo]:
    """List the metrics of a phase that have a value for every clip."""
    return [info for info in phase.computed.values() if info.high != float("inf")]


def _pair(request: HttpRequest, phase: Phase) -> Pair | None:
    """The two metrics of the address, else the usual; None where there are not two."""
    known = {info.name: info for info in pairable(phase)}
    usual = [name for name in dict.fromkeys((*USUAL, *known)) if name in known][:2]
    if len(usual) < 2:
        return None
    x, y = (
        known.get(request.GET.get(name, ""), known[default])
        for name, default in zip("xy", usual, strict=True)
    )
    return x, y


def _content(
    phase: Phase, view: Visibility, pair: Pair, pool: SystemChoice, chosen: AnySubmission | None
) -> dict[str, Any]:
    columns = tuple(info.name for info in pair)
    table = contents_of(phase, BoardQuery(columns=columns, every_system=True), view=view)
    systems = (*pool.best(MOST_SYSTEMS), *pool.unranked) if chosen else ()
    figures = [one for system in systems if (one := _figure(system, pair))]
    # Two systems may have one name.
    titles = numbered(figure.title for figure in figures)
    return {
        "pair": pair,
        "of": chosen,
        "means": means_figure(table, pair),
        "figures": [
            replace(figure, title=title) for figure, title in zip(figures, titles, strict=True)
        ],
        "total": len(pool.ranked),
        "most": MOST_SYSTEMS,
        "clips": _disagreements(chosen, pair) if chosen else [],
    }


def _clips_by_both(system: AnySubmission, pair: Pair) -> tuple[Any, Any, Corpus] | None:
    """How a system's clips are spread by both metrics; None where it lacks one."""
    spreads = {one.info: one.of(system) for one in spreads_of([system], list(dict.fromkeys(pair)))}
    x, y = (spreads.get(info) for info in pair)
    try:
        return (x, y, corpus_of(system)) if x and y else None
    except CaptionsUnreadable:
        return None


def _figure(system: AnySubmission, pair: Pair) -> Figure | None:
    clips = _clips_by_both(system, pair)
    if clips is None:
        return None
    x, y, corpus = clips
    return against_figure(x, y, pair, corpus, clip_links(system, corpus))


def _disagreements(system: AnySubmission, pair: Pair) -> list[dict[str, Any]]:
    """The clips on which the metrics disagree most, with both values, caption and sound."""
    clips = _clips_by_both(system, pair)
    if clips is None:
        return []
    x, y, corpus = clips
    positions = disagreements(x.values, y.values)
    return [
        {
            "line": line,
            "sound": sound_of(system, at, line.file_name),
            "values": [(pair[0], x.values[at]), (pair[1], y.values[at])],
        }
        for at, line in zip(positions, clip_lines(corpus, None, positions), strict=True)
    ]
