"""Challenges, phases and leaderboards as the API gives them."""

from datetime import datetime
from typing import Literal

from ninja import Schema
from pydantic import Field

from leaderboard.api.schemas.scores import Score
from leaderboard.models import Challenge, Counting, Kind, Phase
from leaderboard.selectors.progress import State
from scoring.registry import Direction


class ChallengeLine(Schema):
    """A challenge in the list."""

    slug: str
    title: str
    summary: str

    @classmethod
    def of(cls, challenge: Challenge) -> "ChallengeLine":
        """Describe a challenge."""
        return cls(slug=challenge.slug, title=challenge.title, summary=challenge.summary)


class PhaseOut(Schema):
    """A phase with its rules."""

    slug: str
    name: str
    is_open: bool = Field(description="Whether a submission would be taken now.")
    opens_at: datetime | None
    closes_at: datetime | None
    clips: int | None = Field(description="Clips to describe; null: no references yet.")
    ranking_metric: str
    direction: Direction
    precision: int = Field(description="Decimals at which two values are a tie.")
    counting: Counting = Field(description="Which of a team's systems stands on the leaderboard.")
    quota_per_day: int | None = Field(description="Per team and day (UTC); null: no limit.")
    quota_total: int | None = Field(description="Per team in all; null: no limit.")
    references_public: bool
    scores_public: bool

    @classmethod
    def of(cls, phase: Phase, now: datetime) -> "PhaseOut":
        """Describe a phase."""
        references = phase.reference_set
        return cls(
            slug=phase.slug,
            name=phase.name,
            is_open=phase.is_open(now),
            opens_at=phase.opens_at,
            closes_at=phase.closes_at,
            clips=None if references is None else references.clip_count,
            ranking_metric=phase.ranking_metric,
            direction=phase.ranking.direction,
            precision=phase.precision,
            counting=phase.counting_rule,
            quota_per_day=phase.quota_per_day,
            quota_total=phase.quota_total,
            references_public=phase.references_public,
            scores_public=phase.scores_public,
        )


class ChallengeOut(ChallengeLine):
    """A challenge with its phases in order."""

    description: str = Field(description="Markdown.")
    phases: list[PhaseOut]


class BoardRow(Schema):
    """A system of the leaderboard; ``rank`` is null where it has none."""

    rank: int | None
    counts: bool = Field(description="Whether this system stands for its team.")
    kind: Kind = Field(description="human: one reference against the others; it has no rank.")
    id: str
    team: str = Field(description="The team's slug.")
    team_name: str
    system_name: str
    submitted_at: datetime
    state: State
    metrics: dict[str, Score]


class BoardOut(Schema):
    """A leaderboard, best first."""

    challenge: str
    phase: str
    ranking_metric: str
    direction: Direction
    precision: int
    systems: Literal["counting", "all"]
    rows: list[BoardRow]
