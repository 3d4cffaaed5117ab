"""/prometheus: for whom it is open, what it tells, and that real processes add up."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.db import DatabaseError, connection
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.utils import timezone
from kombu.exceptions import OperationalError
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import DjangoAssertNumQueries, Settings

from earmark.errors import ResourceMissing, ScoringError
from leaderboard.models import AttemptCount, AttemptOutcome, Evaluation, Submission
from leaderboard.selectors.operations import site as figures
from leaderboard.services.evaluations import attempts
from leaderboard.services.evaluations.attempts import evaluation_attempt
from leaderboard.services.evaluations.states import evaluations_sweep
from leaderboard.services.workers import attempt_count, worker_seen
from leaderboard.views.health import may_read_figures
from leaderboard.web.request_counts import UPLOADS_REFUSED
from tests.factories import CANDIDATES, TeamFactory, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.web.served_site import served_site
from tests.leaderboard.web.test_cache_away import Redis, redis
from tests.leaderboard.web.test_upload_turns import Readers
from tests.real_data import ROOT
from tests.waiting import answered

__all__ = ["redis"]

TOKEN = "a token that nobody guesses"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


@pytest.fixture
def opened(settings: Settings) -> None:
    settings.PROMETHEUS_TOKEN = TOKEN


def samples_of(text: str) -> Samples:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scrape() -> Samples:
    response = Client().get("/prometheus", headers=BEARER)
    assert response.status_code == 200
    return samples_of(response.text)


def sample(found: Samples, name: str, **labels: str) -> float | None:
    return found.get((name, frozenset(labels.items())))


@pytest.fixture
def submission(cast: Cast) -> Submission:
    return submit(cast.phase, cast.team, user=cast.member)


# -- For whom it is open --------------------------------------------------------


@pytest.mark.django_db
def test_it_is_there_for_who_has_the_token_alone(settings: Settings) -> None:
    assert Client().get("/prometheus", headers=BEARER).status_code == 404, "closed by default"
    assert Client().get("/prometheus", headers={"Authorization": "Bearer "}).status_code == 404
    settings.PROMETHEUS_TOKEN = TOKEN
    for wrong in ("", "Bearer", f"Bearer {TOKEN} ", f"Basic {TOKEN}", TOKEN, "Bearer é"):
        answer = Client().get("/prometheus", headers={"Authorization": wrong})
        assert (answer.status_code, TOKEN in answer.text) == (404, False), wrong
    answer = Client().get("/prometheus", headers=BEARER)
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=")
    assert "no-store" in answer["Cache-Control"]
    assert Client().get("/metrics/").status_code == 200, "the page of caption metrics is another"


def asking(address: str, **headers: str) -> HttpRequest:
    return RequestFactory().get("/prometheus", REMOTE_ADDR=address, headers=headers)


def test_networks_count_by_the_address_that_proxies_we_trust_give(settings: Settings) -> None:
    settings.PROMETHEUS_NETWORKS = [ip_network("10.1.0.0/16"), ip_network("fd00::/8")]
    assert may_read_figures(asking("10.1.2.3"))
    assert may_read_figures(asking("fd00::7"))
    assert not may_read_figures(asking("10.2.0.1"))
    assert not may_read_figures(asking("10.2.0.1", **{"X-Forwarded-For": "10.1.2.3"}))
    settings.PROMETHEUS_TOKEN = TOKEN
    assert not may_read_figures(asking("10.1.2.3")), "both are needed where both are set"
    assert not may_read_figures(asking("10.2.0.1", **BEARER))
    assert may_read_figures(asking("10.1.2.3", **BEARER))


def test_a_network_that_is_none_is_named_at_the_start(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "EARMARK_VAR": str(tmp_path),
        "EARMARK_PROMETHEUS_NETWORKS": "10.0.0.300",
    }
    command = [sys.executable, "-c", "import leaderboard.settings"]
    ended = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode != 0
    assert "EARMARK_PROMETHEUS_NETWORKS: '10.0.0.300'" in ended.stderr


# -- What it tells --------------------------------------------------------------


def test_it_tells_what_waits_for_how_long_and_who_serves(
    submission: Submission, opened: None
) -> None:
    now = timezone.now()
    Evaluation.objects.update(created_at=now - timedelta(minutes=40))
    waiting = submission.evaluations.count()
    worker_seen(name="here:1", queues=["cpu"], jobs=2, now=now)
    worker_seen(name="gone:1", queues=["gpu"], jobs=2, now=now - timedelta(minutes=5))
    found = scrape()
    for_cpu, for_gpu = (
        sample(found, "earmark_evaluations", queue=queue, state="waiting") or 0
        for queue in ("cpu", "gpu")
    )
    assert for_cpu
    assert for_gpu
    assert for_cpu + for_gpu == waiting
    assert (sample(found, "earmark_queue_oldest_seconds", queue="cpu") or 0) >= 2400
    assert sample(found, "earmark_queue_workers", queue="cpu") == 1
    assert sample(found, "earmark_queue_workers", queue="gpu") == 0
    assert sample(found, "earmark_queue_workers", queue="maintenance") == 0
    assert sample(found, "earmark_trainings", state="running") == 0
    for part in ("database", "cache", "broker"):
        assert sample(found, "earmark_part_answers", part=part) == 1


def test_attempts_are_counted_by_how_they_end(
    submission: Submission, opened: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    vocab = submission.evaluations.get(family="vocab")
    evaluation_attempt(evaluation_id=vocab.pk)

    def fail(error: Exception) -> None:
        def raising(*_: object) -> None:
            raise error

        monkeypatch.setattr(attempts, "_scores", raising)
        Evaluation.objects.filter(pk=vocab.pk).update(state="pending", attempts=0)
        evaluation_attempt(evaluation_id=vocab.pk)

    for error in (
        ResourceMissing("gone"),
        MemoryError(),
        KeyError("x"),
        ScoringError("unreadable"),
    ):
        fail(error)
    Evaluation.objects.filter(pk=vocab.pk).update(
        state="running", lease_expires_at=timezone.now() - timedelta(seconds=1)
    )
    evaluations_sweep(now=timezone.now(), requeue_after=lambda _: timedelta())
    found = scrape()
    ends = {
        dict(labels)["outcome"]: value
        for (name, labels), value in found.items()
        if name == "earmark_attempt_seconds_count"
    }
    outcomes = ("done", "model_missing", "memory", "unexpected", "refused", "worker_lost")
    assert ends == dict.fromkeys(outcomes, 1)


def test_times_add_up_in_the_buckets_of_a_family(db: None, opened: None) -> None:
    for seconds in (0.2, 2, 2.5, 40, 5000):
        attempt_count(family="bleu", outcome=AttemptOutcome.DONE, took=timedelta(seconds=seconds))
    found = scrape()
    names = {"family": "bleu", "outcome": "done"}
    bucket = "earmark_attempt_seconds_bucket"
    assert [
        sample(found, bucket, **names, le=bound) for bound in ("1.0", "3.0", "30.0", "100.0")
    ] == [1, 3, 3, 4]
    assert sample(found, bucket, **names, le="+Inf") == 5
    assert sample(found, "earmark_attempt_seconds_sum", **names) == pytest.approx(5044.7)
    assert AttemptCount.objects.count() == 4, "a row for each bucket that is used"


def test_it_costs_as_many_queries_however_much_there_is(
    cast: Cast, opened: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    submit(cast.phase, cast.team)
    with django_assert_num_queries(6):
        [*figures.site_metrics(timezone.now())]
    for number in range(4):
        submit(cast.phase, TeamFactory.create(), name=f"System {number}")
    with django_assert_num_queries(6):
        [*figures.site_metrics(timezone.now())]


def test_nobody_is_told_of_anybody(cast: Cast, submission: Submission, opened: None) -> None:
    evaluation_attempt(evaluation_id=submission.evaluations.get(family="vocab").pk)
    text = Client().get("/prometheus", headers=BEARER).text
    people = (cast.owner, cast.member, cast.organiser)
    hidden = [cast.team.name, cast.team.slug, cast.phase.challenge.slug, submission.public_id]
    hidden += [submission.system_name, *(person.username for person in people)]
    hidden += CANDIDATES.decode().split("\n")[1].split(",")
    assert [word for word in hidden if word in text] == []
    labels = {name for sample in samples_of(text) for name, _ in sample[1]}
    known = {"family", "le", "method", "outcome", "part", "queue", "reason", "state", "status"}
    assert labels <= known | {"version", "view"}


@pytest.mark.django_db
def test_what_is_away_is_told_and_the_rest_goes_on(
    opened: None, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sample(scrape(), "earmark_part_answers", part="cache") == 1
    redis.stop()

    def away(*_: object) -> int:
        raise OperationalError

    monkeypatch.setattr(figures, "messages_waiting", away)
    found = scrape()
    assert sample(found, "earmark_part_answers", part="cache") == 0
    assert sample(found, "earmark_part_answers", part="broker") == 0
    assert sample(found, "earmark_part_answers", part="database") == 1

    def gone(*_: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(connection, "cursor", gone)
    found = scrape()
    assert sample(found, "earmark_part_answers", part="database") == 0
    assert sample(found, "earmark_queue_workers", queue="cpu") is None


# -- Processes add up -----------------------------------------------------------

PROCESSES, EACH = 2, 15
SERVED: dict[str, Any] = {"EARMARK_PROMETHEUS_TOKEN": TOKEN, "WEB_CONCURRENCY": str(PROCESSES)}


def ask(port: int, path: str) -> str:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=BEARER)
    with urllib.request.urlopen(request) as answer:
        return str(answer.read().decode())


def counted(port: int) -> float:
    name = "earmark_request_seconds_count"
    labels = {"view": "leaderboard:healthz", "method": "GET", "status": "200"}
    return sample(samples_of(ask(port, "/prometheus")), name, **labels) or 0


@pytest.mark.django_db(transaction=True)
def test_processes_add_up_also_those_that_were_killed(tmp_path: Path) -> None:
    with served_site(tmp_path, **SERVED) as (port, server):
        before = counted(port)
        for _ in range(EACH):
            ask(port, "/healthz")
        assert counted(port) == before + EACH
        children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)
        for _ in range(EACH):
            answered(lambda: ask(port, "/healthz"))  # not by the one that was killed
        assert counted(port) >= before + 2 * EACH
    files = sorted(path.name for path in (tmp_path / "counts").glob("histogram_*"))
    assert len(files) <= PROCESSES, "who comes after a process goes on with its file"
    damaged = tmp_path / "counts" / files[0]
    damaged.write_bytes(b"\xff\x00\x00\x00" + os.urandom(200))
    with served_site(tmp_path, **SERVED) as (port, _):
        assert counted(port) >= 1, "what cannot be read any more keeps nobody from asking"


# -- What the guide says --------------------------------------------------------


def test_the_guide_names_what_there_is(submission: Submission, opened: None) -> None:
    evaluation_attempt(evaluation_id=submission.evaluations.get(family="vocab").pk)
    guide = (ROOT / "docs" / "guides" / "operating.md").read_text(encoding="utf-8")
    # Counted by web processes, of which there is none here.
    there = {name for name, _ in scrape()} | {
        "earmark_request_seconds_count",
        "earmark_request_seconds_bucket",
        "earmark_uploads_refused_total",
    }
    families = {re.sub("_(count|bucket|sum)$", "", name) for name in there}
    named = set(re.findall(r"\bearmark_\w+", guide)) - {"earmark_device"}  # a cookie
    assert named <= there | families
    assert families <= named, "each is in the guide"
    rules = next(
        yaml.safe_load(block)
        for block in re.findall(r"```yaml\n(.*?)```", guide, re.DOTALL)
        if "groups:" in block
    )
    alerts = [rule for group in rules["groups"] for rule in group["rules"]]
    assert len(alerts) >= 3
    for alert in alerts:
        assert alert.keys() >= {"alert", "expr", "for", "annotations"}


def test_files_that_are_refused_are_counted() -> None:
    def refused() -> float:
        return sum(
            one.value
            for family in UPLOADS_REFUSED.collect()
            for one in family.samples
            if one.name == "earmark_uploads_refused_total"
        )

    before, readers = refused(), Readers()
    readers.start(10)
    readers.end()
    assert refused() - before == len(readers.busy)
    assert readers.busy
