"""People, teams and notices as the API gives them."""

from datetime import datetime

from ninja import Schema
from pydantic import Field

from leaderboard.models import Membership, Notice, NoticeKind, TeamRole
from leaderboard.selectors.people.notices import notice_path
from leaderboard.selectors.submissions.team_systems import TeamPhase
from leaderboard.selectors.visibility.visible_submissions import AnySubmission


class MemberOut(Schema):
    """A person in a team."""

    username: str
    role: TeamRole
    joined_at: datetime

    @classmethod
    def of(cls, membership: Membership) -> "MemberOut":
        """Describe a membership."""
        return cls(
            username=membership.user.username,
            role=TeamRole(membership.role),
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
    def of(cls, submission: AnySubmission) -> "TeamSystemOut":
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


class MembershipOut(Schema):
    """A team and what the person may do there."""

    slug: str
    name: str
    role: TeamRole


class Me(Schema):
    """The person behind the token or the session."""

    username: str
    email: str
    teams: list[MembershipOut]
    organises: list[str]


class NoticeOut(Schema):
    """What a person was told."""

    id: int
    kind: NoticeKind
    text: str
    at: datetime
    read_at: datetime | None
    submission: str | None = Field(description="The submission that it is about.")
    team: str | None = Field(description="The team's slug.")
    path: str = Field(description="The page that it leads to, on this site.")

    @classmethod
    def of(cls, notice: Notice) -> "NoticeOut":
        """Describe a notice."""
        submission = notice.submission
        team = notice.team if submission is None else submission.team
        return cls(
            id=notice.pk,
            kind=NoticeKind(notice.kind),
            text=notice.text,
            at=notice.at,
            read_at=notice.read_at,
            submission=None if submission is None else submission.public_id,
            team=None if team is None else team.slug,
            path=notice_path(notice),
        )


class NoticesOut(Schema):
    """A part of a person's notices, the latest first."""

    unread: int
    total: int
    notices: list[NoticeOut]


class NoticesRead(Schema):
    """What marking did."""

    marked: int = Field(description="Notices that had not been read before.")
