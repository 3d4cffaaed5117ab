"""How long a submission will likely take to be scored, and how many are served before it.

Once some of it is scored, by the pace of its own run, whatever else the workers do meanwhile;
before, by what such work took here lately. Of others' submissions nothing is told but their number.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from django.core.cache import caches
from django.db.models import Case, When

from earmark.registry import FAMILIES
from leaderboard.models import Evaluation, EvaluationState, Kind, Phase
from leaderboard.selectors.evaluations.readiness import queues_served, workers_seen
from leaderboard.selectors.evaluations.turns import AWAITED, queue_of
from leaderboard.selectors.visibility.visible_submissions import AnySubmission

# Pages of those who wait ask every second; all that waits is read once in so many seconds.
KEY, READ_EVERY = "work-that-waits", 5
# Latest evaluations that are looked at, and how many of a family are enough to know it.
RECENT, ENOUGH = 1000, 3
# What was scored longer ago is of another run; of its own run, less says nothing of the rest.
RUN, SPENT, SHARE = timedelta(hours=1), timedelta(seconds=2), 0.1
# How far off an estimate may be: by the run's own pace, by what was scored here, by the registry
# on a machine of which nothing is known, which has models to load.
OWN_PACE, SCORED_HERE, UNKNOWN, LOADING = (0.8, 1.25), (0.75, 1.5), (0.5, 5.0), 15.0
UNDER_WAY = {EvaluationState.PENDING, EvaluationState.RUNNING}


@dataclass(frozen=True, slots=True)
class WaitingTime:
    """How many submissions are served before one, and in what time it is likely scored.

    ``submissions_before`` is 0 once it is being scored. ``seconds`` are the least and the most,
    None where nobody can tell, as no worker serves the ``unserved`` queues. ``rough``: too little
    was scored here to know how long it takes.
    """

    submissions_before: int
    seconds: tuple[float, float] | None
    unserved: tuple[str, ...] = ()
    rough: bool = False

    @property
    def eta_seconds(self) -> float | None:
        """The middle of the time; None where it is a guess or nobody can tell."""
        return None if self.seconds is None or self.rough else sum(self.seconds) / 2

    @property
    def sentence(self) -> str:
        """The place and the time in words."""
        count = self.submissions_before
        place = f"About {count:,} submissions are served before it; " if count else ""
        if count == 1:
            place = "About 1 submission is served before it; "
        if self.seconds is None:
            queues = f"queue{'s' * (len(self.unserved) > 1)} {' and '.join(self.unserved)}"
            rest = f"no worker serves the {queues} now, so there is no estimate."
        else:
            rest = f"likely scored in {duration_text(*self.seconds)}."
        guess = " This is a rough guess: little was scored here so far." if self.rough else ""
        return (place + rest if place else rest[0].upper() + rest[1:]) + guess


def duration_text(least: float, most: float) -> str:
    """A range of seconds in words, with no more digits than an estimate deserves."""
    if most < 10:
        return "a few seconds"
    unit, length, step = "hours", 3600, 1
    if most < 90:
        unit, length, step = "s", 1, 10
    elif most < 90 * 60:
        unit, length = "minutes", 60
    low, high = (step * round(end / length / step) for end in (least, most))
    return f"about {low:,} to {high:,} {unit}" if 0 < low < high else f"about {high:,} {unit}"


@dataclass(frozen=True)  # with slots it would be slow to read from a cache
class Backlog:
    """What waits and what such work took lately, as it was at most ``READ_EVERY`` seconds ago.

    ``waiting`` has (submission, team, whether somebody waits for it, seconds of work), by
    submission; ``jobs`` are done at a time. ``same`` and ``per_clip`` are the seconds that a
    family took for a number of clips, and for one.
    """

    waiting: list[tuple[int, int, bool, float]]
    jobs: int
    same: dict[tuple[str, int], float]
    per_clip: dict[str, float]

    def usual(self, family: str, clips: int) -> float:
        """Seconds that a family usually takes."""
        known = FAMILIES.get(family)  # one that is gone fails at once
        registry = known.seconds / 1000 if known else 0.0
        per_clip = self.per_clip.get(family, registry)
        return self.same.get((family, clips), clips * per_clip)


def backlog_read(now: datetime) -> Backlog:
    """Read what waits, and how long families took lately."""
    kept: Backlog | None = caches["parts"].get(KEY)
    if kept is not None:
        return kept
    same, per_clip = defaultdict(list), defaultdict(list)
    begun = Evaluation.objects.filter(started_at__isnull=False, state=EvaluationState.DONE)
    rows = begun.order_by("-started_at").values_list(
        "family", "clips_total", "started_at", "finished_at"
    )
    for family, clips, start, end in rows[:RECENT]:
        if clips and start and end:
            seconds = (end - start).total_seconds()
            same[family, clips].append(seconds)
            per_clip[family].append(seconds / clips)
    scoring = {family.queue for family in FAMILIES.values()}
    workers = workers_seen(now).values_list("queues", "jobs")
    backlog = Backlog(
        [],
        sum(jobs for queues, jobs in workers if scoring & {*queues}),
        {key: median(values) for key, values in same.items() if len(values) >= ENOUGH},
        {key: median(values) for key, values in per_clip.items() if len(values) >= ENOUGH},
    )
    work: dict[tuple[int, int, bool], float] = defaultdict(float)
    pending = Evaluation.objects.filter(state=EvaluationState.PENDING).order_by("submission")
    awaited = Case(When(AWAITED, then=True), default=False)
    for family, clips, *key in pending.values_list(
        "family", "clips_total", "submission", "submission__team", awaited
    ):
        work[tuple(key)] += backlog.usual(family, clips)
    backlog.waiting.extend((*key, seconds) for key, seconds in work.items())
    caches["parts"].set(KEY, backlog, READ_EVERY)
    return backlog


def being_scored(phase: Phase) -> bool:
    """Whether systems of a phase wait or are under way, of those that somebody waits for."""
    rows = Evaluation.objects.filter(AWAITED, submission__phase=phase, state__in=UNDER_WAY)
    return rows.exists()


def waiting_time(
    submission: AnySubmission, evaluations: Iterable[Evaluation], now: datetime
) -> WaitingTime | None:
    """The place and the time of a submission; None where nothing of it waits or is under way."""
    rows = list(evaluations)
    todo = [row for row in rows if row.state in UNDER_WAY]
    if not todo:
        return None
    served, backlog = queues_served(now), backlog_read(now)
    waits = {queue_of(row.family) for row in todo if row.state == EvaluationState.PENDING}
    unserved = tuple(sorted(waits - served.keys()))
    run = [row for row in rows if row.started_at and row.started_at > now - RUN]
    ranks = submission.phase.ranking.family
    if all(row.family == ranks and row.state not in UNDER_WAY for row in run):
        run = []  # what ranks was computed ahead of its turn
    before = [] if run else served_before(submission, backlog)
    if unserved:
        return WaitingTime(len(before), None, unserved)
    done = sum(backlog.usual(row.family, row.clips_total) * _share(row) for row in run)
    left = sum(backlog.usual(row.family, row.clips_total) * (1 - _share(row)) for row in todo)
    spent = now - min((row.started_at for row in run if row.started_at), default=now)
    if spent >= SPENT and done >= SHARE * (done + left):
        middle = spent.total_seconds() * left / done
        return WaitingTime(0, (OWN_PACE[0] * middle, OWN_PACE[1] * middle))
    rough = any(row.family not in backlog.per_clip for row in todo)
    middle = (sum(before) + left) / max(backlog.jobs, 1)
    least, most = UNKNOWN if rough else SCORED_HERE
    seconds = (least * middle, most * middle + LOADING * rough)
    return WaitingTime(len(before), seconds, rough=rough)


def _share(row: Evaluation) -> float:
    """How much of an evaluation is done."""
    if row.state in UNDER_WAY:
        return row.clips_done / row.clips_total if row.clips_total else 0.0
    return 1.0


def served_before(submission: AnySubmission, backlog: Backlog) -> list[float]:
    """Seconds of work of each submission that is served before one that waits.

    Teams take turns (``turns``): before its team has come to it, every other team has been given
    as many turns, and one more if what it has next came earlier.
    """
    awaited = submission.kind != Kind.HUMAN and submission.is_eligible
    teams: dict[int, list[tuple[int, float]]] = defaultdict(list)
    first = []
    for key, team, wanted, seconds in backlog.waiting:
        if wanted and not awaited:
            first.append(seconds)
        elif wanted == awaited and key != submission.pk:
            teams[team].append((key, seconds))
    own = [row for row in teams.pop(submission.team_id, []) if row[0] < submission.pk]
    others = (
        row
        for waiting in teams.values()
        for turn, row in enumerate(waiting)
        if turn < len(own) or (turn == len(own) and row[0] < submission.pk)
    )
    return [*first, *(seconds for _, seconds in (*own, *others))]
