"""Processes of a real worker: how they end, what is stored and said then, and their memory."""

import errno
import json
import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone
from pytest_django import Settings

from earmark.errors import ScoringError
from leaderboard import tasks
from leaderboard.celery import AUTOGROUP, app
from leaderboard.job_memory import Job, JobMemory, memory_limit, memory_reason
from leaderboard.leases import LeaseLost
from leaderboard.models import Evaluation, EvaluationState, WorkerProcess
from leaderboard.selectors.evaluations.readiness import queues_served
from leaderboard.services.evaluations import states
from leaderboard.services.jobs.states import MAX_ATTEMPTS, job_renew, process_jobs_end
from leaderboard.worker_pool import ProcessEnd
from tests.factories import PhaseFactory, TeamFactory, submit
from tests.leaderboard.evaluations.hungry_worker import HUNGRY
from tests.leaderboard.evaluations.worker_process import running_worker
from tests.real_data import ROOT


def only_evaluation(family: str) -> Evaluation:
    submission = submit(PhaseFactory.create(), TeamFactory.create())
    submission.evaluations.exclude(family=family).delete()
    return submission.evaluations.get()


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

    # The lease does not run out: only the worker itself can know that its process is gone.
    with running_worker(tmp_path, LOG_FORMAT="json") as worker:
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


BEGINS = """
import os
os.nice(5)
from celery.signals import celeryd_init
from leaderboard.celery import app, AUTOGROUP
celeryd_init.send(sender="worker", conf=app.conf, options={"concurrency": 1})
print(AUTOGROUP.read_text() if AUTOGROUP.exists() else "nice 5")
"""


def test_the_session_of_a_nice_worker_is_nice() -> None:
    """A session of its own, as each program of a Procfile has; not every kernel weighs sessions."""
    said = subprocess.run(
        [sys.executable, "-c", BEGINS],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        check=True,
        start_new_session=True,
    )
    assert said.stdout.strip().endswith("nice 5")
    assert not AUTOGROUP.exists() or not AUTOGROUP.read_text().strip().endswith("nice 5")


TOO_MUCH = 400_000_000
REASON = "Needed more than 200 MB of memory, the limit of one job here."


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """As in a process of a worker."""
    settings.JOB_MEMORY_MB = 200
    monkeypatch.setattr(JobMemory, "limited", True)
    monkeypatch.setattr(JobMemory, "ran_out", False)


@pytest.mark.django_db(transaction=True)
def test_one_that_needs_too_much_fails_once_and_the_next_is_scored(tmp_path: Path) -> None:
    submission = submit(PhaseFactory.create(), TeamFactory.create())
    submission.evaluations.exclude(family__in=[HUNGRY, "bleu"]).delete()
    large = submission.evaluations.get(family=HUNGRY)
    small = submission.evaluations.get(family="bleu")
    tasks.evaluations_enqueue([large.pk])
    app_name = "tests.leaderboard.evaluations.hungry_worker"
    with running_worker(tmp_path, app=app_name, EARMARK_JOB_MEMORY_MB="500") as worker:
        for evaluation, state in (large, EvaluationState.FAILED), (small, EvaluationState.DONE):
            ended = submission.evaluations.filter(pk=evaluation.pk, state=state)
            worker.wait_until(ended.exists, what=f"{evaluation.family} is {state}")
    large.refresh_from_db()
    assert large.reason == REASON.replace("200", "500")
    assert large.attempts == 1
    assert large.detail, "organisers see where"


@pytest.mark.usefixtures("limited")
def test_a_job_may_take_as_much_as_allowed_and_what_follows_may_take_more() -> None:
    with memory_limit():
        bytearray(TOO_MUCH // 4)
        with pytest.raises(MemoryError) as refused:
            bytearray(TOO_MUCH)
        assert memory_reason(refused.value) == REASON
        bytearray(TOO_MUCH)  # so that what failed can be stored
    assert JobMemory.ran_out
    bytearray(TOO_MUCH)


@pytest.mark.usefixtures("limited")
def test_any_job_that_needs_too_much_leaves_the_worker_alone() -> None:
    """Celery would end the whole worker, were it a ``MemoryError``."""

    class TooMuch(Job):
        def run(self) -> object:
            return bytearray(TOO_MUCH)

    assert app.Task.__base__ is Job
    with pytest.raises(RuntimeError, match="Needed more than 200 MB"):
        TooMuch()()


@pytest.mark.usefixtures("limited")
def test_want_of_memory_is_known_in_all_its_forms() -> None:
    for error, reason in (
        (MemoryError(), REASON),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: 8 bytes"), REASON),
        (ImportError("failed to map segment: Cannot allocate memory"), REASON),
        (OSError(errno.ENOMEM, "fork"), REASON),
        (RuntimeError("std::bad_alloc"), REASON),
        (ImportError("libc10.so: failed to map segment from shared object"), REASON),
        (ValueError("Could not reserve memory block"), REASON),
        (OSError(errno.ENOSPC, "disk"), ""),
        (ValueError("memory"), ""),
    ):
        assert memory_reason(error) == reason
        explained = ScoringError("The model cannot be loaded.")
        explained.__cause__ = error
        assert memory_reason(explained) == reason


def test_a_library_that_ends_its_process_is_told_as_such(settings: Settings) -> None:
    settings.JOB_MEMORY_MB = 200
    aborted = "crashed (SIGABRT)"
    because = ", most often because it needed more than 200 MB of memory, the limit of one job here"
    assert ProcessEnd(1, -signal.SIGABRT, True).manner == f"{aborted}{because}"
    assert ProcessEnd(1, 127, True).manner == f"ended with exit code 127{because}"
    assert ProcessEnd(1, -signal.SIGABRT, False).manner == aborted, "it had no job"
    settings.JOB_MEMORY_MB = 0
    assert ProcessEnd(1, -signal.SIGABRT, True).manner == aborted
    assert memory_reason(MemoryError()) == "The machine's memory ran out."
    JobMemory.ran_out = False
