"""How firm a ranking is, comparisons and distributions."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpResponse
from django.utils import timezone
from ninja import P, QueryEx, Router, Schema
from pydantic import BeforeValidator, Field

from earmark.captions import Fault
from earmark.registry import METRICS
from leaderboard import access
from leaderboard.api.schemas.analysis import AnalysisOut, CompareOut, DistributionsOut, TwoDecimals
from leaderboard.models import JudgmentsState, Phase
from leaderboard.selectors.analysis.comparing import comparison_of
from leaderboard.selectors.analysis.distributions import event_counts, spreads_of
from leaderboard.selectors.analysis.human_judgments import JudgedMetrics, judged_metrics
from leaderboard.selectors.analysis.ranking_stability import (
    RESAMPLES,
    Coefficient,
    RankingAnalysis,
    agreement_over_clips,
    agreement_over_systems,
    ranking_analysis,
    telling_clips,
)
from leaderboard.selectors.analysis.stamps import phase_stamp, systems_stamp
from leaderboard.selectors.clips.corpus import CaptionsUnreadable, corpus_of
from leaderboard.selectors.submissions.system_choice import SystemChoice, pool_of
from leaderboard.selectors.visibility.visibility import Visibility
from leaderboard.selectors.visibility.visible_submissions import AnySubmission, VisibleSubmission
from leaderboard.web.api_auth import ANYONE, VisitorRequest
from leaderboard.web.api_errors import Problem
from leaderboard.web.page_cache import cached_json
from leaderboard.web.refusals import Refused

router = Router(tags=["For everyone"], auth=ANYONE)


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/analysis",
    response={200: AnalysisOut, 503: Problem},
    operation_id="phase_analysis",
    summary="Read how stable a ranking is",
)
def phase_analysis(
    request: VisitorRequest,
    challenge: str,
    phase: str,
    coefficient: QueryEx[Coefficient, P(description="How metrics are correlated.")] = "kendall",
) -> HttpResponse:
    """Ranks with their intervals, ranks under each metric, and how far the metrics agree.

    Only where the references of the phase are public.
    """
    found = access.analysis_for(request.auth, challenge, phase)
    view = access.visibility_for(request.auth, found, timezone.now())
    return cached_json(
        request,
        "analysis",
        (phase_stamp(found), view, coefficient),
        lambda: _analysis(found, view, coefficient),
    )


class JudgedShareOut(Schema):
    """Pairs of one kind that a metric ordered as judges did; shares in per cent."""

    correct: int = Field(validation_alias="counts.correct")
    pairs: int = Field(validation_alias="counts.pairs")
    undecided: int = Field(
        validation_alias="counts.undecided",
        description="Pairs that it tied or gave no score; not correct.",
    )
    percent: TwoDecimals = Field(validation_alias="value")
    low: TwoDecimals = Field(description="Lower end of the 95 % interval, found by clip.")
    high: TwoDecimals


class JudgedMetricOut(Schema):
    """A metric by the kinds of pairs that there are: HC, HI, HM, MM and Total."""

    metric: str = Field(validation_alias="info.name")
    signature: str = Field(description="What it was computed with.")
    kinds: Annotated[
        dict[str, JudgedShareOut],
        BeforeValidator(lambda shares: {one.kind: one for one in shares if one.counts.pairs}),
    ] = Field(validation_alias="shares")


class JudgedMetricsOut(Schema):
    """The metrics against the judges of one labelling project."""

    name: str = Field(description="Of the project.")
    state: JudgmentsState
    reason: str = Field(description="Why the metrics could not be measured, empty otherwise.")
    measured_at: datetime | None
    published_at: datetime | None
    pairs: int
    decided: int = Field(description="Pairs on which judges are not evenly split.")
    judges: int
    votes: int
    sha256: str = Field(description="Of the judgments that were measured on, empty before.")
    metrics: list[JudgedMetricOut]
    not_measured: dict[str, str] = Field(description="Why a metric is left out.")


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/judges",
    response={200: list[JudgedMetricsOut]},
    operation_id="phase_judges",
    summary="Read how often metrics agree with judges",
)
def phase_judges(request: VisitorRequest, challenge: str, phase: str) -> list[dict[str, Any]]:
    """The share of pairs of this phase's captions that each metric orders as judges did.

    One row for each project of judges, the one handed over last first; organisers read all,
    others what is published.
    """
    found, rows = access.judgments_for(request.auth, challenge, phase)
    organises = access.is_organiser(request.auth, found.challenge)
    measured = [judged_metrics(row) or JudgedMetrics(0, 0, 0, 0, "", (), (), {}) for row in rows]
    return [
        {
            "name": row.name,
            "state": row.state,
            # Only organisers are told why something failed.
            "reason": row.reason if organises else "",
            "measured_at": row.measured_at,
            "published_at": row.published_at,
            "pairs": one.pairs,
            "decided": one.decided,
            "judges": one.judges,
            "votes": one.votes,
            "sha256": one.sha256,
            "metrics": one.rows,
            "not_measured": one.unavailable,
        }
        for row, one in zip(rows, measured, strict=True)
    ]


def _analysis(phase: Phase, view: Visibility, coefficient: Coefficient) -> AnalysisOut:
    ranking = ranking_analysis(phase, view=view)
    tables = ranking.tables
    over_clips = agreement_over_clips(tables, coefficient) if len(tables.metrics) > 1 else None
    return AnalysisOut.model_validate(
        {
            "challenge": phase.challenge.slug,
            "phase": phase.slug,
            "ranking_metric": phase.ranking_metric,
            "resamples": RESAMPLES,
            "ranked": ranking.shown_of,
            "systems": [_ranked(ranking, at) for at in range(len(ranking.systems))],
            "ranks_by_metric": ranking.by_metric,
            "coefficient": coefficient,
            "correlations_over_systems": agreement_over_systems(tables, coefficient),
            "correlations_over_clips": over_clips,
            "left_out": tables.left_out,
            "telling_clips": _telling(ranking),
        }
    )


def _ranked(ranking: RankingAnalysis, at: int) -> dict[str, Any]:
    system, firm = ranking.systems[at], ranking.stability
    low, high = firm.intervals[at].tolist() if firm else (None, None)
    p_values = None if firm is None else firm.pairs[at].tolist()
    if p_values is not None:
        p_values[at] = None
    return {
        "public_id": system.public_id,
        "system_name": system.system_name,
        "team_slug": system.team.slug,
        "team_name": system.team.name,
        "rank": ranking.ranks[at],
        "rank_low": low,
        "rank_high": high,
        "tied": len(firm.tied(at)) if firm else None,
        "rank_probabilities": firm.probabilities[at].tolist() if firm else None,
        "p_values": p_values,
    }


def _telling(ranking: RankingAnalysis) -> list[dict[str, Any]]:
    if ranking.stability is None:
        return []
    try:
        names = corpus_of(ranking.systems[0]).file_names
    except CaptionsUnreadable:
        return []
    return [
        {**asdict(clip), "file_name": names[clip.number - 1]}
        for clip in telling_clips(ranking.stability.table)
    ]


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/compare",
    response={200: CompareOut, 503: Problem},
    operation_id="phase_compare",
    summary="Compare two systems of a phase",
)
def phase_compare(
    request: VisitorRequest,
    challenge: str,
    phase: str,
    a: QueryEx[str, P(description="Id of a system with a value of the ranking metric.")],
    b: QueryEx[str, P(description="Id of another one.")],
) -> HttpResponse:
    """By how much one system is better than another, metric by metric, and how surely.

    Only where the references of the phase are public.
    """
    found = access.analysis_for(request.auth, challenge, phase)
    view = access.visibility_for(request.auth, found, timezone.now())
    pair = _pair(pool_of(found, view=view), a, b)
    return cached_json(
        request,
        "compare",
        (systems_stamp(pair), view),
        lambda: CompareOut.model_validate(comparison_of(*pair)),
    )


def _pair(pool: SystemChoice, a: str, b: str) -> tuple[AnySubmission, AnySubmission]:
    known = {option.public_id for option in pool.ranked}
    for public_id in (a, b):
        if public_id not in known:
            raise Refused(
                "This phase has no system of this id with its ranking metric.", status=404
            )
    if a == b:
        message = "This is the same system twice. Name two different ones."
        raise Refused(message, status=422, faults=[Fault(None, "b", b, message)])
    by_id = {system.public_id: system for system in pool.read([a, b])}
    return by_id[a], by_id[b]


MOST = 8


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/distributions",
    response={200: DistributionsOut, 503: Problem},
    operation_id="phase_distributions",
    summary="Read how clips are spread",
)
def phase_distributions(
    request: VisitorRequest,
    challenge: str,
    phase: str,
    metric: QueryEx[
        list[str] | None, P(max_length=MOST, description="Metrics; without: the ranking metric.")
    ] = None,
    s: QueryEx[
        list[str] | None,
        P(max_length=MOST, description="Ids of systems; without: the best and the human row."),
    ] = None,
) -> HttpResponse:
    """The spread of each metric over clips, where the references of the phase are public."""
    found = access.analysis_for(request.auth, challenge, phase)
    names = tuple(dict.fromkeys(metric or [found.ranking_metric]))
    computed = found.computed
    if unknown := [name for name in names if name not in computed]:
        raise Refused(
            f"There is no metric {unknown[0]!r} here. Choose from: {', '.join(computed)}.",
            status=404,
        )
    view = access.visibility_for(request.auth, found, timezone.now())
    systems = _systems(found, view, s or [])
    key = (systems_stamp(systems), view, names)
    return cached_json(request, "distributions", key, lambda: _spread(systems, names))


def _systems(phase: Phase, view: Visibility, public_ids: Sequence[str]) -> list[VisibleSubmission]:
    pool = pool_of(phase, view=view)
    if not public_ids:
        return [*pool.best(MOST - len(pool.unranked)), *pool.unranked]
    if not pool.has(public_ids):
        raise Refused("This phase has no scored system of that id.", status=404)
    by_id = {system.public_id: system for system in pool.read(public_ids)}
    return [by_id[public_id] for public_id in dict.fromkeys(public_ids)]


def _spread(systems: Sequence[AnySubmission], names: Sequence[str]) -> DistributionsOut:
    spreads = spreads_of(systems, [METRICS[name] for name in names])
    events = ((system, event_counts(system)) for system in systems)
    return DistributionsOut.model_validate(
        {
            "metrics": [spread for spread in spreads if spread.spreads],
            "events": [{"system": row, "shares": shares} for row, shares in events if shares],
        }
    )
