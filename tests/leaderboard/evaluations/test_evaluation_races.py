"""What happens at the same time, with real threads on the real database."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from leaderboard.job_tasks import kinds_sweep
from leaderboard.models import Evaluation, EvaluationState, StoredFile, Submission
from leaderboard.services.evaluations import attempts
from leaderboard.services.evaluations.states import evaluation_claim, evaluations_sweep
from leaderboard.services.jobs import attempts as job_attempts
from leaderboard.services.jobs.states import JobClaim, job_renew
from leaderboard.web.refusals import Refused
from tests.factories import NOW, PhaseFactory, TeamFactory, submit
from tests.leaderboard.at_once import at_once
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

LEASE = timedelta(seconds=60)
UPLOADS = 32
LIMIT = 4


@pytest.fixture
def evaluation(transactional_db: None) -> Evaluation:
    submission = submit(PhaseFactory.create(), TeamFactory.create(), now=NOW)
    return submission.evaluations.get(family="vocab")


def with_own_connection(work: Callable[[], Any]) -> Any:
    try:
        return work()
    finally:
        connection.close()


def test_of_many_uploads_at_once_only_as_many_as_the_quota_are_taken() -> None:
    phase, team = PhaseFactory.create(quota_per_day=LIMIT), TeamFactory.create()
    said = at_once(*[partial(submit, phase, team, now=NOW)] * UPLOADS)
    taken = {one.public_id for one in said if isinstance(one, Submission)}
    assert taken == set(Submission.objects.values_list("public_id", flat=True))
    assert len(taken) == LIMIT
    refused = [str(one) for one in said if isinstance(one, Refused)]
    assert len(refused) == UPLOADS - LIMIT
    assert all("submissions left today" in one for one in refused)
    assert StoredFile.objects.count() == 1


@contextmanager
def before_query(part: str, work: Callable[[], None]) -> Iterator[None]:
    """Do ``work`` once, before this thread's first query that holds ``part``."""
    waiting = [work]

    def wrapper(execute: Any, sql: str, *rest: Any) -> Any:
        if part in sql and waiting:
            waiting.pop()()
        return execute(sql, *rest)

    with connection.execute_wrapper(wrapper):
        yield


def test_two_attempts_never_hold_the_same_token(evaluation: Evaluation) -> None:
    """The first is stopped between taking the row and reading its token, for a whole lease."""
    others: list[JobClaim | None] = []

    def take_over() -> None:
        later = NOW + 2 * LEASE
        evaluations_sweep(now=later, requeue_after=lambda _: LEASE)
        others.append(evaluation_claim(evaluation_id=evaluation.pk, now=later, lease=LEASE))

    thread = threading.Thread(target=with_own_connection, args=[take_over])

    def interrupt() -> None:
        thread.start()
        # Where the row is locked the other must wait, so that this cannot wait for it.
        thread.join(timeout=1)

    with before_query('SELECT "leaderboard_evaluation"."token"', interrupt):
        mine = evaluation_claim(evaluation_id=evaluation.pk, now=NOW, lease=LEASE)
    thread.join()
    assert mine is not None
    assert mine.token == 1
    assert [claim.token for claim in others if claim is not None] in ([], [2])


def test_the_heartbeat_goes_on_after_the_database_hung_up(
    evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    beats: list[int] = []

    def beat(*, clips_done: int, **rest: Any) -> None:
        beats.append(clips_done)
        if len(beats) == 2:
            connection.connection.close()
        job_renew(clips_done=clips_done, **rest)

    monkeypatch.setattr(job_attempts, "job_renew", beat)
    monkeypatch.setattr(job_attempts, "SECONDS_BETWEEN_WRITES", 0.05)
    claim = evaluation_claim(evaluation_id=evaluation.pk, now=timezone.now(), lease=LEASE)
    assert claim is not None
    progress = job_attempts.JobProgress(claim, limit=timedelta(minutes=5))
    with progress:
        for clips in (1, 2, 3):
            progress.note(clips_done=clips)
            wait_until(lambda: len(beats) >= clips)  # noqa: B023 - it waits here
        wait_until(lambda: stored_clips(evaluation) == 3)
    assert stored_clips(evaluation) == 3


def stored_clips(evaluation: Evaluation) -> int:
    return Evaluation.objects.values_list("clips_done", flat=True).get(pk=evaluation.pk)


@pytest.mark.skipif(connection.vendor == "sqlite", reason="its clock is the machine's")
@pytest.mark.parametrize("off", [timedelta(hours=-1), timedelta(hours=1)])
def test_a_clock_that_is_off_changes_no_lease(
    evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch, off: timedelta
) -> None:
    """Of the worker, and then of the process that takes back what is lost."""
    right, scores_of = timezone.now, attempts._scores
    left: list[timedelta] = []

    def scores(*args: Any) -> Any:
        row = Evaluation.objects.get(pk=evaluation.pk)
        assert row.lease_expires_at is not None
        left.append(row.lease_expires_at - right())
        kinds_sweep()
        return scores_of(*args)

    monkeypatch.setattr(attempts, "_scores", scores)
    monkeypatch.setattr(timezone, "now", lambda: right() + off)
    attempts.evaluation_attempt(evaluation_id=evaluation.pk)
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.attempts) == (EvaluationState.DONE, 1)
    assert timedelta() < left[0] <= settings.LEASE


@pytest.mark.skipif(connection.vendor == "sqlite", reason="nobody else has its file open")
def test_who_says_nothing_within_a_transaction_is_ended_by_the_database() -> None:
    """A frozen process would hold its rows for ever, and each sweep would wait for them."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone()[0] == f"{settings.LEASE / timedelta(minutes=1):.0f}min"
