"""What a team may do with one of its submissions at a moment."""

from dataclasses import dataclass
from datetime import datetime

from leaderboard.models import Counting
from leaderboard.selectors.visibility.visible_submissions import AnySubmission


@dataclass(frozen=True, slots=True)
class TeamActs:
    """Which acts a page offers; ``closed``: none, since the phase is over."""

    withdraw: bool
    take_back: bool
    choose: bool
    closed: bool


def team_acts(submission: AnySubmission, now: datetime) -> TeamActs:
    """Tell what a team may do; the services decide again, under the lock."""
    phase = submission.phase
    closed = phase.closes_at is not None and phase.closes_at <= now
    free = not closed and submission.disqualified_at is None
    withdrawn = submission.withdrawn_at is not None
    return TeamActs(
        withdraw=free and not withdrawn,
        take_back=free and withdrawn,
        choose=free
        and submission.competes
        and not submission.chosen
        and phase.counting == Counting.CHOSEN,
        closed=closed,
    )
