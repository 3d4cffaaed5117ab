"""Who started a training is told how it ended: once, whatever becomes of workers and mail."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core import mail
from django.urls import reverse

from annotation.models import Member, Role, RunState, TrainingRun
from annotation.services.projects import ProjectAct, member_add
from annotation.services.training import states
from leaderboard.models import Notice, User
from leaderboard.services.jobs.states import (
    MAX_ATTEMPTS,
    JobClaim,
    JobFailure,
    job_claim,
    job_fail,
    job_give_way,
    job_stop,
    jobs_sweep,
)
from leaderboard.services.people.notices import notices_mail
from tests.annotation.conftest import LEASE, NOW, Crew
from tests.annotation.trained import make_training
from tests.factories import UserFactory

LATE = NOW + LEASE + timedelta(seconds=1)
REQUEUE = timedelta(minutes=1)
ACCOUNT = reverse("leaderboard:account-notices")


@pytest.fixture
def run(crew: Crew) -> TrainingRun:
    return make_training(crew.project, state=RunState.WAITING, started_by=crew.manager)


def told(user: User) -> list[str]:
    return list(Notice.objects.filter(user=user).order_by("pk").values_list("text", flat=True))


def claim(run: TrainingRun) -> JobClaim:
    run.refresh_from_db()
    found = job_claim(kind=states.TRAININGS, pk=run.pk, token=run.token, now=NOW, lease=LEASE)
    assert found is not None
    return found


def fail(held: JobClaim, *, final: bool = True) -> None:
    failure = JobFailure("Memory ran out.", "Choose a smaller batch.", final=final)
    job_fail(claim=held, failure=failure, now=NOW)


def second_manager(crew: Crew) -> User:
    user = UserFactory.create(username="mara")
    member_add(project=crew.project, user=user, role=Role.MANAGER)
    return user


def test_a_failure_is_told_once_when_no_attempt_is_left(crew: Crew, run: TrainingRun) -> None:
    for _ in range(MAX_ATTEMPTS - 1):
        fail(claim(run), final=False)
    assert told(crew.manager) == []
    held = claim(run)
    for _ in range(2):
        fail(held, final=False)
    assert told(crew.manager) == ["Training 1 of Project 0 failed. Memory ran out."]
    assert Notice.objects.count() == 1


def test_workers_that_are_killed_are_told_of_once(crew: Crew, run: TrainingRun) -> None:
    for _ in range(MAX_ATTEMPTS):
        assert told(crew.manager) == []
        claim(run)
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
    crew: Crew, run: TrainingRun, end: Callable[[JobClaim], None] | None
) -> None:
    held = claim(run) if end is not None else None
    states.training_cancel(run=run, act=ProjectAct(second_manager(crew), NOW))
    if end is not None and held is not None:
        assert told(crew.manager) == []
        end(held)
    lose(JobClaim(states.TRAININGS, run.pk, 0))
    said = "Training 1 of Project 0 was cancelled by mara. Nothing was registered."
    assert told(crew.manager) == [said]
    assert Notice.objects.count() == 1


def test_nobody_is_told_what_they_did_or_may_no_longer_see(crew: Crew, run: TrainingRun) -> None:
    states.training_cancel(run=run, act=ProjectAct(crew.manager, NOW))
    second_manager(crew)
    states.training_retry(run=run, act=ProjectAct(crew.manager, NOW))
    Member.objects.filter(project=crew.project, user=crew.manager).update(role=Role.ANNOTATOR)
    fail(claim(run))
    assert Notice.objects.count() == 0


def test_one_that_is_tried_again_is_told_again(crew: Crew, run: TrainingRun) -> None:
    fail(claim(run))
    states.training_retry(run=run, act=ProjectAct(crew.manager, NOW))
    fail(claim(run))
    assert len(told(crew.manager)) == 2


def test_the_mail_and_the_notice_lead_to_the_training(crew: Crew, run: TrainingRun) -> None:
    fail(claim(run))
    page = reverse("annotation:training", args=[crew.project.slug, 1])
    assert notices_mail(now=NOW) == 1
    assert notices_mail(now=LATE) == 0
    [message] = mail.outbox
    assert message.to == [crew.manager.email]
    assert message.subject == "Earmark: Project 0, training 1"
    assert f"http://127.0.0.1:8000{page}" in message.body
    assert "Memory ran out." in message.body
    client = crew.client(crew.manager)
    listed = client.get(reverse("leaderboard:notices")).content.decode()
    assert "Project 0, training 1" in listed
    opened = client.get(reverse("leaderboard:notice", args=[Notice.objects.get().pk]))
    assert opened["Location"] == page
    assert client.get(page).status_code == 200


def test_trainings_are_switched_off_for_themselves(crew: Crew, run: TrainingRun) -> None:
    fail(claim(run))
    client = crew.client(crew.manager)
    # What waits is not sent either.
    client.post(ACCOUNT, {"mail_notices": "on"})
    states.training_retry(run=run, act=ProjectAct(crew.manager, NOW))
    fail(claim(run))
    assert notices_mail(now=NOW) == 0
    assert len(told(crew.manager)) == 2
    assert User.objects.get(pk=crew.manager.pk).mail_notices
    client.post(ACCOUNT, {"mail_notices": "on", "mail_trainings": "on"})
    states.training_retry(run=run, act=ProjectAct(crew.manager, NOW))
    fail(claim(run))
    assert notices_mail(now=NOW) == 1
