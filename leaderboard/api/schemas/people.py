"""People and teams as the API gives them."""

from datetime import datetime

from ninja import Schema
from pydantic import Field

from leaderboard.models import TeamRole
from leaderboard.selectors.submissions.team_systems import TeamPhase


class MemberOut(Schema):
    """A person in a team."""

    username: str = Field(validation_alias="user.username")
    role: TeamRole
    joined_at: datetime


class TeamSystemOut(Schema):
    """A system of a team."""

    id: str = Field(validation_alias="public_id")
    system_name: str
    challenge: str = Field(validation_alias="phase.challenge.slug")
    phase: str = Field(validation_alias="phase.slug")
    submitted_at: datetime = Field(validation_alias="created_at")
    chosen: bool
    withdrawn_at: datetime | None
    disqualified_at: datetime | None


class TeamPhaseOut(Schema):
    """How a team stands in a phase, for the team itself."""

    challenge: str
    phase: str
    rank: int | None = Field(description="null: none, or none that is shown.")
    teams: int = Field(description="Teams that have a rank.")
    counting: str | None = Field(description="The submission that counts for the team.")
    quota_left: int | None = Field(description="Submissions left; null: no limit.")
    quota_limit: int | None
    quota_resets_at: datetime | None = Field(description="Set where the day's limit binds.")
    places_left: int | None = Field(
        description="How many more systems the team may have; null: no limit."
    )

    @classmethod
    def of(cls, row: TeamPhase) -> "TeamPhaseOut":
        """Describe a phase as a team stands in it."""
        counting = row.counting
        return cls(
            challenge=row.phase.challenge.slug,
            phase=row.phase.slug,
            rank=None if counting is None else counting.rank,
            teams=0 if row.hidden else row.teams,
            counting=None if counting is None else counting.submission.public_id,
            quota_left=row.quota.left,
            quota_limit=row.quota.limit,
            quota_resets_at=row.quota.resets_at,
            places_left=row.slots.left,
        )


class TeamOut(Schema):
    """A team, as much as the one who asks may see of it."""

    slug: str
    name: str
    affiliation: str
    systems: list[TeamSystemOut] = Field(description="The latest first; members see all.")
    members: list[MemberOut] | None = Field(description="For members and organisers only.")
    phases: list[TeamPhaseOut] | None = Field(description="For members only.")


class MembershipOut(Schema):
    """A team and what the person may do there."""

    slug: str = Field(validation_alias="team.slug")
    name: str = Field(validation_alias="team.name")
    role: TeamRole


class Me(Schema):
    """The person behind the token or the session."""

    username: str
    email: str
    teams: list[MembershipOut]
    organises: list[str]
