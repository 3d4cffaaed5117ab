"""Analysis of a phase, the comparison of two systems, and the profile of one."""

from itertools import islice
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from earmark.registry import METRICS
from leaderboard import access
from leaderboard.models import Phase
from leaderboard.selectors.analysis.comparing import (
    MetricDifference,
    PhaseComparison,
    comparison_of,
    disputes_of,
    judges_of,
    widest_gaps,
)
from leaderboard.selectors.analysis.profile import profile_of, several_candidates
from leaderboard.selectors.analysis.ranking_stability import (
    COEFFICIENTS,
    Coefficient,
    MetricAgreement,
    RankingAnalysis,
    agreement_over_clips,
    agreement_over_systems,
    ranking_analysis,
    telling_clips,
)
from leaderboard.selectors.analysis.shown_values import agreement_of_shown, shown_analysis
from leaderboard.selectors.analysis.stamps import estimates_stamp, phase_stamp, systems_stamp
from leaderboard.selectors.board.columns import USUAL_COLUMNS
from leaderboard.selectors.clips.corpus import CaptionsUnreadable, Corpus, corpus_of
from leaderboard.selectors.clips.side_by_side import extremes_of
from leaderboard.selectors.figures.profile import (
    best_figure,
    counts_figure,
    groups_figure,
    labels_figure,
    lengths_figure,
    tuples_figure,
)
from leaderboard.selectors.figures.ranking import (
    agreement_figure,
    bump_figure,
    rank_probability_figure,
    significance_figure,
)
from leaderboard.selectors.figures.scatter import scatter_figure
from leaderboard.selectors.submissions.system_choice import SystemChoice, pool_of
from leaderboard.selectors.visibility.ranked_row import RankRange
from leaderboard.selectors.visibility.visibility import Visibility
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.views.clips.query import clip_links
from leaderboard.views.pages import phase_context, system_context
from leaderboard.web.page_cache import cached_fragment


@require_safe
def analysis(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Show how firm the ranking of a phase is and how far its metrics agree.

    Who may see no clips is shown what follows from the leaderboard.
    """
    found = access.shown_analysis_for(request.user, challenge, phase)
    clips = access.may_see_clips(request.user, found)
    value = request.GET.get("coefficient", "")
    coefficient: Coefficient = next((name for name in COEFFICIENTS if name == value), "kendall")
    view = access.visibility_for(request.user, found, timezone.now())
    part = cached_fragment(
        request,
        "leaderboard/analysis/_phase.html",
        # Ranges of ranks on the leaderboard come later than the ranks.
        (phase_stamp(found), view, coefficient, clips or estimates_stamp(found)),
        lambda: (_analysis if clips else _shown)(found, view, coefficient),
    )
    context = {
        **phase_context(found),
        "part": part,
        "view": view,
        "may_see_clips": clips,
    }
    return render(request, "leaderboard/analysis/phase.html", context)


def _analysis(phase: Phase, view: Visibility, coefficient: Coefficient) -> dict[str, Any]:
    ranking = ranking_analysis(phase, view=view)
    tables, firm = ranking.tables, ranking.stability
    over_systems = agreement_over_systems(tables, coefficient)
    over_clips = agreement_over_clips(tables, coefficient)
    several = len(tables.metrics) > 1
    return {
        **_of_ranking(ranking, coefficient, over_systems if several else None),
        "lines": _lines(ranking),
        "clips": _telling(ranking),
        "probabilities": rank_probability_figure(firm) if firm else None,
        "significance": significance_figure(firm) if firm else None,
        "over_clips": agreement_figure(over_clips, "over-clips") if several else None,
    }


def _shown(phase: Phase, view: Visibility, coefficient: Coefficient) -> dict[str, Any]:
    """The same of a phase whose clips are hidden, without all that rests on single clips."""
    shown = shown_analysis(phase, view=view)
    ranking = shown.ranking
    known = shown.ranges.by_key
    ranges = (known.get(system.pk) for system in ranking.systems)
    lines = list(zip(ranking.systems, ranking.ranks, ranges, strict=True))
    agreement = agreement_of_shown(shown, coefficient)
    more = {"lines": lines, "clips_hidden": True}
    return _of_ranking(ranking, coefficient, agreement) | more


def _of_ranking(
    ranking: RankingAnalysis, coefficient: Coefficient, agreement: MetricAgreement | None
) -> dict[str, Any]:
    several = len(ranking.systems) > 1 and len(ranking.by_metric) > 1
    return {
        **phase_context(ranking.phase),
        "ranking": ranking,
        "coefficient": coefficient,
        "coefficients": COEFFICIENTS,
        "bump": bump_figure(ranking) if several else None,
        "over_systems": agreement_figure(agreement, "over-systems") if agreement else None,
    }


def _lines(ranking: RankingAnalysis) -> list[tuple[AnySubmission, int, RankRange | None]]:
    """Each system with what its rank may be; None where that cannot be drawn."""
    firm, ranges = ranking.stability, dict[int, RankRange]()
    if firm is not None:
        for i, (low, high) in enumerate(firm.intervals.tolist()):
            names = (ranking.systems[other].system_name for other in firm.tied(i))
            ranges[i] = RankRange(low, high, names=tuple(names))
    rows = enumerate(zip(ranking.systems, ranking.ranks, strict=True))
    return [(system, rank, ranges.get(i)) for i, (system, rank) in rows]


def _telling(ranking: RankingAnalysis) -> list[dict[str, Any]]:
    """List the clips that separate the systems best, with the best and the last caption."""
    if ranking.stability is None:
        return []
    first, last = ranking.systems[0], ranking.systems[-1]
    try:
        corpora = corpus_of(first), corpus_of(last)
    except CaptionsUnreadable:
        return []
    return [
        {
            "clip": clip,
            "file_name": corpora[0].file_names[clip.number - 1],
            "first": corpora[0].captions[clip.number - 1],
            "last": corpora[1].captions[clip.number - 1],
        }
        for clip in telling_clips(ranking.stability.table)
    ]


@require_safe
def compare(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Show two systems side by side: ``?a=`` and ``?b=``, the first two where not given.

    Systems that were ticked on the leaderboard come as ``?s=``: more than two of them
    are led on to the distributions.
    """
    found = access.analysis_for(request.user, challenge, phase)
    ticked = request.GET.getlist("s")
    if len(ticked) > 2:
        address = reverse("leaderboard:distributions", args=[challenge, phase])
        return redirect(f"{address}?{urlencode({'s': ticked}, doseq=True)}")
    view = access.visibility_for(request.user, found, timezone.now())
    pool = pool_of(found, view=view)
    context: dict[str, Any] = phase_context(found)
    first, second = (*ticked, request.GET.get("a", ""), request.GET.get("b", ""))[:2]
    pair = _pair(pool, first, second)
    if pair is not None:
        context["listed"] = pool.listed(request.GET.get("find", ""), pair)
        metric_name = request.GET.get("metric", "")
        metric = metric_name if metric_name in METRICS else found.ranking_metric
        part = cached_fragment(
            request,
            "leaderboard/analysis/_comparison.html",
            (systems_stamp(pair), view, metric, _judging(found)),
            lambda: _compared(found, pair, metric),
        )
        context |= {"a": pair[0], "b": pair[1], "metric": metric, "part": part}
    return render(request, "leaderboard/analysis/comparison.html", context)


def _pair(pool: SystemChoice, a: str, b: str) -> tuple[AnySubmission, AnySubmission] | None:
    """Choose two different systems; an id that is not of this phase does not exist."""
    known = [option.public_id for option in pool.ranked]
    chosen = [public_id for public_id in dict.fromkeys((a, b)) if public_id]
    if not set(known).issuperset(chosen):
        raise Http404
    rest = (public_id for public_id in known if public_id not in chosen)
    ids = [*chosen, *islice(rest, 2)][:2]
    if b and not a:
        ids.reverse()
    by_id = {system.public_id: system for system in pool.read(ids)}
    return (by_id[ids[0]], by_id[ids[1]]) if len(ids) > 1 else None


def _compared(
    phase: Phase, pair: tuple[AnySubmission, AnySubmission], metric: str
) -> dict[str, Any]:
    comparison = comparison_of(*pair)
    wanted = (metric, phase.ranking_metric)
    shown = next((row for name in wanted if (row := comparison.row(name))), None)
    shown = shown or next(iter(comparison.rows), None)
    return {
        "a": pair[0],
        "b": pair[1],
        "comparison": comparison,
        "shown": shown,
        **(_clips_of(comparison, shown, _judging(phase)) if shown else {}),
    }


def _judging(phase: Phase) -> tuple[str, ...]:
    """The metrics that vote on single clips: the ranking metric and the columns."""
    return (phase.ranking_metric, *(phase.columns or USUAL_COLUMNS))


def _clips_of(
    comparison: PhaseComparison, shown: MetricDifference, judging: tuple[str, ...]
) -> dict[str, Any]:
    try:
        corpora = corpus_of(comparison.first), corpus_of(comparison.second)
    except CaptionsUnreadable:
        return {}
    first, second = comparison.first, comparison.second
    judges = judges_of(comparison, judging)
    return {
        "judges": judges,
        "disputes": disputes_of(judges, corpora),
        "ahead": [
            (first, second, widest_gaps(shown, corpora, best=0)),
            (second, first, widest_gaps(shown, corpora, best=1)),
        ],
        "scatter": scatter_figure(
            shown,
            (first.system_name, second.system_name),
            corpora[0],
            clip_links(first, corpora[0], beside=second),
        ),
    }


@require_safe
def system_profile(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show what the details of all clips add up to."""
    submission = access.clips_for(request.user, public_id)
    view = access.visibility_for(request.user, submission.phase, timezone.now())
    try:
        corpus = corpus_of(submission)
    except CaptionsUnreadable as error:
        raise Http404 from error
    return render(
        request,
        "leaderboard/analysis/profile.html",
        {
            **system_context(submission),
            "part": cached_fragment(
                request,
                "leaderboard/analysis/_profile.html",
                (systems_stamp([submission]), view, submission.phase.ranking_metric),
                lambda: _content(submission, corpus),
            ),
        },
    )


def _content(submission: AnySubmission, corpus: Corpus) -> dict[str, Any]:
    profile = profile_of(submission, corpus)
    of_system, of_references = profile.writing
    several = several_candidates(submission)
    return {
        "submission": submission,
        "profile": profile,
        "ours": of_system,
        "theirs": of_references,
        "extremes": extremes_of(submission, corpus),
        "lengths": lengths_figure(of_system, of_references),
        "groups": groups_figure(profile.events) if profile.events else None,
        "counts": counts_figure(*profile.counts) if profile.counts is not None else None,
        "labels": labels_figure(profile.labels) if profile.labels else None,
        "several": several,
        "by_tuples": tuples_figure(several) if several else None,
        "by_best": best_figure(several) if several else None,
    }
