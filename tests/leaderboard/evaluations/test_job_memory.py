"""The memory of a job: what goes beyond the limit fails with words, once, and harms no other."""

import errno
import signal
from pathlib import Path

import pytest
from pytest_django import Settings

from leaderboard import tasks
from leaderboard.celery import app
from leaderboard.job_memory import Job, JobMemory, JobRanOutOfMemory, memory_limit, memory_reason
from leaderboard.models import EvaluationState
from leaderboard.worker_pool import ProcessEnd
from scoring.errors import ScoringError
from tests.factories import PhaseFactory, TeamFactory, submit
from tests.leaderboard.evaluations.hungry_worker import HUNGRY
from tests.leaderboard.evaluations.worker_process import running_worker

TOO_MUCH = 400_000_000
REASON = "Needed more than 200 MB of memory, the limit of one job here."


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """As in a process of a worker."""
    settings.JOB_MEMORY_MB = 200
    monkeypatch.setattr(JobMemory, "limited", True)
    monkeypatch.setattr(JobMemory, "ran_out", False)


@pytest.mark.with_services
@pytest.mark.django_db(transaction=True)
def test_an_evaluation_that_needs_too_much_fails_once_and_the_next_is_scored(
    tmp_path: Path,
) -> None:
    submission = submit(PhaseFactory.create(), TeamFactory.create())
    submission.evaluations.exclude(family__in=[HUNGRY, "bleu"]).delete()
    large = submission.evaluations.get(family=HUNGRY)
    small = submission.evaluations.get(family="bleu")
    tasks.evaluations_enqueue([large.pk])
    app_name = "tests.leaderboard.evaluations.hungry_worker"
    with running_worker(
        tmp_path, app=app_name, EARMARK_JOB_MEMORY_MB="500", EARMARK_LEASE_SECONDS="600"
    ) as worker:
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
    with pytest.raises(JobRanOutOfMemory, match="Needed more than 200 MB"):
        TooMuch()()


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (MemoryError(), REASON),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: 8 bytes"), REASON),
        (ImportError("failed to map segment: Cannot allocate memory"), REASON),
        (OSError(errno.ENOMEM, "fork"), REASON),
        (RuntimeError("std::bad_alloc"), REASON),
        (ImportError("libc10.so: failed to map segment from shared object"), REASON),
        (ValueError("Could not reserve memory block"), REASON),
        (OSError(errno.ENOSPC, "disk"), ""),
        (ValueError("memory"), ""),
    ],
)
def test_want_of_memory_is_known_in_all_its_forms(error: Exception, reason: str) -> None:
    assert memory_reason(error) == reason
    explained = ScoringError("The model cannot be loaded.")
    explained.__cause__ = error
    assert memory_reason(explained) == reason


def test_where_nothing_is_limited_the_machine_had_too_little(settings: Settings) -> None:
    settings.JOB_MEMORY_MB = 0
    assert memory_reason(MemoryError()) == "The machine's memory ran out."
    JobMemory.ran_out = False


def test_a_library_that_ends_its_process_for_want_of_memory_is_told_as_such(
    settings: Settings,
) -> None:
    settings.JOB_MEMORY_MB = 200
    aborted = "crashed (SIGABRT)"
    because = ", most often because it needed more than 200 MB of memory, the limit of one job here"
    assert ProcessEnd(1, -signal.SIGABRT, True).manner == f"{aborted}{because}"
    assert ProcessEnd(1, 127, True).manner == f"ended with exit code 127{because}"
    assert ProcessEnd(1, -signal.SIGABRT, False).manner == aborted, "it had no job"
    settings.JOB_MEMORY_MB = 0
    assert ProcessEnd(1, -signal.SIGABRT, True).manner == aborted
