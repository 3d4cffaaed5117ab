"""/readyz: what each part of the site says, with a real worker that comes and goes."""

import json
import socket
import time
from datetime import timedelta
from pathlib import Path

import pytest
from celery import Celery
from django.core.cache import cache
from django.db import DatabaseError, connection
from django.test import Client
from django.utils import timezone
from kombu.exceptions import OperationalError

from leaderboard.models import Evaluation, WorkerProcess
from leaderboard.selectors.evaluations import readiness as checks
from leaderboard.selectors.evaluations.readiness import oldest_waiting, queues_served, readiness
from leaderboard.services.evaluations.states import submission_retry
from leaderboard.services.workers import worker_seen
from tests.factories import PhaseFactory, TeamFactory, submit
from tests.leaderboard.evaluations.worker_process import EVERYTHING, running_worker


def by_name() -> dict[str, checks.ReadinessCheck]:
    return {check.name: check for check in readiness(now=timezone.now())}


@pytest.mark.with_services
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
