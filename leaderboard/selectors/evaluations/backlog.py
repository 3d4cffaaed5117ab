"""All work that waits or is under way, by queue, and how many jobs are done at a time."""

from dataclasses import dataclass, field
from datetime import datetime
from math import ceil

from django.core.cache import caches
from django.db.models import Case, When

from leaderboard.models import Evaluation, EvaluationState
from leaderboard.selectors.evaluations.durations import NOTHING, FamilyDurations, SecondsRange
from leaderboard.selectors.evaluations.readiness import workers_seen
from leaderboard.selectors.evaluations.turns import AWAITED, TURN, Place, queue_of
from scoring.registry import FAMILIES

# Pages of those who wait ask every second; all that waits is read once in so many seconds.
READ_EVERY = 5
KEY = "work-that-waits"


@dataclass(frozen=True)
class WaitingWork:
    """What waits of a submission in a queue."""

    place: Place
    submission: int
    seconds: SecondsRange

    @property
    def turns(self) -> int:
        """Turns that it takes."""
        middle = (self.seconds.low + self.seconds.high) / 2
        return max(1, ceil(middle / TURN.total_seconds()))


@dataclass(slots=True)
class QueueWork:
    """What waits in a queue and what is under way, and how many jobs are done at a time.

    ``others``: what nobody waits for. ``fewest``: jobs where workers that serve another queue
    as well share their time; ``most``: where they have it for this one.
    """

    awaited: list[WaitingWork] = field(default_factory=list)
    others: list[WaitingWork] = field(default_factory=list)
    under_way: list[SecondsRange] = field(default_factory=list)
    fewest: float = 0.0
    most: int = 0


@dataclass(slots=True)
class Backlog:
    """All work that waits or is under way, by queue, and all jobs that are done at a time."""

    queues: dict[str, QueueWork]
    jobs: int
    durations: FamilyDurations


def backlog_read(now: datetime) -> Backlog:
    """All work that waits or is under way, as it was at most ``READ_EVERY`` seconds ago."""
    kept: Backlog | None = caches["parts"].get(KEY)
    if kept is None:
        kept = _backlog(now)
        caches["parts"].set(KEY, kept, READ_EVERY)
    return kept


def _backlog(now: datetime) -> Backlog:
    durations, queues = FamilyDurations.latest(), dict[str, QueueWork]()
    waiting: dict[tuple[str, bool, Place, int], SecondsRange] = {}
    pending = Evaluation.objects.filter(state=EvaluationState.PENDING).order_by()
    for family, clips, challenge, team, submission, awaited in pending.values_list(
        "family",
        "clips_total",
        "submission__phase__challenge",
        "submission__team",
        "submission",
        Case(When(AWAITED, then=True), default=False),
    ):
        key = (queue_of(family), awaited, (challenge, team), submission)
        waiting[key] = waiting.get(key, NOTHING) + durations.of(family, clips)
    for (name, awaited, place, submission), seconds in waiting.items():
        queue = queues.setdefault(name, QueueWork())
        rows = queue.awaited if awaited else queue.others
        rows.append(WaitingWork(place, submission, seconds))
    for row in Evaluation.objects.filter(state=EvaluationState.RUNNING).defer("detail"):
        queue = queues.setdefault(queue_of(row.family), QueueWork())
        queue.under_way.append(durations.left(row, now))
    return Backlog(queues, _note_jobs(queues, now), durations)


def _note_jobs(queues: dict[str, QueueWork], now: datetime) -> int:
    """Note how many jobs workers do at a time in each queue; returns how many in all."""
    scoring, total = {family.queue for family in FAMILIES.values()}, 0
    for served, jobs in workers_seen(now).values_list("queues", "jobs"):
        names = scoring.intersection(served)
        total += jobs if names else 0
        for name in names:
            queue = queues.setdefault(name, QueueWork())
            queue.fewest += jobs / len(names)
            queue.most += jobs
    return total
