"""Challenges and phases as the API gives them."""

from datetime import datetime

from ninja import Schema
from pydantic import Field

from leaderboard.models import Announcement, Challenge, Counting, Phase
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
    systems_per_team: int | None = Field(
        description="With which a team may stand at once; null: no limit."
    )
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
            systems_per_team=phase.systems_per_team,
            references_public=phase.references_public,
            scores_public=phase.scores_public,
        )


class AnnouncementOut(Schema):
    """What the organisers told everyone."""

    title: str
    body: str = Field(description="Markdown.")
    published_at: datetime
    edited_at: datetime | None = Field(description="When it was last corrected; null: never.")

    @classmethod
    def of(cls, announcement: Announcement) -> "AnnouncementOut":
        """Describe an announcement."""
        return cls(
            title=announcement.title,
            body=announcement.body,
            published_at=announcement.published_at,
            edited_at=announcement.edited_at,
        )


class ChallengeOut(ChallengeLine):
    """A challenge with its phases in order."""

    description: str = Field(description="Markdown.")
    time_zone: str = Field(description="In which its organisers write times; here all are UTC.")
    announcements: list[AnnouncementOut] = Field(description="The latest first.")
    phases: list[PhaseOut]


class ClipsToDescribe(Schema):
    """What a file of captions must hold."""

    file_names: list[str] = Field(description="In the order of the template.")
    max_bytes: int = Field(description="How large a file may be.")
