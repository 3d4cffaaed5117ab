"""What must hold after every fault, read from the database and from the site's API."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from math import isclose
from typing import Any

from django.db import DatabaseError, connection
from django.db.models import Count

from earmark.client.command_line import ClientError
from earmark.registry import metrics_of, standard_families
from leaderboard.models import (
    Evaluation,
    EvaluationState,
    MetricResult,
    Notice,
    NoticeKind,
    Submission,
)
from leaderboard.queues import BROKER_ERRORS, messages_waiting
from tests.chaos.site import BOUND_SECONDS, Site
from tests.chaos.visitors import QUOTA, Trial

OPEN = (EvaluationState.PENDING, EvaluationState.RUNNING)
QUEUES = ("cpu", "gpu", "maintenance")

# By system, its rank and its value by every metric.
Board = dict[str, tuple[int | None, dict[str, float | None]]]


@dataclass
class Outcome:
    """How a trial ended: what was lost and what is stuck, each with a sentence about it."""

    fault: str
    tried: int = 0
    lost: list[str] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def survived(self) -> int:
        """Number of submissions of which nothing bad is to be said."""
        return max(0, self.tried - len(self.lost) - len(self.stuck))


def settle(site: Site, trial: Trial, *, seconds: float = BOUND_SECONDS) -> list[str]:
    """Wait until nothing is under way any more; what does not move for so long is stuck."""
    end, before = time.monotonic() + seconds, list[str]()
    while True:
        site.revive()
        left = _without_errors(lambda: [*_under_way(trial)])
        if left != before:  # A slow machine gets on with it.
            end, before = time.monotonic() + seconds, left
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.1)


def _without_errors(read: Callable[[], list[str]]) -> list[str]:
    try:
        return read()
    except (DatabaseError, ClientError, *BROKER_ERRORS) as error:
        with suppress(DatabaseError):
            connection.close()
        return [f"the site does not answer: {type(error).__name__}: {error}"]


def _under_way(trial: Trial) -> Iterator[str]:
    """What is not done yet of all that follows from the submissions of a trial."""
    rows = Evaluation.objects.filter(submission__phase=trial.phase, state__in=OPEN)
    waiting = [f"{row.submission_id}: {row.family} is {row.state}" for row in rows]
    if waiting:
        yield from waiting
        return
    for queue in QUEUES[:2]:
        if count := messages_waiting(queue):
            yield f"{count} messages are left in {queue}"
    for name, (person, public_id) in trial.accepted.items():
        kinds = Notice.objects.filter(submission__public_id=public_id).values_list("kind")
        if not kinds:
            yield f"{person.name} has no notice of {name}"
    if len(trial.accepted) > 1 and _board(trial)["rank_intervals"] == "pending":
        yield "the ranks are not estimated"


def losses(trial: Trial, expected: Board) -> list[str]:
    """What was lost, doubled or changed; ``expected`` is the ranking without any fault."""
    return [
        *_submissions_lost(trial),
        *_evaluations_lost(trial),
        *_notices_wrong(trial),
        *_quota_wrong(trial),
        *_ranking_wrong(trial, expected),
    ]


def _submissions_lost(trial: Trial) -> Iterator[str]:
    stored = dict(
        Submission.objects.filter(phase=trial.phase).values_list("public_id", "system_name")
    )
    for name, (_, public_id) in trial.accepted.items():
        if stored.pop(public_id, None) != name:
            yield f"{name} was taken as {public_id} and is not there"
    for name in stored.values():
        yield f"{name} is there and nobody was told that it was taken, or it is there twice"


def _evaluations_lost(trial: Trial) -> Iterator[str]:
    wanted = {family: sorted(_single(family)) for family in standard_families()}
    for submission in Submission.objects.filter(phase=trial.phase):
        found = {row.family: row for row in submission.evaluations.filter(published=True)}
        if found.keys() != wanted.keys() or submission.evaluations.count() != len(wanted):
            yield f"{submission.system_name} has evaluations of {sorted(found)}"
        for family, row in found.items():
            results = MetricResult.objects.filter(evaluation=row).values_list("metric", flat=True)
            if row.state == EvaluationState.DONE and sorted(results) != wanted[family]:
                yield f"{family} of {submission.system_name} has results of {sorted(results)}"
            if row.state == EvaluationState.FAILED and (
                results or not row.reason or family not in trial.may_fail
            ):
                yield f"{family} of {submission.system_name} failed: {row.reason or 'no reason'}"


def _single(family: str) -> list[str]:
    return [info.name for info in metrics_of(family) if not info.several]


def _notices_wrong(trial: Trial) -> Iterator[str]:
    kinds = [NoticeKind.SCORED, NoticeKind.FAILED]
    told = Notice.objects.filter(submission__phase=trial.phase, kind__in=kinds)
    for row in told.filter(mailed_at=None, mail_due_at=None).select_related("submission"):
        yield f"{row.user} gets no mail of {row.submission}"
    doubled = told.values("submission__system_name", "user").annotate(count=Count("pk"))
    for name, count in doubled.filter(count__gt=1).values_list("submission__system_name", "count"):
        yield f"{count} notices of {name}"


def _quota_wrong(trial: Trial) -> Iterator[str]:
    """What the site says is left of each team's quota, against what it has taken."""
    ranking = trial.phase.ranking.family
    for person in trial.people:
        ids = [public_id for who, public_id in trial.accepted.values() if who is person]
        if not ids:
            continue
        free = Evaluation.objects.filter(
            submission__public_id__in=ids, family=ranking, state=EvaluationState.FAILED
        ).count()
        teams = person.server().get(f"/teams/{person.team}")["phases"]
        left = {row["phase"]: row["quota_left"] for row in teams}[trial.phase.slug]
        if left != QUOTA - len(ids) + free:
            yield f"{person.name} has {left} submissions left of {QUOTA} after {len(ids)}"


def board_of(trial: Trial) -> Board:
    """The leaderboard of a trial as the API shows it to a person."""
    return {
        row["system_name"]: (
            row["rank"],
            {name: score["value"] for name, score in row["metrics"].items()},
        )
        for row in _board(trial)["rows"]
    }


def _board(trial: Trial) -> dict[str, Any]:
    path = f"/phases/{trial.phase.challenge.slug}/{trial.phase.slug}/leaderboard"
    board: dict[str, Any] = trial.people[0].server().get(path, systems="all")
    return board


def _ranking_wrong(trial: Trial, expected: Board) -> Iterator[str]:
    """Every value equals that without faults; so do the ranks among what was handed in."""
    found = board_of(trial)
    ranked = [name for name in expected if name in found]
    ranks = {name: expected[name][0] for name in ranked}
    whole = {*found} == {*expected}
    for name in ranked:
        rank, values = found[name]
        if whole and trial.phase.ranking.family not in trial.may_fail and rank != ranks[name]:
            yield f"{name} has rank {rank}, without faults {ranks[name]}"
        for metric, value in expected[name][1].items():
            here = values.get(metric)
            if metric in values and not _same(here, value):
                yield f"{metric} of {name} is {here}, without faults {value}"


def _same(one: float | None, other: float | None) -> bool:
    return one == other or (
        one is not None and other is not None and isclose(one, other, abs_tol=1e-5)
    )
