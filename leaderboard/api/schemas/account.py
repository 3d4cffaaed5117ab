"""The person who asks."""

from ninja import Schema

from leaderboard.models import Role


class MembershipOut(Schema):
    """A team and what the person may do there."""

    slug: str
    name: str
    role: Role


class Me(Schema):
    """The person behind the token or the session."""

    username: str
    email: str
    teams: list[MembershipOut]
    organises: list[str]
