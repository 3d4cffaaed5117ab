"""The place of a submission that waits, and how long its scoring will likely take.

The place follows from the rule by which turns are given (``turns``), the time from what
families took lately and from the workers that were seen. Of others' submissions nothing is
told but their number.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from django.core.cache import caches

from leaderboard.models import Evaluation, EvaluationState, Kind
from leaderboard.selectors.evaluations.backlog import (
    NOTHING,
    Backlog,
    QueueWork,
    SecondsRange,
    WaitingWork,
    backlog_read,
)
from leaderboard.selectors.evaluations.turns import OTHERS_EVERY, Place, queue_of
from leaderboard.selectors.visibility.visible_submissions import AnySubmission

# Nobody who comes back later compares what they read then.
TOLD_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class WaitingTime:
    """How many submissions are served before one, and in what time it is likely scored.

    ``seconds`` is None where nobody can tell, as no worker serves the ``unserved`` queues.
    """

    submissions_before: int
    seconds: SecondsRange | None
    unserved: tuple[str, ...] = ()

    @property
    def rough(self) -> bool:
        """Whether the time is a guess: too little was scored here to know how long it takes."""
        return self.seconds is not None and not self.seconds.measured

    @property
    def eta_seconds(self) -> float | None:
        """The middle of the time; None where it is a guess or nobody can tell."""
        if self.seconds is None or self.rough:
            return None
        return (self.seconds.low + self.seconds.high) / 2

    @property
    def sentence(self) -> str:
        """The place and the time in words."""
        count = self.submissions_before
        place = f"About {count:,} submissions are served before it; " if count else ""
        if count == 1:
            place = "About 1 submission is served before it; "
        if self.seconds is None:
            queues = f"queue{'s' * (len(self.unserved) > 1)} {' and '.join(self.unserved)}"
            rest = f"no worker serves the {queues} now, so nobody knows when it is scored."
        else:
            rest = f"likely scored in {duration_text(self.seconds)}."
        guess = " This is a rough guess: little was scored here so far." if self.rough else ""
        return (place + rest if place else rest[0].upper() + rest[1:]) + guess


def duration_text(seconds: SecondsRange) -> str:
    """A range of time in words, with no more digits than an estimate deserves."""
    if seconds.high < 10:
        return "a few seconds"
    unit, length, step = "hours", 3600, 1
    if seconds.high < 90:
        unit, length, step = "s", 1, 10
    elif seconds.high < 90 * 60:
        unit, length = "minutes", 60
    low = step * round(seconds.low / length / step)
    high = step * round(seconds.high / length / step)
    if low == high:
        return f"about {high:,} {unit}"
    return f"about {low:,} to {high:,} {unit}" if low else f"at most about {high:,} {unit}"


@dataclass(frozen=True, slots=True)
class ServedBefore:
    """Submissions that are served before one, and what they take."""

    submissions: int = 0
    seconds: SecondsRange = NOTHING

    def __add__(self, other: "ServedBefore") -> "ServedBefore":
        """Both together."""
        return ServedBefore(self.submissions + other.submissions, self.seconds + other.seconds)


def waiting_time(
    submission: AnySubmission, evaluations: Iterable[Evaluation], now: datetime
) -> WaitingTime | None:
    """The place and the time of a submission; None where nothing of it waits or is under way."""
    under_way = {EvaluationState.PENDING, EvaluationState.RUNNING}
    rows = sorted(
        (row for row in evaluations if row.state in under_way), key=lambda row: queue_of(row.family)
    )
    if not rows:
        return None
    backlog = backlog_read(now)
    parts = [
        _QueuePart.of(submission, name, list(own), backlog, now)
        for name, own in groupby(rows, key=lambda row: queue_of(row.family))
    ]
    unserved = tuple(part.name for part in parts if part.unserved)
    seconds = None if unserved else _time_of(parts, backlog.jobs)
    return WaitingTime(
        max(part.before.submissions for part in parts),
        seconds and steady_time(submission.pk, seconds, now),
        unserved,
    )


@dataclass(frozen=True)  # with slots it would be slow to read from a cache
class ToldTime:
    """What those who wait were told: moments between which it is done."""

    low: datetime
    high: datetime
    measured: bool

    def still_holds(self, seconds: SecondsRange, now: datetime) -> bool:
        """Whether a new estimate neither contradicts it nor says it far more exactly."""
        middle = now + timedelta(seconds=(seconds.low + seconds.high) / 2)
        told = (self.high - max(self.low, now)).total_seconds()
        exact = (seconds.high - seconds.low) * 2 < told
        return self.low <= middle <= self.high and self.measured == seconds.measured and not exact


def steady_time(submission: int, seconds: SecondsRange, now: datetime) -> SecondsRange:
    """What was told before, less the time that went by, as long as the new estimate agrees.

    Each estimate differs a little from the last, and shown as they are they jump up and down.
    """
    cache, key = caches["parts"], f"told-time-{submission}"
    told: ToldTime | None = cache.get(key)
    if told is None or not told.still_holds(seconds, now):
        low, high = (now + timedelta(seconds=end) for end in (seconds.low, seconds.high))
        told = ToldTime(low, high, seconds.measured)
        cache.set(key, told, TOLD_SECONDS)
    return SecondsRange(_until(told.low, now), _until(told.high, now), told.measured)


def _until(end: datetime, now: datetime) -> float:
    return max((end - now).total_seconds(), 0.0)


@dataclass(frozen=True, slots=True)
class _QueuePart:
    """What a submission has to wait for in one queue."""

    name: str
    queue: QueueWork
    before: ServedBefore
    waits: bool
    own: SecondsRange
    longest: float

    @classmethod
    def of(
        cls,
        submission: AnySubmission,
        name: str,
        rows: Sequence[Evaluation],
        backlog: Backlog,
        now: datetime,
    ) -> "_QueuePart":
        """The part of a submission with these evaluations in a queue."""
        queue = backlog.queues.get(name, QueueWork())
        left = [backlog.durations.left(row, now) for row in rows]
        waiting = [
            seconds
            for row, seconds in zip(rows, left, strict=True)
            if row.state == EvaluationState.PENDING
        ]
        before = ServedBefore()
        if waiting:
            place = (submission.phase.challenge_id, submission.team_id)
            mine = WaitingWork(place, submission.pk, sum(waiting, NOTHING))
            awaited = submission.kind != Kind.HUMAN and submission.is_eligible
            before = served_before(queue, mine, awaited=awaited)
        return cls(
            name, queue, before, bool(waiting), sum(left, NOTHING), max(one.low for one in left)
        )

    @property
    def unserved(self) -> bool:
        """Whether it waits for a worker that is not there."""
        return self.waits and not self.queue.most

    @property
    def low(self) -> float:
        """The least work until it is done, in seconds of a job."""
        return self.before.seconds.low + self.own.low

    @property
    def high(self) -> float:
        """The longest time until it is done."""
        if not self.waits:
            return self.own.high
        begun = max((seconds.high for seconds in self.queue.under_way), default=0.0)
        others = 1 + bool(self.queue.others) / (OTHERS_EVERY - 1)
        jobs = self.queue.fewest
        return begun + others * (self.before.seconds.high / jobs + self.own.high / min(1, jobs))


def _time_of(parts: Sequence[_QueuePart], jobs: int) -> SecondsRange:
    low = max(
        *(part.longest for part in parts),
        *(part.low / max(part.queue.most, 1) for part in parts),
        sum(part.low for part in parts) / max(jobs, 1),
    )
    measured = all(part.before.seconds.measured and part.own.measured for part in parts)
    return SecondsRange(low, max(low, *(part.high for part in parts)), measured)


def served_before(queue: QueueWork, mine: WaitingWork, *, awaited: bool = True) -> ServedBefore:
    """What is served before a submission of which something waits in a queue.

    While its team is given the turns up to its own, every other team of the challenge is given
    as many, as far as it has work for them, and every other challenge as many as all of these.
    """
    if not awaited:
        first = [row for row in queue.awaited if row.submission != mine.submission]
        everything = ServedBefore(len(first), sum((row.seconds for row in first), NOTHING))
        return everything + served_before(QueueWork(awaited=queue.others), mine)
    teams: dict[Place, list[WaitingWork]] = {}
    for row in queue.awaited:
        if row.submission != mine.submission:
            teams.setdefault(row.place, []).append(row)
    earlier = [row for row in teams.pop(mine.place, []) if row.submission < mine.submission]
    turns = mine.turns + sum(row.turns for row in earlier)
    found = ServedBefore(len(earlier), sum((row.seconds for row in earlier), NOTHING))
    least, most, elsewhere = turns, turns, dict[int, list[WaitingWork]]()
    for (challenge, _), rows in teams.items():
        if challenge == mine.place[0]:
            found += _in_turns(rows, turns - 1, turns)
            its = sum(row.turns for row in rows)
            least, most = least + min(turns - 1, its), most + min(turns, its)
        else:
            elsewhere.setdefault(challenge, []).extend(rows)
    for rows in elsewhere.values():
        found += _in_turns(rows, least - 1, most)
    return found


def _in_turns(rows: list[WaitingWork], least: int, most: int) -> ServedBefore:
    """What is served of some work in so many turns; the most depends on who is first."""
    rows.sort(key=lambda row: row.submission)
    low, high = _first_turns(rows, least), _first_turns(rows, most)
    seconds = SecondsRange(low.seconds.low, high.seconds.high, high.seconds.measured)
    return ServedBefore(high.submissions, seconds)


def _first_turns(rows: Iterable[WaitingWork], turns: int) -> ServedBefore:
    found = ServedBefore()
    for row in rows:
        if turns <= 0:
            break
        share = min(1.0, turns / row.turns)
        found += ServedBefore(int(share), row.seconds * share)
        turns -= row.turns
    return found
