"""A long queue heals, and /readyz says what each part of the site does."""

import json
import socket
import time
from datetime import timedelta

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
from leaderboard.models import Evaluation, LeasedJob, Submission, WorkerProcess
from leaderboard.queues import messages_waiting
from leaderboard.selectors.evaluations import readiness as checks
from leaderboard.selectors.evaluations.readiness import oldest_waiting, queues_served, readiness
from leaderboard.services.evaluations.states import submission_retry
from leaderboard.services.workers import worker_seen
from tests.factories import PhaseFactory, TeamFactory, submit
from tests.leaderboard.evaluations.worker_process import EVERYTHING

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


@pytest.mark.django_db
def test_workers_that_are_heard_of_make_the_site_ready() -> None:
    now = timezone.now()
    worker_seen(name="gone:1", queues=["cpu"], jobs=1, now=now - timedelta(days=2))
    worker_seen(name="here:1", queues=["cpu", "gpu"], jobs=1, now=now - timedelta(seconds=15))
    worker_seen(name="here:1", queues=["cpu", "gpu"], jobs=1, now=now)
    worker_seen(name="here:2", queues=["cpu"], jobs=1, now=now)
    assert queues_served(now) == {"cpu": 2, "gpu": 1}
    assert WorkerProcess.objects.count() == 2, "who is not heard of for a day is forgotten"
    assert Client().get("/readyz").status_code == 503
    worker_seen(name="here:3", queues=["maintenance"], jobs=1, now=now)
    response = Client().get("/readyz")
    assert response.status_code == 200, response.content
    found = json.loads(response.content)
    assert found["ready"] is True
    assert set(found["checks"]) == {"database", "cache", *(f"queue {name}" for name in EVERYTHING)}
    assert found["checks"]["queue gpu"]["detail"].startswith("1 worker serves it; ")
    later = now + checks.SEEN_WITHIN + timedelta(seconds=20)
    assert queues_served(later) == {}, "it was killed and is not heard of"


@pytest.mark.django_db
def test_it_tells_for_how_long_work_waits() -> None:
    now = timezone.now()
    submission = submit(PhaseFactory.create(), TeamFactory.create())
    Evaluation.objects.update(created_at=now)
    since = now - timedelta(seconds=90)
    Evaluation.objects.filter(family="bleu").update(created_at=since)
    assert "the oldest evaluation waits for 9" in by_name()["queue cpu"].detail
    assert not by_name()["queue cpu"].ok, "nobody serves it"
    # What is retried waits from then on.
    Evaluation.objects.update(state="failed", created_at=now - timedelta(days=9))
    submission_retry(submission=submission, actor=None, now=now - timedelta(seconds=30))
    assert set(oldest_waiting(now).values()) == {timedelta(seconds=30)}


@pytest.mark.django_db
def test_what_is_away_is_told_and_nothing_else_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_args: object, **_named: object) -> int:
        raise OperationalError

    def gone(*_: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(checks, "messages_waiting", away)
    assert "the broker does not answer" in by_name()["queue cpu"].detail
    monkeypatch.setattr(checks, "cache_is_away", lambda: True)
    assert not by_name()["cache"].ok
    assert Client().get("/readyz").status_code == 503
    assert Client().get("/healthz").status_code == 200
    assert Client().get("/").status_code == 200
    cache.clear()
    monkeypatch.setattr(connection, "cursor", gone)
    response = Client().get("/readyz")
    assert response.status_code == 503
    assert json.loads(response.content)["checks"]["database"]["ok"] is False


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
    assert time.monotonic() - began < 60
    assert response.status_code == 503
    told = json.loads(response.content)["checks"]
    for queue in EVERYTHING:
        assert "the broker does not answer" in told[f"queue {queue}"]["detail"]


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
