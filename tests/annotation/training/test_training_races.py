"""Trainings that several take, start or cancel at the same time, on the real database."""

import threading
from datetime import datetime
from pathlib import Path

import pytest
from django.utils import timezone

from annotation import tasks
from annotation.models import Project, RunState, TrainingRun
from annotation.selectors.training.material import LabelSource, TrainingSelection
from annotation.services.projects import ProjectAct
from annotation.services.training import states
from annotation.services.training.attempt import folder_of, plan_of
from annotation.services.training.reports import sets_of
from annotation.services.training.states import TrainingOptions, training_start
from earmark.models.descriptors import find_labeller
from earmark.train.descriptors import TrainingEnvironment, run_training
from leaderboard.leases import CancelAsked
from leaderboard.models import EvaluationState, Labeller, Notice
from leaderboard.services.jobs.states import JobClaim, job_claim, job_renew
from leaderboard.tasks import submission_enqueue
from tests.annotation.conftest import LEASE, NOW, make_project
from tests.annotation.trained import easy_texts, label_easily, make_training
from tests.factories import PhaseFactory, TeamFactory, UserFactory, submit
from tests.leaderboard.at_once import at_once, outcomes
from tests.leaderboard.evaluations.worker_process import running_worker

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 8
REFUSALS = ["Refused"] * (MANY - 1)


@pytest.fixture
def project(transactional_db: None) -> Project:
    manager = UserFactory.create()
    project = make_project(manager, texts=easy_texts(40), copies=1)
    label_easily(list(project.items.all()), manager)
    return project


def act(project: Project, now: datetime = NOW) -> ProjectAct:
    return ProjectAct(project.members.get().user, now)


def test_of_many_workers_one_gets_a_training_and_of_many_tries_again_one_goes_on(
    project: Project,
) -> None:
    run = make_training(project, state=RunState.FAILED)
    other = make_training(project, state=RunState.CANCELLED)
    one = [lambda: states.training_retry(run=run, act=act(project))] * MANY
    assert sorted(outcomes(*one)) == ["", *REFUSALS]
    assert outcomes(lambda: states.training_retry(run=other, act=act(project))) == REFUSALS[:1]
    claim = [lambda: job_claim(kind=states.TRAININGS, pk=run.pk, token=0, now=NOW, lease=LEASE)]
    assert sum(claim is not None for claim in at_once(*claim * MANY)) == 1
    run.refresh_from_db()
    assert (run.token, run.attempts) == (1, 1)


def test_of_many_starts_one_begins_and_the_others_are_told_why(project: Project) -> None:
    assert sorted(outcomes(*[lambda: started(project)] * MANY)) == ["", *REFUSALS]
    assert TrainingRun.objects.get().number == 1


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

    assert at_once(*[either] * MANY) == [None] * MANY
    run.refresh_from_db()
    assert run.cancel_asked_at == NOW
    assert run.state in {RunState.CANCELLED, RunState.RUNNING}
    if run.state == RunState.RUNNING:
        claim = JobClaim(states.TRAININGS, run.pk, run.token)
        with pytest.raises(CancelAsked):
            job_renew(claim=claim, now=NOW, lease=LEASE)


EPOCHS = 12
LONG = TrainingOptions("killed", epochs=EPOCHS, batch=8)


@pytest.fixture(autouse=True)
def no_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no training give way to others on a slow machine, where a test does not ask for it."""
    monkeypatch.setenv("EARMARK_TRAINING_TURN_SECONDS", "3600")


def started(project: Project, options: TrainingOptions = LONG) -> TrainingRun:
    run = training_start(
        project=project,
        chosen=TrainingSelection(LabelSource.ACCEPTED),
        options=options,
        act=act(project, timezone.now()),
    )
    tasks.TRAINING_TASKS.enqueue(run.pk)
    return run


def epochs_of(run: TrainingRun) -> int:
    run.refresh_from_db()
    return sum(row["ended"] for row in run.told.get("rows", []))


def test_a_worker_killed_in_the_middle_of_a_training_loses_nothing(
    project: Project, tmp_path: Path
) -> None:
    """The next worker goes on, and the labeller is that of a training nobody disturbed."""
    run = started(project)
    with running_worker(tmp_path) as worker:
        worker.wait_until(lambda: epochs_of(run) >= 3, what="three epochs end")
        worker.kill()
    before = epochs_of(run)
    assert run.state == RunState.RUNNING
    assert before < EPOCHS
    assert not Labeller.objects.exists()
    with running_worker(tmp_path) as worker:
        worker.wait_until(
            lambda: TrainingRun.objects.get(pk=run.pk).state == RunState.DONE,
            what="another worker ends the training",
        )
        # It is done a moment before its work is thrown away.
        worker.wait_until(lambda: not folder_of(run).exists(), what="nothing is left behind")
    assert epochs_of(run) == EPOCHS
    assert (run.attempts, run.token, run.reason) == (2, 2, "")
    assert Notice.objects.get().user == run.started_by
    undisturbed = tmp_path / "undisturbed"
    run_training(
        sets_of(run), plan_of(run), undisturbed, environment=TrainingEnvironment(device="cpu")
    )
    assert run.labeller is not None
    assert run.labeller.identity == find_labeller(str(undisturbed)).identity


def test_a_submission_is_scored_while_a_training_goes_on(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One worker does both, and participants do not wait for the end of the training."""
    monkeypatch.setenv("EARMARK_TRAINING_TURN_SECONDS", "1")
    run = started(project, TrainingOptions("endless", epochs=2_000, batch=8))
    submission = submit(PhaseFactory.create(), TeamFactory.create())

    def scored() -> bool:
        states = set(submission.evaluations.values_list("state", flat=True))
        return states == {EvaluationState.DONE}

    with running_worker(tmp_path) as worker:
        worker.wait_until(lambda: epochs_of(run) >= 1, what="an epoch ends")
        submission_enqueue(submission)
        worker.wait_until(scored, what="the submission is scored")
    run.refresh_from_db()
    assert run.state in {RunState.WAITING, RunState.RUNNING}
    assert run.reason == ""
