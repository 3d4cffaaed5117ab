"""Challenges and phases as the API gives them."""

from datetime import datetime
from typing import Annotated

from django.db.models import QuerySet
from django.utils import timezone
from ninja import Schema
from pydantic import BeforeValidator, Field

from leaderboard.models import Challenge, Counting, Phase
from leaderboard.selectors.outside.phase import host_asked
from scoring.registry import Direction


class ChallengeLine(Schema):
    """A challenge in the list."""

    slug: str
    title: str
    summary: str


class PhaseOut(Schema):
    """A phase with its rules."""

    slug: str
    name: str
    is_open: bool = Field(description="Whether a submission would be taken now.")
    opens_at: datetime | None
    closes_at: datetime | None
    clips: Annotated[int | None, BeforeValidator(lambda found: found and found.clip_count)] = Field(
        validation_alias="reference_set", description="Clips to describe; null: no references yet."
    )
    ranking_metric: str
    ranking_label: str = Field(
        validation_alias="ranking.label",
        description="With what differs from the metric's defaults.",
    )
    direction: Direction = Field(validation_alias="ranking.direction")
    metrics: list[str] = Field(description="The metrics that are computed.")
    precision: int = Field(description="Values equal at this number of decimals are tied.")
    counting: Counting = Field(
        validation_alias="counting_rule",
        description="Which of a team's systems is on the leaderboard.",
    )
    quota_per_day: int | None = Field(description="Per team and day (UTC); null: no limit.")
    quota_total: int | None = Field(description="Per team in all; null: no limit.")
    quota_shared: bool = Field(
        description="Whether submissions of all teams that one person made count together."
    )
    systems_per_team: int | None = Field(
        description="How many systems a team may have in the phase at once; null: no limit."
    )
    references_public: bool
    scores_public: bool
    captions_sent_to: str = Field(
        description="Host of the language model that judges captions and references of this phase; "
        "empty: nothing is sent anywhere."
    )

    @staticmethod
    def resolve_captions_sent_to(phase: Phase) -> str:
        """The host that organisers agreed to, where they turned a language model on."""
        return host_asked(phase)

    @staticmethod
    def resolve_metrics(phase: Phase) -> list[str]:
        """Names of the metrics that are computed, in the order used everywhere."""
        return list(phase.computed)

    @staticmethod
    def resolve_is_open(phase: Phase) -> bool:
        """Whether the phase is open now."""
        return phase.is_open(timezone.now())


class AnnouncementOut(Schema):
    """What the organisers told everyone."""

    title: str
    body: str = Field(description="Markdown.")
    published_at: datetime
    edited_at: datetime | None = Field(description="When it was last corrected; null: never.")


class ChallengeOut(ChallengeLine):
    """A challenge with its phases in order."""

    description: str = Field(description="Markdown.")
    terms: str = Field(
        description="Markdown. What a team accepts on the challenge's page before it submits; "
        "empty: nothing."
    )
    approval: bool = Field(description="Whether organisers admit a team before it submits.")
    time_zone: str = Field(description="In which its organisers write times; here all are UTC.")
    announcements: list[AnnouncementOut] = Field(description="The latest first.")
    phases: list[PhaseOut]

    @staticmethod
    def resolve_phases(challenge: Challenge) -> QuerySet[Phase]:
        """The phases without their references, in order."""
        phases = challenge.phases.select_related("reference_set")
        return phases.defer("reference_set__payload").order_by("position", "id")


class ClipsToDescribe(Schema):
    """What a file of captions must hold."""

    file_names: list[str] = Field(description="In the order of the template.")
    max_bytes: int = Field(description="How large a file may be.")
