"""The demo challenge of made sounds, and the accounts that can log in to it."""

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
    Login("annotator", "mark-my-words", "Annotator"),
    Login("listener", "second-opinion", "Second annotator"),
)
ANNOTATORS = ("annotator", "listener")
TEAM_NAME = "Team Visitor"
# Holds the teams that are made up, so that no visitor finds them to be their own.
OTHERS = "made-up-teams"
