"""Notices as the API gives them."""

from datetime import datetime

from ninja import Schema
from pydantic import Field

from leaderboard.models import Notice, NoticeKind
from leaderboard.selectors.notices import notice_path


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
