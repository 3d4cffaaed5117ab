"""Trainings that several take, start or cancel at the same time, on the real database."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest
from django.db import connection

from annotation.models import Project, RunState, TrainingRun
from annotation.selectors.training.material import LabelSource, TrainingSelection
from annotation.services.projects import ProjectAct
from annotation.services.training import states
from annotation.services.training.start import TrainingOptions, training_start
from leaderboard.lease_heartbeat import CancelAsked
from leaderboard.services.jobs.states import JobClaim, job_claim, job_renew
from tests.annotation.conftest import LEASE, NOW, make_project
from tests.annotation.trained import easy_texts, label_easily, make_training
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 8
T = TypeVar("T")


def at_once(work: Callable[[], T]) -> list[T]:
    """Do something from many threads at the same time, each with its own connection."""
    together = threading.Barrier(MANY)

    def one() -> T:
        together.wait()
        try:
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(MANY) as pool:
        return [future.result() for future in [pool.submit(one) for _ in range(MANY)]]


def succeeds(work: Callable[[], object]) -> bool:
    try:
        work()
    except states.NothingToDo:
        return False
    return True


@pytest.fixture
def project(transactional_db: None) -> Project:
    manager = UserFactory.create()
    project = make_project(manager, texts=easy_texts(20), copies=1)
    label_easily(list(project.items.all()), manager)
    return project


def act(project: Project) -> ProjectAct:
    return ProjectAct(project.members.get().user, NOW)


def test_of_many_workers_one_gets_a_training(project: Project) -> None:
    run = make_training(project, state=RunState.WAITING)
    claims = at_once(
        lambda: job_claim(kind=states.TRAININGS, pk=run.pk, token=0, now=NOW, lease=LEASE)
    )
    assert sum(claim is not None for claim in claims) == 1
    run.refresh_from_db()
    assert (run.token, run.attempts) == (1, 1)


def test_of_many_starts_one_begins_and_the_others_are_told_why(project: Project) -> None:
    started = at_once(
        lambda: succeeds(
            lambda: training_start(
                project=project,
                chosen=TrainingSelection(LabelSource.ACCEPTED),
                options=TrainingOptions("x"),
                act=act(project),
            )
        )
    )
    assert sum(started) == 1
    assert TrainingRun.objects.get().number == 1


def test_of_many_tries_again_one_goes_on(project: Project) -> None:
    run = make_training(project, state=RunState.FAILED)
    other = make_training(project, state=RunState.CANCELLED)
    tried = at_once(lambda: succeeds(lambda: states.training_retry(run=run, act=act(project))))
    assert sum(tried) == 1
    assert not succeeds(lambda: states.training_retry(run=other, act=act(project)))


def test_a_cancel_and_a_claim_at_once_never_leave_a_training_that_nobody_stops(
    project: Project,
) -> None:
    """Whoever is first: it is cancelled, or it runs and knows that it is to stop."""
    run = make_training(project, state=RunState.WAITING)
    lock = threading.Lock()
    cancels = [True]

    def either() -> None:
        with lock:
            cancel = bool(cancels and cancels.pop())
        if cancel:
            states.training_cancel(run=run, act=act(project))
        else:
            job_claim(kind=states.TRAININGS, pk=run.pk, token=0, now=NOW, lease=LEASE)

    at_once(either)
    run.refresh_from_db()
    assert run.cancel_asked_at == NOW
    assert run.state in {RunState.CANCELLED, RunState.RUNNING}
    if run.state == RunState.RUNNING:
        claim = JobClaim(states.TRAININGS, run.pk, run.token)
        with pytest.raises(CancelAsked):
            job_renew(claim=claim, now=NOW, lease=LEASE)
