"""A long queue heals, and /readyz says what each part of the site does."""

import json
import socket
import time
from datetime import timedelta
from pathlib import Path

import pytest
from celery import Celery
from django.apps import apps
from django.core.cache import cache
from django.db import DatabaseError, connection
from django.test import Client
from django.utils import timezone
from kombu.exceptions import OperationalError
from pytest_django import Settings

import annotation.tasks
import leaderboard.tasks
from leaderboard import job_tasks, tasks
from leaderboard.celery import app
from leaderboard.job_tasks import JobTasks, kinds_sweep
from leaderboard.models import Evaluation, EvaluationState, LeasedJob, Submission, WorkerProcess
from leaderboard.queues import messages_waiting
from leaderboard.selectors.evaluations import readiness as checks
from leaderboard.selectors.evaluations.readiness import oldest_waiting, queues_served, readiness
from leaderboard.services.evaluations.states import submission_retry
from leaderboard.services.workers import worker_seen
from tests.factories import PhaseFactory, TeamFactory, submit
from tests.leaderboard.evaluations.worker_process import EVERYTHING, running_worker

QUEUES = ("cpu", "gpu", "maintenance")


def empty_queues() -> None:
    with app.connection_for_write() as connection:
        for queue in QUEUES:
            connection.default_channel.queue_declare(queue)
            connection.default_channel.queue_purge(queue)


@pytest.fixture
def submission(transactional_db: None) -> Submission:
    empty_queues()
    return submit(PhaseFactory.create(), TeamFactory.create())


def waiting() -> int:
    return sum(map(messages_waiting, ("cpu", "gpu")))


def test_lost_work_is_taken_back_while_evaluations_wait_unserved(
    submission: Submission, tmp_path: Path
) -> None:
    """No worker serves cpu and gpu here: the longest backlog there can be."""
    tasks.submission_enqueue(submission)
    others = submission.evaluations.exclude(family="bleu").values_list("family", "enqueued_at")
    sent = set(others)
    lost = submission.evaluations.filter(family="bleu")
    lost.update(
        state=EvaluationState.RUNNING,
        attempts=1,
        lease_expires_at=timezone.now() - timedelta(seconds=1),
    )
    with running_worker(tmp_path, ("maintenance",)) as worker:
        worker.wait_until(
            lambda: lost.get().state == EvaluationState.PENDING,
            what="the lost evaluation waits again",
        )
        # Sent again once, as lost work always is; then no more while messages wait.
        worker.wait_until(lambda: lost.exclude(enqueued_at=None).exists(), what="it is sent again")
    assert set(others.all()) == sent


def test_what_waits_in_a_long_queue_is_not_sent_again_and_what_was_lost_is(
    submission: Submission, settings: Settings
) -> None:
    settings.REQUEUE_AFTER = timedelta(seconds=60)
    tasks.submission_enqueue(submission)
    count = submission.evaluations.count()
    assert waiting() == count
    long_ago = timezone.now() - timedelta(minutes=10)
    Evaluation.objects.update(enqueued_at=long_ago)
    for _ in range(3):
        kinds_sweep()
    assert waiting() == count
    assert set(Evaluation.objects.values_list("enqueued_at", flat=True)) == {long_ago}
    empty_queues()  # the broker lost its memory
    kinds_sweep()
    assert waiting() == count
    kinds_sweep()
    assert waiting() == count
    # The broker lost some messages while others wait: after the long pause they are sent again.
    Evaluation.objects.update(enqueued_at=long_ago - settings.REQUEUE_AFTER_IN_BACKLOG)
    kinds_sweep()
    assert waiting() == 2 * count


def test_periodic_tasks_have_a_queue_of_their_own_and_never_expire() -> None:
    for entry in app.conf.beat_schedule.values():
        assert "expires" not in entry.get("options", {})
        route = app.amqp.router.route({}, entry["task"])
        assert route["queue"].name == "maintenance"
    assert app.amqp.router.route({}, tasks.notices_mail.name)["queue"].name == "maintenance"


def by_name() -> dict[str, checks.ReadinessCheck]:
    return {check.name: check for check in readiness(now=timezone.now())}


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_runs_makes_the_site_ready(tmp_path: Path) -> None:
    assert Client().get("/readyz").status_code == 503
    with running_worker(tmp_path, EVERYTHING) as worker:
        worker.wait_until(WorkerProcess.objects.exists, what="it says what it serves")
        response = Client().get("/readyz")
    assert WorkerProcess.objects.get().jobs == 1
    assert response.status_code == 200, response.content
    found = json.loads(response.content)
    assert found["ready"] is True
    assert set(found["checks"]) == {"database", "cache", *(f"queue {name}" for name in EVERYTHING)}
    assert found["checks"]["queue cpu"]["detail"].startswith("1 worker serves it; ")
    later = timezone.now() + checks.SEEN_WITHIN + timedelta(seconds=20)
    assert queues_served(later) == {}, "it was killed and is not heard of"


@pytest.mark.django_db
def test_who_is_not_heard_of_for_a_day_is_forgotten() -> None:
    now = timezone.now()
    worker_seen(name="gone:1", queues=["cpu"], jobs=1, now=now - timedelta(days=2))
    worker_seen(name="here:1", queues=["cpu", "gpu"], jobs=1, now=now - timedelta(seconds=15))
    worker_seen(name="here:1", queues=["cpu", "gpu"], jobs=1, now=now)
    worker_seen(name="here:2", queues=["cpu"], jobs=1, now=now)
    assert queues_served(now) == {"cpu": 2, "gpu": 1}
    assert WorkerProcess.objects.count() == 2


@pytest.mark.django_db
def test_it_tells_for_how_long_work_waits() -> None:
    submit(PhaseFactory.create(), TeamFactory.create())
    since = timezone.now() - timedelta(seconds=90)
    Evaluation.objects.filter(family="bleu").update(created_at=since)
    Evaluation.objects.exclude(family="bleu").update(created_at=timezone.now())
    assert "the oldest evaluation waits for 9" in by_name()["queue cpu"].detail
    assert not by_name()["queue cpu"].ok, "nobody serves it"


@pytest.mark.django_db
def test_what_is_retried_waits_from_then_on() -> None:
    now = timezone.now()
    submission = submit(PhaseFactory.create(), TeamFactory.create())
    Evaluation.objects.update(state="failed", created_at=now - timedelta(days=9))
    submission_retry(submission=submission, actor=None, now=now - timedelta(seconds=30))
    assert set(oldest_waiting(now).values()) == {timedelta(seconds=30)}


@pytest.mark.django_db
def test_what_is_away_is_told_and_nothing_else_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_args: object, **_named: object) -> int:
        raise OperationalError

    monkeypatch.setattr(checks, "messages_waiting", away)
    assert "the broker does not answer" in by_name()["queue cpu"].detail
    monkeypatch.setattr(checks, "cache_is_away", lambda: True)
    assert not by_name()["cache"].ok
    assert Client().get("/readyz").status_code == 503
    assert Client().get("/healthz").status_code == 200
    assert Client().get("/").status_code == 200
    cache.clear()


@pytest.mark.django_db
@pytest.mark.parametrize("silent", [True, False], ids=["says nothing", "refuses"])
def test_a_broker_that_is_away_holds_nobody_who_asks(
    monkeypatch: pytest.MonkeyPatch, *, silent: bool
) -> None:
    """Each asked for half a minute once, and a few visitors of /readyz held every page."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        if not silent:
            server.close()
        address = f"redis://127.0.0.1:{server.getsockname()[1] if silent else 1}/0"
        # Celery prefers it to what an app is made with.
        monkeypatch.delenv("CELERY_BROKER_URL", raising=False)
        broker = Celery(broker=address, set_as_current=False)
        monkeypatch.setattr("leaderboard.queues.current_app", broker)
        began = time.monotonic()
        response = Client().get("/readyz")
    assert time.monotonic() - began < 15
    assert response.status_code == 503
    told = json.loads(response.content)["checks"]
    for queue in EVERYTHING:
        assert "the broker does not answer" in told[f"queue {queue}"]["detail"]


@pytest.mark.django_db
def test_without_a_database_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(connection, "cursor", gone)
    response = Client().get("/readyz")
    assert response.status_code == 503
    assert json.loads(response.content)["checks"]["database"]["ok"] is False


def test_every_kind_of_job_is_swept() -> None:
    """A table of jobs of which no task is entered would wait for ever once a worker was lost."""
    assert annotation.tasks.CHECK_TASKS.kind != leaderboard.tasks.JUDGMENTS_TASKS.kind
    swept = [tasks.kind.model for tasks in job_tasks.KINDS]
    jobs = {model for model in apps.get_models() if issubclass(model, LeasedJob)}
    assert set(swept) == jobs
    assert len(swept) == len(jobs)


def test_what_is_wrong_with_one_kind_keeps_no_other_from_its_sweep(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    swept: list[str] = []

    def broken() -> None:
        raise RuntimeError("a column is gone")

    first, second = job_tasks.KINDS[:2]
    kinds = [
        JobTasks(first.kind, first.send, broken),
        JobTasks(second.kind, second.send, lambda: swept.append("second")),
    ]
    monkeypatch.setattr(job_tasks, "KINDS", kinds)
    kinds_sweep()
    assert swept == ["second"]
    assert first.kind.model.__name__ in caplog.text
