"""Analysis, comparison and distributions as the API gives them: the numbers of the pages."""

import math
from collections.abc import Iterable
from typing import Literal

from ninja import Schema
from pydantic import Field

from leaderboard.models import Phase
from leaderboard.selectors.analysis.agreement import Coefficient, MetricAgreement
from leaderboard.selectors.analysis.clip_scores import Floats, Tables
from leaderboard.selectors.analysis.comparing import RESAMPLES as COMPARED_RESAMPLES
from leaderboard.selectors.analysis.comparing import Comparison, MetricDifference
from leaderboard.selectors.analysis.distributions import MetricSpread, SystemSpread
from leaderboard.selectors.analysis.ranking_stability import (
    RESAMPLES,
    MetricRanks,
    RankingAnalysis,
    TellingClip,
)
from leaderboard.selectors.visibility.visible_submissions import AnySubmission

_LETTERS: tuple[Literal["a", "b"], ...] = ("a", "b")


def finite(value: float) -> float | None:
    """Give a number as JSON can hold it: null where there is none."""
    return float(value) if math.isfinite(value) else None


def rows(values: Floats) -> list[list[float | None]]:
    """Give a table of numbers, null where there is none."""
    return [[finite(value) for value in row] for row in values.tolist()]


class SystemRef(Schema):
    """A system by its id, with its name and team."""

    id: str
    system_name: str
    team: str = Field(description="The team's slug.")
    team_name: str


def system_ref(system: AnySubmission) -> SystemRef:
    """Describe a system."""
    return SystemRef(
        id=system.public_id,
        system_name=system.system_name,
        team=system.team.slug,
        team_name=system.team.name,
    )


class RankedSystem(SystemRef):
    """A system with what its rank may be; null where that cannot be drawn."""

    rank: int
    rank_low: int | None = Field(description="Best rank of the middle 95 % of resamples.")
    rank_high: int | None = Field(description="Worst rank of the middle 95 % of resamples.")
    tied: int | None = Field(description="Other systems that it cannot be told from (p >= .05).")
    rank_probabilities: list[float] | None = Field(
        description="Share of resamples in which it has rank 1, 2, ..."
    )
    p_values: list[float | None] | None = Field(
        description="Two-sided p-value against each of the systems, in their order; null for "
        "itself. Not corrected for the number of pairs."
    )


class MetricRanksOut(Schema):
    """The ranks of the systems under one metric, in their order."""

    metric: str
    ranks: list[int]

    @classmethod
    def of(cls, found: MetricRanks) -> "MetricRanksOut":
        """Describe the ranks under one metric."""
        return cls(metric=found.info.name, ranks=list(found.ranks))


class Correlations(Schema):
    """Correlations of every pair of metrics; lower-is-better ones are turned round first."""

    over: str = Field(description="What was correlated.")
    metrics: list[str]
    values: list[list[float | None]] = Field(
        description="One row and column for each metric; null where one does not vary."
    )

    @classmethod
    def of(cls, found: MetricAgreement) -> "Correlations":
        """Describe the agreement of metrics."""
        return cls(
            over=found.over,
            metrics=[info.name for info in found.metrics],
            values=rows(found.values),
        )


class MetricLeftOut(Schema):
    """A metric that the systems cannot be compared by, and why."""

    metric: str
    reason: str

    @classmethod
    def all_of(cls, tables: Tables) -> "list[MetricLeftOut]":
        """List the metrics that were left out."""
        return [cls(metric=info.name, reason=reason) for info, reason in tables.left_out]


class TellingClipOut(Schema):
    """A clip that tells the systems apart as the whole corpus does."""

    number: int = Field(description="Place in the references, from 1.")
    file_name: str
    agreement: float | None = Field(description="Correlation with the systems' means.")
    spread: float = Field(description="Standard deviation over the systems.")


class AnalysisOut(Schema):
    """How firm the ranking of a phase is, and how far its metrics agree."""

    challenge: str
    phase: str
    ranking_metric: str
    resamples: int = Field(description="Times that clips were drawn anew (paired bootstrap).")
    ranked: int = Field(description="Systems with a rank, the best of which are analysed.")
    systems: list[RankedSystem] = Field(description="Best first.")
    ranks_by_metric: list[MetricRanksOut]
    coefficient: Coefficient
    correlations_over_systems: Correlations | None = Field(
        description="Of corpus values; null for fewer than three systems."
    )
    correlations_over_clips: Correlations | None = Field(
        description="Of values of clips; null for fewer than two metrics."
    )
    left_out: list[MetricLeftOut]
    telling_clips: list[TellingClipOut]

    @classmethod
    def of(
        cls,
        standing: RankingAnalysis,
        *,
        coefficient: Coefficient,
        over: tuple[MetricAgreement | None, MetricAgreement | None],
        telling: Iterable[tuple[str, TellingClip]],
    ) -> "AnalysisOut":
        """Describe a standing; ``over`` systems and clips, ``telling`` clips with their names."""
        phase = standing.phase
        by_systems, by_clips = (None if found is None else Correlations.of(found) for found in over)
        return cls(
            challenge=phase.challenge.slug,
            phase=phase.slug,
            ranking_metric=phase.ranking_metric,
            resamples=RESAMPLES,
            ranked=standing.shown_of,
            systems=[_ranked(standing, at) for at in range(len(standing.systems))],
            ranks_by_metric=[MetricRanksOut.of(found) for found in standing.by_metric],
            coefficient=coefficient,
            correlations_over_systems=by_systems,
            correlations_over_clips=by_clips,
            left_out=MetricLeftOut.all_of(standing.tables),
            telling_clips=[
                TellingClipOut(
                    number=clip.number,
                    file_name=name,
                    agreement=finite(clip.agreement),
                    spread=clip.spread,
                )
                for name, clip in telling
            ],
        )


def _ranked(standing: RankingAnalysis, at: int) -> RankedSystem:
    firm = standing.stability
    low, high = firm.intervals[at].tolist() if firm else (None, None)
    against = None if firm is None else [finite(value) for value in firm.pairs[at].tolist()]
    if against is not None:
        against[at] = None
    return RankedSystem(
        **system_ref(standing.systems[at]).dict(),
        rank=standing.ranks[at],
        rank_low=low,
        rank_high=high,
        tied=firm.tied(at) if firm else None,
        rank_probabilities=firm.probabilities[at].tolist() if firm else None,
        p_values=against,
    )


class DifferenceOut(Schema):
    """One metric of both systems; what is positive favours ``a``, whichever way is better."""

    metric: str
    signature: str
    a: float | None = Field(description="Corpus value.")
    b: float | None = Field(description="Corpus value.")
    counted: bool = Field(
        description="Whether corpus values come from counts of the whole corpus; the difference "
        "is that of the means of clips all the same."
    )
    better: Literal["a", "b"] | None = Field(
        description="Which is better beyond chance; null: they cannot be told apart."
    )
    difference: float | None
    low: float | None = Field(description="Lower end of the 95 % interval of the difference.")
    high: float | None = Field(description="Upper end of the 95 % interval of the difference.")
    p_value: float | None = Field(description="Two-sided, not corrected for several metrics.")
    wins: int = Field(description="Clips on which a is better.")
    ties: int
    losses: int = Field(description="Clips on which b is better.")

    @classmethod
    def of(cls, row: MetricDifference) -> "DifferenceOut":
        """Describe a row of a comparison."""
        found = row.found
        return cls(
            metric=row.info.name,
            signature=row.table.signature,
            a=finite(row.table.corpus[0]),
            b=finite(row.table.corpus[1]),
            counted=row.table.counted,
            better=None if row.winner is None else _LETTERS[row.winner],
            difference=finite(found.value),
            low=finite(found.interval.low),
            high=finite(found.interval.high),
            p_value=finite(found.p_value),
            wins=found.wins,
            ties=found.ties,
            losses=found.losses,
        )


class CompareOut(Schema):
    """Two systems of a phase, metric by metric, over the same clips."""

    challenge: str
    phase: str
    a: SystemRef
    b: SystemRef
    resamples: int = Field(description="Times that clips were drawn anew (paired bootstrap).")
    disagree: bool = Field(description="Some metrics prefer a beyond chance and some b.")
    metrics: list[DifferenceOut]
    left_out: list[MetricLeftOut]

    @classmethod
    def of(cls, phase: Phase, found: Comparison) -> "CompareOut":
        """Describe a comparison."""
        return cls(
            challenge=phase.challenge.slug,
            phase=phase.slug,
            a=system_ref(found.first),
            b=system_ref(found.second),
            resamples=COMPARED_RESAMPLES,
            disagree=found.disagree,
            metrics=[DifferenceOut.of(row) for row in found.rows],
            left_out=MetricLeftOut.all_of(found.tables),
        )


class SystemSpreadOut(Schema):
    """One system under one metric; ``shares`` are those of the metric's bins."""

    system: SystemRef
    competes: bool = Field(description="False for the human row.")
    signature: str
    clips: int = Field(description="Clips with a value.")
    without: int = Field(description="Clips that the metric says nothing about.")
    mean: float
    lower_quartile: float
    median: float
    upper_quartile: float
    at_zero: float = Field(description="Share of clips at exactly 0, from 0 to 1.")
    at_one: float | None = Field(description="Share at exactly 1; null: the metric goes on.")
    shares: list[float] = Field(description="Share of clips in each bin.")

    @classmethod
    def of(cls, spread: SystemSpread) -> "SystemSpreadOut":
        """Describe a system's part."""
        shown = spread.shown
        return cls(
            system=system_ref(spread.system),
            competes=spread.system.competes,
            signature=spread.signature,
            clips=shown.clips,
            without=shown.unscored,
            mean=shown.mean,
            lower_quartile=spread.quartiles[0],
            median=shown.median,
            upper_quartile=spread.quartiles[1],
            at_zero=shown.at_zero,
            at_one=shown.at_one,
            shares=[bin_.count / shown.clips for bin_ in shown.bins],
        )


class MetricSpreadOut(Schema):
    """A metric with the bins that its systems share: edges, one more than bins."""

    metric: str
    edges: list[float]
    systems: list[SystemSpreadOut]

    @classmethod
    def of(cls, metric: MetricSpread) -> "MetricSpreadOut":
        """Describe a metric that some system has."""
        bins = metric.spreads[0].shown.bins
        return cls(
            metric=metric.info.name,
            edges=[bins[0].low, *(bin_.high for bin_ in bins)],
            systems=[SystemSpreadOut.of(spread) for spread in metric.spreads],
        )


class EventsOut(Schema):
    """Share of a system's captions that name 0, 1, 2 ... sound events."""

    system: SystemRef
    shares: list[float]

    @classmethod
    def of(cls, system: AnySubmission, shares: list[float]) -> "EventsOut":
        """Describe a system."""
        return cls(system=system_ref(system), shares=shares)


class DistributionsOut(Schema):
    """How the clips of chosen systems are spread."""

    metrics: list[MetricSpreadOut]
    events: list[EventsOut]
