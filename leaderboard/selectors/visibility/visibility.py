"""What of a ranking a reader sees while names or ranks are kept back."""

from dataclasses import dataclass
from datetime import datetime

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
