"""Leaderboards and how ranks came about, as the API gives them."""

from collections.abc import Collection
from dataclasses import fields
from datetime import datetime
from typing import Literal

from ninja import Schema
from pydantic import Field, FiniteFloat

from leaderboard.api.schemas.analysis import SystemRef
from leaderboard.api.schemas.scores import ScoreOut
from leaderboard.models import Kind
from leaderboard.selectors.board.query import BoardQuery, Filters, Sort
from leaderboard.selectors.board.table import TEXT_KEYS
from leaderboard.selectors.evaluations.progress import State
from leaderboard.selectors.ranking.rank_intervals import State as RangeState
from scoring.registry import Direction

MOST_ROWS = 1000
USUAL_ROWS = 500


class BoardParameters(Schema):
    """What of a leaderboard is asked for; ranks are always those of the whole ranking."""

    systems: Literal["counting", "all"] = Field(
        "counting", description="counting: the system that counts for each team; all: every system."
    )
    metric: list[str] = Field(
        [], max_length=40, description="Metrics to give beside the ranking one; without: all."
    )
    sort: str = Field(
        "",
        max_length=40,
        description=f"rank, {', '.join(TEXT_KEYS)} or a metric (best first); - before it turns "
        "the order round. Without: by rank.",
    )
    q: str = Field("", max_length=80, description="Words of the names of system and team.")
    encoder: str = Field("", max_length=80, description="Words of what models the audio.")
    decoder: str = Field("", max_length=80, description="Words of what models the words.")
    smallest: FiniteFloat | None = Field(None, ge=0, description="Parameters, in millions.")
    largest: FiniteFloat | None = Field(None, ge=0, description="Parameters, in millions.")
    external: Literal["", "yes", "no"] = Field("", description="Whether external data was used.")
    limit: int = Field(USUAL_ROWS, ge=1, le=MOST_ROWS, description="Rows to give.")
    offset: int = Field(0, ge=0, le=1_000_000, description="Rows to leave out before them.")

    @property
    def asked(self) -> BoardQuery:
        """The same as the page asks it."""
        return BoardQuery(
            every_system=self.systems == "all",
            sort=Sort.read(self.sort),
            filters=Filters(**{spec.name: getattr(self, spec.name) for spec in fields(Filters)}),
        )

    def unknown(self, computed: Collection[str]) -> list[str]:
        """The names that are no metrics among those ``computed``."""
        sorts = {"", "rank", *TEXT_KEYS, *computed}
        asked = [*self.metric, *([] if self.asked.sort.key in sorts else [self.asked.sort.key])]
        return [name for name in asked if name not in computed]


class RankIntervalOut(Schema):
    """The ranks of the middle 95 % of resamples."""

    low: int
    high: int


class BoardRow(Schema):
    """A system of the leaderboard; ``rank`` is null where it has none."""

    rank: int | None
    rank_interval: RankIntervalOut | None = Field(
        validation_alias="range",
        description="Ranks in random draws of the clips, the same for all systems; null where "
        "unknown.",
    )
    tied_with: list[str] | None = Field(
        description="Ids of the systems that the data cannot tell it from; null where unknown."
    )
    counts: bool = Field(description="Whether this system stands for its team.")
    kind: Kind = Field(
        description="system: competes; baseline, and human (one reference against the others), "
        "have no rank."
    )
    id: str = Field(validation_alias="public_id")
    team: str = Field(validation_alias="team_slug", description="The team's slug.")
    team_name: str
    system_name: str
    submitted_at: datetime
    state: State
    metrics: dict[str, ScoreOut]


class ChangedMetricOut(Schema):
    """A metric with other parameters than the usual ones."""

    label: str
    since: datetime | None = Field(description="null: from the start of the phase.")
    reason: str = Field(description="The organisers'.")


class BoardOut(Schema):
    """A part of a leaderboard."""

    challenge: str
    phase: str
    ranking_metric: str
    ranking_label: str = Field(description="With what differs from the metric's defaults.")
    changed_metrics: list[ChangedMetricOut] = Field(
        description="Those whose parameters are not the usual ones, since when and why."
    )
    direction: Direction
    precision: int
    systems: Literal["counting", "all"]
    total: int = Field(description="Ranked and unranked systems of the table that compete.")
    matching: int = Field(description="Those of them that are what was asked for.")
    offset: int
    rank_intervals: RangeState = Field(
        description="known; pending: being computed; none: nothing to compare, or not possible."
    )
    resamples: int | None = Field(description="Draws behind the intervals; null where unknown.")
    rows: list[BoardRow] = Field(
        description="What does not compete comes after the last system, beyond the limit."
    )


class PhaseColumnOut(Schema):
    """A phase of the table of all phases."""

    slug: str
    name: str
    ranking_metric: str
    ranking_label: str = Field(description="With what differs from the metric's defaults.")
    direction: Direction
    precision: int


class PhaseCellOut(Schema):
    """The system that counts for a team in a phase."""

    id: str
    system_name: str
    rank: int | None
    value: float | None = Field(description="Of the ranking metric of the phase.")


class TeamInPhasesOut(Schema):
    """A team in the phases in which it takes part."""

    team: str | None = Field(description="The team's slug; null where names are hidden.")
    team_name: str
    phases: dict[str, PhaseCellOut] = Field(description="By the slug of the phase.")


class AllPhasesOut(Schema):
    """The rankings of a challenge's phases side by side, those whose scores you may see."""

    challenge: str
    phases: list[PhaseColumnOut]
    total: int = Field(description="Rows of all pages.")
    page: int
    rows: list[TeamInPhasesOut] = Field(
        description="Where a phase hides names, its teams have rows of that phase alone."
    )


class RankMoment(Schema):
    """The ranks after a moment, one for each of ``systems``; null: not ranked yet."""

    at: datetime
    ranks: list[int | None]
    scores: list[float | None] = Field(
        description="Values of the ranking metric, at the precision of the phase."
    )


class RankHistoryOut(Schema):
    """Who stood where when: replayed from the times of submission with present values."""

    step: Literal["submission", "day", "week", "month"]
    teams: int = Field(description="Teams that have a rank now.")
    systems: list[SystemRef] = Field(
        validation_alias="lines", description="What counts for each of the teams shown."
    )
    moments: list[RankMoment]
