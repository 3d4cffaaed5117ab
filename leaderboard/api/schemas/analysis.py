"""Analysis, comparison and distributions as the API gives them: the pages' numbers."""

import math
from operator import attrgetter
from typing import Annotated, Literal

import numpy as np
from ninja import Schema
from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field

from leaderboard.selectors.analysis.ranking_stability import Coefficient

# JSON has neither NaN nor infinity.
Finite = Annotated[
    float | None,
    BeforeValidator(lambda value: None if value is None or not math.isfinite(value) else value),
]
TwoDecimals = Annotated[float, AfterValidator(lambda value: round(value, 2))]
MetricName = Annotated[str, BeforeValidator(attrgetter("name"))]


class SystemRef(Schema):
    """A system by its id, with its name and team."""

    id: str = Field(validation_alias=AliasChoices("public_id", "id"))
    system_name: str
    team: str = Field(
        validation_alias=AliasChoices("team_slug", "team.slug", "team"),
        description="The team's slug.",
    )
    team_name: str = Field(validation_alias=AliasChoices("team_name", "team.name"))


class RankedSystem(SystemRef):
    """A system with what its rank may be; null where that cannot be drawn."""

    rank: int
    rank_low: int | None = Field(description="Best rank of the middle 95 % of resamples.")
    rank_high: int | None = Field(description="Worst rank of the middle 95 % of resamples.")
    tied: int | None = Field(description="Systems that do not differ significantly (p >= .05).")
    rank_probabilities: list[float] | None = Field(
        description="Share of resamples in which it has rank 1, 2, ..."
    )
    p_values: list[Finite] | None = Field(
        description="Two-sided p-value against each of the systems, in their order; null for "
        "itself. Not corrected for the number of pairs."
    )


class MetricRanksOut(Schema):
    """The ranks of the systems under one metric, in their order."""

    metric: str = Field(validation_alias="info.name")
    label: str = Field(validation_alias="info.label")
    ranks: list[int]


class Correlations(Schema):
    """Correlations of every pair of metrics; lower-is-better ones are turned round first."""

    over: str = Field(description="What was correlated.")
    metrics: list[MetricName]
    values: Annotated[list[list[Finite]], BeforeValidator(np.ndarray.tolist)] = Field(
        description="One row and column for each metric; null where one does not vary."
    )


class MetricLeftOut(Schema):
    """A metric that the systems cannot be compared by, and why."""

    metric: str
    reason: str


MetricsLeftOut = Annotated[
    list[MetricLeftOut],
    BeforeValidator(
        lambda pairs: [{"metric": info.name, "reason": reason} for info, reason in pairs]
    ),
]


class TellingClipOut(Schema):
    """A clip that tells the systems apart as the whole corpus does."""

    number: int = Field(description="Place in the references, from 1.")
    file_name: str
    agreement: Finite = Field(description="Correlation with the systems' means.")
    spread: float = Field(description="Standard deviation over the systems.")


class AnalysisOut(Schema):
    """How firm the ranking of a phase is, and how far its metrics agree."""

    challenge: str
    phase: str
    ranking_metric: str
    resamples: int = Field(
        description="Number of random draws of the clips, the same for all systems."
    )
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
    left_out: MetricsLeftOut
    telling_clips: list[TellingClipOut]


class DifferenceOut(Schema):
    """One metric of both systems; what is positive favours ``a``, whichever way is better."""

    metric: str = Field(validation_alias="info.name")
    signature: str = Field(validation_alias="table.signature")
    a: Finite = Field(validation_alias="table.corpus.0", description="Corpus value.")
    b: Finite = Field(validation_alias="table.corpus.1", description="Corpus value.")
    counted: bool = Field(
        validation_alias="table.counted",
        description="Whether corpus values come from counts of the whole corpus; the difference "
        "is that of the means of clips all the same.",
    )
    better: Annotated[
        Literal["a", "b"] | None, BeforeValidator({0: "a", 1: "b", None: None}.get)
    ] = Field(
        validation_alias="winner",
        description="Which is significantly better; null: neither.",
    )
    difference: Finite = Field(validation_alias="difference.value")
    low: Finite = Field(
        validation_alias="difference.interval.low",
        description="Lower end of the 95 % interval of the difference.",
    )
    high: Finite = Field(
        validation_alias="difference.interval.high",
        description="Upper end of the 95 % interval of the difference.",
    )
    p_value: Finite = Field(
        validation_alias="difference.p_value",
        description="Two-sided, not corrected for several metrics.",
    )
    wins: int = Field(validation_alias="difference.wins", description="Clips on which a is better.")
    ties: int = Field(validation_alias="difference.ties")
    losses: int = Field(
        validation_alias="difference.losses", description="Clips on which b is better."
    )


class CompareOut(Schema):
    """Two systems of a phase, metric by metric, over the same clips."""

    challenge: str = Field(validation_alias="first.phase.challenge.slug")
    phase: str = Field(validation_alias="first.phase.slug")
    a: SystemRef = Field(validation_alias="first")
    b: SystemRef = Field(validation_alias="second")
    resamples: int = Field(
        description="Number of random draws of the clips, the same for all systems."
    )
    disagree: bool = Field(description="Some metrics prefer a beyond chance and some b.")
    metrics: list[DifferenceOut] = Field(validation_alias="rows")
    left_out: MetricsLeftOut = Field(validation_alias="tables.left_out")


class SystemSpreadOut(Schema):
    """One system under one metric; ``shares`` are those of the metric's bins."""

    system: SystemRef
    competes: bool = Field(
        validation_alias="system.competes", description="False for the human row."
    )
    signature: str
    clips: int = Field(validation_alias="distribution.clips", description="Clips with a value.")
    without: int = Field(
        validation_alias="distribution.unscored",
        description="Clips that the metric says nothing about.",
    )
    mean: float = Field(validation_alias="distribution.mean")
    lower_quartile: float = Field(validation_alias="quartiles.0")
    median: float = Field(validation_alias="distribution.median")
    upper_quartile: float = Field(validation_alias="quartiles.1")
    at_zero: float = Field(
        validation_alias="distribution.at_zero",
        description="Share of clips at exactly 0, from 0 to 1.",
    )
    at_one: float | None = Field(
        validation_alias="distribution.at_one",
        description="Share at exactly 1; null: the metric goes on.",
    )
    shares: list[float] = Field(
        validation_alias="distribution.shares", description="Share of clips in each bin."
    )


class MetricSpreadOut(Schema):
    """A metric with the bins that its systems share: edges, one more than bins."""

    metric: str = Field(validation_alias="info.name")
    edges: list[float] = Field(validation_alias="spreads.0.distribution.edges")
    systems: list[SystemSpreadOut] = Field(validation_alias="spreads")


class EventsOut(Schema):
    """Share of a system's captions that name 0, 1, 2 ... sound events."""

    system: SystemRef
    shares: list[float]


class DistributionsOut(Schema):
    """How the clips of chosen systems are spread."""

    metrics: list[MetricSpreadOut]
    events: list[EventsOut]
