"""All work that waits or is under way, by queue, and how long metric families take here."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil

from django.core.cache import caches
from django.db.models import Case, When

from leaderboard.models import Evaluation, EvaluationState
from leaderboard.selectors.evaluations.readiness import workers_seen
from leaderboard.selectors.evaluations.turns import AWAITED, TURN, Place, queue_of
from scoring.registry import FAMILIES

# Latest starts that are looked at, and how many of a family are enough to know it.
RECENT, ENOUGH = 1000, 3
# Of the machine nothing is known yet: it may be twice as quick as the registry says or five
# times slower, and has models to load.
QUICKER, SLOWER, LOADING = 0.5, 5.0, 15.0
# Less of an evaluation says nothing about the rest.
SPENT, SHARE = timedelta(seconds=2), 20


@dataclass(frozen=True)  # with slots it would be slow to read from a cache
class SecondsRange:
    """Seconds that something takes, at least and at most as far as one can tell."""

    low: float
    high: float
    measured: bool = True

    def __add__(self, other: "SecondsRange") -> "SecondsRange":
        """One after the other."""
        return SecondsRange(
            self.low + other.low, self.high + other.high, self.measured and other.measured
        )

    def __mul__(self, times: float) -> "SecondsRange":
        """So many times the work."""
        return SecondsRange(self.low * times, self.high * times, self.measured)


NOTHING = SecondsRange(0.0, 0.0)
# Between two evaluations where that is not known, and what is no longer between two.
GAP, PAUSE = SecondsRange(0.0, 0.5), timedelta(seconds=5)


class FamilyDurations:
    """What families take for a number of clips, from (family, clips, seconds) of finished ones.

    ``between`` is what goes by from the end of one evaluation to the start of the next.
    """

    def __init__(
        self, finished: Iterable[tuple[str, int, float]], between: SecondsRange = NOTHING
    ) -> None:
        self._between = between
        self._finished: dict[str, list[tuple[int, float]]] = {}
        self._known: dict[tuple[str, int], SecondsRange] = {}
        for family, clips, seconds in finished:
            self._finished.setdefault(family, []).append((clips, seconds))

    @classmethod
    def latest(cls) -> "FamilyDurations":
        """Durations of what was finished lately."""
        begun = Evaluation.objects.filter(started_at__isnull=False).order_by("-started_at")
        rows = begun.filter(state=EvaluationState.DONE).values_list(
            "family", "clips_total", "worker", "started_at", "finished_at"
        )
        finished, ended = list[tuple[str, int, float]](), list[tuple[str, datetime, datetime]]()
        for family, clips, worker, start, end in rows[:RECENT]:
            if clips and start and end:
                finished.append((family, clips, (end - start).total_seconds()))
                ended.append((worker, start, end))
        return cls(finished, _between(ended))

    def of(self, family: str, clips: int) -> SecondsRange:
        """The middle half of what a family took for as many clips.

        Where that is not known, of what it took for others: per clip and as a whole, as one
        cannot tell how much of it depends on the clips; else from the registry.
        """
        key = (family, clips)
        if key not in self._known:
            self._known[key] = self._estimate(family, clips) + self._between
        return self._known[key]

    def _estimate(self, family: str, clips: int) -> SecondsRange:
        found = self._finished.get(family, [])
        same = [seconds for size, seconds in found if size == clips]
        if len(same) >= ENOUGH:
            return _middle_half(same)
        if len(found) >= ENOUGH:
            whole = _middle_half([seconds for _, seconds in found])
            scaled = _middle_half([seconds * clips / size for size, seconds in found])
            return SecondsRange(min(whole.low, scaled.low), max(whole.high, scaled.high))
        known = FAMILIES.get(family)
        if known is None:  # It fails at once.
            return SecondsRange(0.0, 1.0)
        usual = known.seconds * clips / 1000
        return SecondsRange(QUICKER * usual, SLOWER * usual + LOADING, measured=False)

    def left(self, row: Evaluation, now: datetime) -> SecondsRange:
        """What is left of an evaluation, of one under way at its own pace once that is known.

        Its own pace counts the more the further it is: at the beginning it has models to load.
        """
        usual = self.of(row.family, row.clips_total)
        if row.state != EvaluationState.RUNNING or row.started_at is None:
            return usual
        spent, gone = now - row.started_at, (now - row.started_at).total_seconds()
        done, todo = row.clips_done, row.clips_total - row.clips_done
        left = SecondsRange(max(usual.low - gone, 0.0), max(usual.high - gone, 0.0), usual.measured)
        if not done or done * SHARE < row.clips_total or spent < SPENT:
            return left
        own = SecondsRange(gone * todo / done, gone * todo / done)
        if not usual.measured:
            return own
        share, rest = done / row.clips_total, todo / row.clips_total
        # What is usual for as many clips as are left.
        return own * share + (usual * rest) * rest


def _between(ended: Iterable[tuple[str, datetime, datetime]]) -> SecondsRange:
    """What goes by between evaluations that follow each other, from worker, start and end."""
    gaps, last = list[float](), dict[str, datetime]()
    for worker, started, finished in sorted(ended):
        gap = (started - last.get(worker, started - PAUSE)).total_seconds()
        if 0 <= gap < PAUSE.total_seconds():  # after a longer one nothing waited
            gaps.append(gap)
        last[worker] = finished
    return _middle_half(gaps) if len(gaps) >= ENOUGH else GAP


def _middle_half(values: Sequence[float]) -> SecondsRange:
    ordered = sorted(values)
    last = len(ordered) - 1
    return SecondsRange(ordered[round(last / 4)], ordered[round(3 * last / 4)])


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
