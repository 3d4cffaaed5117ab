"""Trainings change hands like evaluations: one holds them, whoever lost them writes nothing."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotation.models import Member, Project, Role, RunState, TrainingRun
from annotation.services.projects import ProjectAct, member_add
from annotation.services.training import states
from leaderboard.leases import CancelAsked, LeaseLost
from leaderboard.models import Notice, User
from leaderboard.services.jobs.states import (
    MAX_ATTEMPTS,
    JobClaim,
    JobFailure,
    job_claim,
    job_fail,
    job_give_way,
    job_renew,
    job_stop,
    job_write,
    jobs_sweep,
    process_jobs_return,
)
from leaderboard.services.people.notices import notices_mail
from leaderboard.web.refusals import Refused
from tests.annotation.conftest import LEASE, NOW, Crew
from tests.annotation.trained import make_training
from tests.factories import UserFactory

LATE = NOW + LEASE + timedelta(seconds=1)
REQUEUE = timedelta(minutes=1)


@pytest.fixture
def run(project: Project) -> TrainingRun:
    return make_training(project, state=RunState.WAITING)


def act(run: TrainingRun) -> ProjectAct:
    return ProjectAct(run.project.members.get().user, NOW)


def claim(run: TrainingRun) -> JobClaim:
    run.refresh_from_db()
    found = job_claim(kind=states.TRAININGS, pk=run.pk, token=run.token, now=NOW, lease=LEASE)
    assert found is not None
    return found


def state(run: TrainingRun) -> RunState:
    run.refresh_from_db()
    return RunState(run.state)


def test_a_turn_that_ends_is_no_attempt_and_its_message_takes_nothing(run: TrainingRun) -> None:
    for _ in range(MAX_ATTEMPTS + 2):
        give_way(claim(run))
    assert (state(run), run.attempts) == (RunState.WAITING, 0)
    old, token = run.token - 1, run.token
    assert job_claim(kind=states.TRAININGS, pk=run.pk, token=old, now=NOW, lease=LEASE) is None
    assert job_claim(kind=states.TRAININGS, pk=run.pk, token=token, now=NOW, lease=LEASE)


def test_who_lost_the_lease_writes_nothing(run: TrainingRun) -> None:
    lost = claim(run)
    assert [
        one.pk for one in jobs_sweep(kind=states.TRAININGS, now=LATE, requeue_after=REQUEUE)
    ] == [run.pk]
    claim(run)
    told: dict[str, Any] = {"rows": ["mine"]}
    writes: list[Callable[[], object]] = [
        lambda: job_renew(claim=lost, told=told, now=LATE, lease=LEASE),
        lambda: job_give_way(claim=lost, told=told, now=LATE),
        lambda: job_stop(claim=lost, told=told, now=LATE),
        lambda: job_write(claim=lost, state=RunState.DONE),
    ]
    for write in writes:
        with pytest.raises(LeaseLost):
            write()
    job_fail(claim=lost, failure=JobFailure("mine"), now=LATE)
    assert state(run) == RunState.RUNNING
    assert (run.told, run.reason) == ({}, "")


def test_a_worker_that_stops_hands_its_training_on(run: TrainingRun) -> None:
    first = claim(run)
    run.refresh_from_db()
    other = process_jobs_return(kind=states.TRAININGS, processes=[f"{run.worker}0"], now=NOW)
    assert other == [], "another process"
    (waiting,) = process_jobs_return(kind=states.TRAININGS, processes=[run.worker], now=NOW)
    run.refresh_from_db()
    assert (run.state, run.attempts, run.enqueued_at) == (RunState.WAITING, 0, None)
    with pytest.raises(LeaseLost):
        job_renew(claim=first, now=NOW, lease=LEASE)
    second = job_claim(kind=states.TRAININGS, pk=run.pk, token=waiting.token, now=NOW, lease=LEASE)
    assert second is not None
    # Whoever cancelled it meanwhile is not asked again.
    TrainingRun.objects.filter(pk=run.pk).update(cancel_asked_at=NOW)
    assert process_jobs_return(kind=states.TRAININGS, processes=[run.worker], now=NOW) == []
    run.refresh_from_db()
    assert run.state == RunState.CANCELLED


def test_what_waits_is_cancelled_at_once_and_what_runs_however_it_ends(project: Project) -> None:
    """Neither is a cancel lost with the worker nor between turns."""
    run = make_training(project, state=RunState.WAITING)
    assert states.training_cancel(run=run, act=act(run))
    assert (state(run), run.finished_at) == (RunState.CANCELLED, NOW)
    assert job_claim(kind=states.TRAININGS, pk=run.pk, token=0, now=NOW, lease=LEASE) is None
    for end in (stop, give_way, fail_once, lose):
        run = make_training(project, state=RunState.WAITING)
        held = claim(run)
        assert not states.training_cancel(run=run, act=act(run))
        assert state(run) == RunState.RUNNING
        with pytest.raises(CancelAsked):
            job_renew(claim=held, now=NOW, lease=LEASE)
        end(held)
        assert state(run) == RunState.CANCELLED
        assert run.finished_at is not None


@pytest.mark.parametrize("ended", [RunState.FAILED, RunState.CANCELLED])
def test_what_failed_or_was_cancelled_goes_on_from_what_it_told(
    project: Project, ended: RunState
) -> None:
    told = {"rows": [{"stage": "Training"}], "spent": 7200.0}
    run = make_training(
        project, state=ended, told=told, attempts=3, reason="x", cancel_asked_at=NOW
    )
    states.training_retry(run=run, act=act(run))
    assert state(run) == RunState.WAITING
    assert (run.attempts, run.reason, run.cancel_asked_at, run.finished_at) == (0, "", None, None)
    # The time limit counts anew, or it would fail again at once.
    assert run.told == {**told, "spent": 0}


def test_neither_what_is_done_is_tried_again_nor_anything_beside_another(project: Project) -> None:
    done, failed = (make_training(project, state=s) for s in (RunState.DONE, RunState.FAILED))
    with pytest.raises(Refused, match="did not fail"):
        states.training_retry(run=done, act=act(done))
    make_training(project, state=RunState.WAITING)
    with pytest.raises(Refused, match="is running"):
        states.training_retry(run=failed, act=act(failed))
    # The database refuses what a race could bring past that.
    with pytest.raises(IntegrityError), transaction.atomic():
        TrainingRun.objects.filter(pk=failed.pk).update(state=RunState.WAITING)


ACCOUNT = reverse("leaderboard:account") + "?act=notices"


@pytest.fixture
def run_notice(crew: Crew) -> TrainingRun:
    return make_training(crew.project, state=RunState.WAITING, started_by=crew.manager)


def told(user: User) -> list[str]:
    return list(Notice.objects.filter(user=user).order_by("pk").values_list("text", flat=True))


def fail(held: JobClaim, *, final: bool = True) -> None:
    failure = JobFailure("Memory ran out.", "Choose a smaller batch.", final=final)
    job_fail(claim=held, failure=failure, now=NOW)


def second_manager(crew: Crew) -> User:
    user = UserFactory.create(username="mara")
    member_add(project=crew.project, user=user, role=Role.MANAGER)
    return user


def test_a_failure_is_told_once_when_no_attempt_is_left(
    crew: Crew, run_notice: TrainingRun
) -> None:
    for _ in range(MAX_ATTEMPTS - 1):
        fail(claim(run_notice), final=False)
    assert told(crew.manager) == []
    held = claim(run_notice)
    for _ in range(2):
        fail(held, final=False)
    assert told(crew.manager) == ["Training 1 of Project 0 failed. Memory ran out."]
    assert Notice.objects.count() == 1


def test_workers_that_are_killed_are_told_of_once(crew: Crew, run_notice: TrainingRun) -> None:
    for _ in range(MAX_ATTEMPTS):
        assert told(crew.manager) == []
        claim(run_notice)
        for _ in range(2):
            jobs_sweep(kind=states.TRAININGS, now=LATE, requeue_after=REQUEUE)
    (words,) = told(crew.manager)
    assert words == f"Training 1 of Project 0 failed. {states.TRAININGS.worker_lost}"


def stop(held: JobClaim) -> None:
    job_stop(claim=held, told={}, now=NOW)


def give_way(held: JobClaim) -> None:
    job_give_way(claim=held, told={}, now=NOW)


def lose(_held: JobClaim) -> None:
    jobs_sweep(kind=states.TRAININGS, now=LATE, requeue_after=REQUEUE)


def fail_once(held: JobClaim) -> None:
    fail(held, final=False)


@pytest.mark.parametrize("end", [None, stop, give_way, lose, fail_once])
def test_who_started_it_is_told_that_another_cancelled_it(
    crew: Crew, run_notice: TrainingRun, end: Callable[[JobClaim], None] | None
) -> None:
    held = claim(run_notice) if end is not None else None
    states.training_cancel(run=run_notice, act=ProjectAct(second_manager(crew), NOW))
    if end is not None and held is not None:
        assert told(crew.manager) == []
        end(held)
    lose(JobClaim(states.TRAININGS, run_notice.pk, 0))
    said = "Training 1 of Project 0 was cancelled by mara. Nothing was registered."
    assert told(crew.manager) == [said]
    assert Notice.objects.count() == 1


def test_nobody_is_told_what_they_did_or_may_no_longer_see(
    crew: Crew, run_notice: TrainingRun
) -> None:
    states.training_cancel(run=run_notice, act=ProjectAct(crew.manager, NOW))
    second_manager(crew)
    states.training_retry(run=run_notice, act=ProjectAct(crew.manager, NOW))
    Member.objects.filter(project=crew.project, user=crew.manager).update(role=Role.ANNOTATOR)
    fail(claim(run_notice))
    assert Notice.objects.count() == 0


def test_each_try_is_told_of_and_trainings_are_switched_off_for_themselves(
    crew: Crew, run_notice: TrainingRun
) -> None:
    def failed_again() -> int:
        states.training_retry(run=run_notice, act=ProjectAct(crew.manager, NOW))
        fail(claim(run_notice))
        return notices_mail(now=NOW)

    fail(claim(run_notice))
    client = crew.client(crew.manager)
    # What waits is not sent either.
    client.post(ACCOUNT, {"mail_notices": "on"})
    assert failed_again() == 0
    assert len(told(crew.manager)) == 2
    assert User.objects.get(pk=crew.manager.pk).mail_notices
    client.post(ACCOUNT, {"mail_notices": "on", "mail_trainings": "on"})
    assert failed_again() == 1
