"""Processes of a real worker that end as they should not: what is said, stored and done then."""

import json
import os
import signal
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from leaderboard import tasks
from leaderboard.lease_heartbeat import LeaseLost
from leaderboard.models import Evaluation, EvaluationState, WorkerProcess
from leaderboard.selectors.evaluations.readiness import queues_served
from leaderboard.services.evaluations import states
from leaderboard.services.jobs.states import MAX_ATTEMPTS, job_renew, process_jobs_end
from tests.factories import PhaseFactory, TeamFactory, submit
from tests.leaderboard.evaluations.worker_process import running_worker


def only_evaluation(family: str) -> Evaluation:
    submission = submit(PhaseFactory.create(), TeamFactory.create())
    submission.evaluations.exclude(family=family).delete()
    return submission.evaluations.get()


@pytest.mark.with_services
@pytest.mark.django_db(transaction=True)
def test_a_worker_whose_processes_die_at_their_start_says_why_and_ends(tmp_path: Path) -> None:
    """On Redis Celery itself ends it, at the first of them."""

    def unserved() -> None:
        assert queues_served(timezone.now()) == {}

    app = "tests.leaderboard.evaluations.dying_worker"
    with running_worker(tmp_path, app=app) as worker:
        assert worker.wait_for_end(unserved) == 1
        log = worker.log
    assert "ended with exit code 3 before it took a job. The lines above say what the error" in log
    assert not WorkerProcess.objects.exists()


@pytest.mark.with_services
@pytest.mark.django_db(transaction=True)
def test_a_job_that_the_system_kills_is_told_as_such_after_its_attempts(tmp_path: Path) -> None:
    evaluation = only_evaluation("sbert")
    tasks.evaluations_enqueue([evaluation.pk])
    killed = set()

    def kill_next() -> bool:
        evaluation.refresh_from_db()
        if evaluation.state == EvaluationState.RUNNING and evaluation.worker not in killed:
            killed.add(evaluation.worker)
            os.kill(int(evaluation.worker.rpartition(":")[2]), signal.SIGKILL)
        return evaluation.state == EvaluationState.FAILED

    # A lease so long that only the worker itself can know that its process is gone.
    with running_worker(tmp_path, EARMARK_LEASE_SECONDS="600", LOG_FORMAT="json") as worker:
        worker.wait_until(kill_next, what="the evaluation fails")
        log = worker.log
    told = [json.loads(line) for line in log.splitlines() if "(SIGKILL)" in line]
    assert {"multiprocessing", "leaderboard.worker_pool"} <= {line["logger"] for line in told}
    assert len(killed) == evaluation.attempts == MAX_ATTEMPTS
    assert evaluation.reason == (
        "The process that computed this was ended by the system (SIGKILL), most often because "
        "memory ran out."
    )
    assert "(SIGKILL), most often because memory ran out during a job. Give the machine" in log


@pytest.mark.django_db
def test_what_a_process_had_claimed_is_given_back_and_nothing_else() -> None:
    evaluation, now = only_evaluation("bleu"), timezone.now()
    lease = timedelta(seconds=60)

    def ended(process: str, reason: str) -> str:
        process_jobs_end(kind=states.EVALUATIONS, process=process, reason=reason, now=now)
        evaluation.refresh_from_db()
        return evaluation.state

    claim = states.evaluation_claim(evaluation_id=evaluation.pk, now=now, lease=lease)
    assert claim is not None
    evaluation.refresh_from_db()
    assert ended(f"{evaluation.worker}0", "Killed.") == EvaluationState.RUNNING, "another process"
    assert ended(evaluation.worker, "Killed.") == EvaluationState.PENDING
    with pytest.raises(LeaseLost):
        job_renew(claim=claim, clips_done=1, now=now, lease=lease)
    states.evaluation_claim(evaluation_id=evaluation.pk, now=now, lease=lease)
    assert ended(evaluation.worker, "") == EvaluationState.FAILED, "over the time limit"
    assert evaluation.reason == "It took longer than the limit of 30 minutes."
    assert evaluation.attempts == 2


@pytest.mark.django_db
def test_a_stuck_attempt_is_not_tried_again() -> None:
    """Its heartbeat went on until the time limit, and it never looked whether it may go on."""
    evaluation, now = only_evaluation("bleu"), timezone.now()
    states.evaluation_claim(evaluation_id=evaluation.pk, now=now, lease=settings.LEASE)
    expired = now - timedelta(seconds=1)
    row = Evaluation.objects.filter(pk=evaluation.pk)
    last_beat = expired - settings.LEASE
    begun = last_beat - settings.TIME_LIMIT
    row.update(started_at=begun + timedelta(seconds=5), lease_expires_at=expired)
    states.evaluations_sweep(now=now, requeue_after=lambda _: timedelta(0))
    evaluation.refresh_from_db()
    assert evaluation.state == EvaluationState.FAILED
    assert evaluation.reason == "It took longer than the limit of 30 minutes."
    # One whose worker was lost on the way is tried again.
    row.update(
        state=EvaluationState.RUNNING,
        started_at=begun + timedelta(minutes=5),
        lease_expires_at=expired,
    )
    states.evaluations_sweep(now=now, requeue_after=lambda _: timedelta(0))
    evaluation.refresh_from_db()
    assert evaluation.state == EvaluationState.PENDING
