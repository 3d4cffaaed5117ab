"""Teams as the API gives them."""

from datetime import datetime

from ninja import Schema
from pydantic import Field

from leaderboard.models import Membership, Role, Submission
from leaderboard.selectors.team_systems import TeamPhase


class MemberOut(Schema):
    """A person in a team."""

    username: str
    role: Role
    joined_at: datetime

    @classmethod
    def of(cls, membership: Membership) -> "MemberOut":
        """Describe a membership."""
        return cls(
            username=membership.user.username,
            role=Role(membership.role),
            joined_at=membership.joined_at,
        )


class TeamSystemOut(Schema):
    """A system of a team."""

    id: str
    system_name: str
    challenge: str
    phase: str
    submitted_at: datetime
    chosen: bool
    withdrawn_at: datetime | None
    disqualified_at: datetime | None

    @classmethod
    def of(cls, submission: Submission) -> "TeamSystemOut":
        """Describe a submission."""
        return cls(
            id=submission.public_id,
            system_name=submission.system_name,
            challenge=submission.phase.challenge.slug,
            phase=submission.phase.slug,
            submitted_at=submission.created_at,
            chosen=submission.chosen,
            withdrawn_at=submission.withdrawn_at,
            disqualified_at=submission.disqualified_at,
        )


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
    places_left: int | None = Field(description="Systems that may stand besides; null: no limit.")

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
            places_left=row.places.left,
        )


class TeamOut(Schema):
    """A team, as much as the one who asks may see of it."""

    slug: str
    name: str
    affiliation: str
    systems: list[TeamSystemOut] = Field(description="The latest first; members see all.")
    members: list[MemberOut] | None = Field(description="For members and organisers only.")
    phases: list[TeamPhaseOut] | None = Field(description="For members only.")
