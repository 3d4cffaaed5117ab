"""Whose turn it is: which of the evaluations that wait a free worker takes next.

A message in a queue says no more than that there is work. Which evaluation it is gets decided
when a worker is free, from all the queues that it serves: first what ranks, for everybody, then
the rest system by system, since a system's families share what they parse and embed. Challenges
take turns, within a challenge its teams, each with its oldest submission, whose turn ends with
its last family or after ``TURN``.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.conf import settings
from django.db.models import Case, Min, Q, QuerySet, When

from earmark.registry import FAMILIES, METRICS, metrics_of
from leaderboard.models import Evaluation, EvaluationState, Kind
from leaderboard.models.submission import eligible

TURN = timedelta(minutes=5)
# What nobody waits for gets a start in this many, and whatever others leave.
OTHERS_EVERY = 10
# Latest starts that are looked at. Who is not among them was served longer ago than any that is.
RECENT = 1000

# Of a dry run, of the human row and of what was withdrawn or disqualified only organisers ask.
AWAITED = Q(published=True) & ~Q(submission__kind=Kind.HUMAN) & eligible("submission__")
# What ranks its system, tried for the first time.
_RANKS: Q = reduce(
    or_,
    (
        Q(
            family=family,
            submission__phase__ranking_metric__in=[info.name for info in metrics_of(family)],
        )
        for family in FAMILIES
    ),
) & Q(attempts=0)

Place = tuple[int, int]  # challenge, team


@dataclass(frozen=True, slots=True)
class WaitingTeam:
    """A team with evaluations that wait in a challenge, and its oldest submission with such."""

    challenge: int
    team: int
    submission: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """An evaluation that is to be claimed next, and whose it is.

    ``ahead``: it ranks, and comes before a turn that goes on after it.
    """

    evaluation_id: int
    submission_id: int
    ahead: bool = False


def queue_of(family: str) -> str:
    """Queue of a family; the default one for a family that the registry no longer has."""
    known = FAMILIES.get(family)
    return settings.CELERY_TASK_DEFAULT_QUEUE if known is None else known.queue


def evaluations_waiting(queues: Collection[str]) -> QuerySet[Evaluation]:
    """Evaluations of some queues that wait for a worker.

    What is to be tried again is left out until the sweep has sent it, so that attempts do
    not follow each other at once.
    """
    elsewhere = [family for family in FAMILIES if queue_of(family) not in queues]
    waiting = Evaluation.objects.filter(state=EvaluationState.PENDING).order_by()
    waiting = waiting.filter(Q(attempts=0) | Q(enqueued_at__isnull=False))
    if settings.CELERY_TASK_DEFAULT_QUEUE in queues:
        return waiting.exclude(family__in=elsewhere)
    return waiting.filter(family__in=FAMILIES.keys() - set(elsewhere))


def families_waiting(submission: int) -> dict[str, dict[str, Any]]:
    """Families that a submission waits for, in the order of their turns, with their parameters.

    None while others wait to be ranked, which comes first.
    """
    pending = Evaluation.objects.filter(AWAITED, _RANKS, state=EvaluationState.PENDING)
    if pending.exclude(submission=submission).exists():
        return {}
    rows = Evaluation.objects.filter(
        submission=submission, state__in=(EvaluationState.PENDING, EvaluationState.RUNNING)
    ).values_list("family", "parameters", "submission__phase__ranking_metric")
    ordered = sorted(rows, key=lambda row: family_order(row[0], row[2]))
    return {family: parameters for family, parameters, _ in ordered}


def next_in_turn(*, queues: Collection[str], current: int | None) -> Candidate | None:
    """The evaluation of some queues whose turn it is, None where none waits.

    ``current`` is the submission whose turn it still is.
    """
    waiting = evaluations_waiting(queues)
    awaited, others = waiting.filter(AWAITED), waiting.exclude(AWAITED)
    ranking = awaited.filter(_RANKS)
    in_turn = None if current is None else _first_of(awaited, current)
    if in_turn and not ranking.exists():
        return in_turn
    starts = _latest_starts(queues)
    latest = [waited_for for _, waited_for in starts[: OTHERS_EVERY - 1]]
    classes = [ranking, awaited, others]
    # What nobody waits for is due where it had none of the latest starts.
    if len(latest) == OTHERS_EVERY - 1 and all(latest):
        classes = [others, ranking, awaited]
    for rows in classes:
        teams = [
            WaitingTeam(*row)
            for row in rows.values_list("submission__phase__challenge", "submission__team")
            .annotate(oldest=Min("submission"))
            .order_by()
        ]
        if teams and (candidate := _first_of(rows, _turn(teams, queues, starts).submission)):
            return replace(candidate, ahead=in_turn is not None)
    return None


def _latest_starts(queues: Collection[str]) -> list[tuple[Place, bool]]:
    """Starts of some queues, the latest first: where, and whether somebody waited for them."""
    begun = Evaluation.objects.filter(started_at__isnull=False).order_by("-started_at", "-pk")
    rows = begun.annotate(awaited=Case(When(AWAITED, then=True), default=False)).values_list(
        "family", "submission__phase__challenge", "submission__team", "awaited"
    )
    return [
        ((challenge, team), awaited)
        for family, challenge, team, awaited in rows[:RECENT]
        if queue_of(family) in queues
    ]


def _turn(
    teams: Collection[WaitingTeam], queues: Collection[str], starts: Sequence[tuple[Place, bool]]
) -> WaitingTeam:
    running = Evaluation.objects.filter(state=EvaluationState.RUNNING).values_list(
        "family", "submission__phase__challenge", "submission__team"
    )
    places = [
        (challenge, team) for family, challenge, team in running if queue_of(family) in queues
    ]
    return whose_turn(teams, starts=[place for place, _ in starts], running=places)


def whose_turn(
    teams: Collection[WaitingTeam], *, starts: Sequence[Place], running: Sequence[Place]
) -> WaitingTeam:
    """The team whose turn it is.

    First the challenge with the fewest evaluations under way, of these the one that was
    served longest ago, of these the one with the oldest submission; of its teams likewise.
    ``starts`` are places served lately, the latest first.
    """
    under_way = Counter[int | Place](challenge for challenge, _ in running)
    under_way.update(running)
    age: dict[int | Place, int] = {}
    for back, place in enumerate(starts):
        age.setdefault(place[0], back)
        age.setdefault(place, back)
    oldest: dict[int, int] = {}
    for row in teams:
        oldest[row.challenge] = min(row.submission, oldest.get(row.challenge, row.submission))

    def turn(row: WaitingTeam) -> tuple[int, ...]:
        place = (row.challenge, row.team)
        return (
            under_way[row.challenge],
            -age.get(row.challenge, len(starts)),
            oldest[row.challenge],
            under_way[place],
            -age.get(place, len(starts)),
            row.submission,
        )

    return min(teams, key=turn)


def _first_of(waiting: QuerySet[Evaluation], submission: int) -> Candidate | None:
    rows = waiting.filter(submission=submission).values_list(
        "pk", "family", "attempts", "submission__phase__ranking_metric"
    )
    ordered = sorted(
        (attempts > 0, *family_order(family, metric), pk) for pk, family, attempts, metric in rows
    )
    return Candidate(ordered[0][-1], submission) if ordered else None


def family_order(family: str, ranking_metric: str) -> tuple[bool, float]:
    """Sort key of a family in a phase: first what decides its ranking, then cheap before dear."""
    ranking, known = METRICS.get(ranking_metric), FAMILIES.get(family)
    decides = ranking is not None and ranking.family == family
    return not decides, float("inf") if known is None else known.seconds
