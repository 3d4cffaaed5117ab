"""Who can log in to the demo."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Login:
    """A demo account; the password is public, so it exists only where it harms nobody."""

    username: str
    password: str
    what: str
    organiser: bool = False


LOGINS = (
    Login("participant", "listen-closely", "Participant"),
    Login("organiser", "rank-honestly", "Organiser", organiser=True),
)
TEAM_NAME = "Team Visitor"
