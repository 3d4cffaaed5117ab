"""What of a ranking a reader sees while names or ranks are kept back.

The one place that makes names for what is hidden; ``visible_submissions`` decides where they
are shown.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.conf import settings
from django.utils.crypto import salted_hmac

from leaderboard.models import Phase


@dataclass(frozen=True, slots=True)
class Visibility:
    """How much of a phase somebody sees.

    ``names``: they see who is behind the systems of others; ``until``: the
    moment at which the ranking that they see was frozen (None: it is live).
    ``own`` are their teams in this phase where something is kept back, in order:
    of these they see the names, and each system as it is. What is kept for
    all carries its view in its key, so that nothing of one reaches another.
    """

    names: bool = True
    until: datetime | None = None
    own: tuple[int, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether nothing is kept back."""
        return self.names and self.until is None

    def knows(self, team: int) -> bool:
        """Whether the reader sees the names of a team and of its systems."""
        return self.names or team in self.own


EVERYTHING = Visibility()


def public_view(phase: Phase, now: datetime) -> Visibility:
    """What the public sees of a phase."""
    hidden = phase.names_hidden_until
    return Visibility(names=hidden is None or hidden <= now, until=phase.frozen_at)


# Without vowels, so that no alias is a word, and without what is easily confused.
ALPHABET = "23456789BCDFGHJKMNPQRSTVWXZ"
# 14 million names: among 500 teams two share one in a phase of a hundred.
LENGTH = 5
# The name of the module when the first aliases were made: another one would change them all.
SALT = "leaderboard.selectors.naming"


def alias(phase: int, kind: str, key: int) -> str:
    """The code that stands for something in a phase whose names are hidden.

    It comes from the installation's secret, so that it tells neither who it is nor
    who came first, is another one in another phase and stays the same.
    """
    return _alias(settings.SECRET_KEY, phase, kind, key)


@lru_cache(maxsize=20_000)
def _alias(secret: str, phase: int, kind: str, key: int) -> str:
    """Make a code once per process: a board of thousands asks for all of them each time."""
    value = f"{phase}:{kind}:{key}"
    digest = salted_hmac(SALT, value, secret=secret, algorithm="sha256").digest()
    number = int.from_bytes(digest)
    letters = []
    for _ in range(LENGTH):
        number, at = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[at])
    return "".join(letters)


def team_alias(phase: int, team: int) -> str:
    """The blind name of a team in a phase."""
    return f"Team {alias(phase, 'team', team)}"


def system_alias(phase: int, submission: int) -> str:
    """The blind name of a system in a phase."""
    return f"System {alias(phase, 'system', submission)}"


@dataclass(frozen=True, slots=True)
class VisibleTeam:
    """A team under the name that a reader may know."""

    pk: int
    name: str
    slug: str
    affiliation: str = ""


def blind_team(phase: int, team: int) -> VisibleTeam:
    """A team as those see it who may not know its name; its key stays."""
    name = team_alias(phase, team)
    return VisibleTeam(team, name, name.lower().replace(" ", "-"))
