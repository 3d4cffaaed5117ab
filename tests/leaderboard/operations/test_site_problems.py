"""Banners: who is told what keeps the site from its work, and who is not."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.cache import caches
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.models import Evaluation, WorkerProcess
from leaderboard.selectors.operations.site import site_problems
from leaderboard.services.workers import worker_seen
from tests.factories import UserFactory, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.evaluations.worker_process import EVERYTHING, running_worker
from tests.leaderboard.web.test_cache_away import Redis, redis

__all__ = ["redis"]

UNSERVED = "No worker serves gpu"


def told() -> list[str]:
    caches["parts"].clear()
    return [problem.what for problem in site_problems(timezone.now())]


def serve(*queues: str) -> None:
    worker_seen(name="here:1", queues=list(queues), jobs=1, now=timezone.now())


@pytest.fixture
def overview(cast: Cast) -> Callable[[], str]:
    page = cast.managed("overview")
    cast.organiser.is_superuser = True
    cast.organiser.save()
    return lambda: cast.client(cast.organiser).get(page).text


def test_all_is_well_where_every_queue_is_served(cast: Cast, overview: Callable[[], str]) -> None:
    submit(cast.phase, cast.team)
    serve(*EVERYTHING)
    assert told() == []
    assert 'aria-label="The site"' not in overview()


def test_who_serves_nothing_is_named_with_what_waits(cast: Cast) -> None:
    for number in range(2):
        submit(cast.phase, cast.team, name=f"System {number}")
    Evaluation.objects.exclude(family__in=["bert_score", "bleu"]).delete()
    serve("cpu", "maintenance")
    assert told() == ["No worker serves gpu. Waiting: BERTScore of 2 systems."]
    serve("cpu", "gpu")
    assert told() == [
        "No worker serves maintenance: lost work is not taken back, and no mail is sent."
    ]


def test_a_queue_that_is_served_and_old_is_told_with_its_age(cast: Cast) -> None:
    submit(cast.phase, cast.team)
    serve(*EVERYTHING)
    Evaluation.objects.exclude(family__in=["bleu", "rouge_l", "cider_d", "meteor"]).delete()
    Evaluation.objects.update(created_at=timezone.now() - timedelta(minutes=40, seconds=5))
    (what,) = told()
    assert what.startswith("The queue cpu is 40 minutes old. Waiting: ")
    assert what.endswith(", 1 more of 1 system.")


def test_a_database_that_is_behind_is_told(cast: Cast) -> None:
    MigrationRecorder.Migration.objects.filter(name="0016_attempt_counts").delete()
    assert told() == ["The database is 1 migration behind this version."]


def test_a_cache_that_is_away_is_told(
    cast: Cast, redis: Redis, overview: Callable[[], str]
) -> None:
    serve(*EVERYTHING)
    assert "The cache is away" not in overview()
    redis.stop()
    caches["default"].get("anything")
    assert told() == ["The cache is away; limits of use count in each web process."]
    assert "The cache is away" in overview()


def test_administrators_alone_are_told_and_how_to_mend_it(cast: Cast) -> None:
    submission = submit(cast.phase, cast.team)
    phase = [cast.phase.challenge.slug, cast.phase.slug]
    for_everyone = [
        reverse("leaderboard:home"),
        reverse("leaderboard:challenge", args=phase[:1]),
        reverse("leaderboard:board", args=phase),
        reverse("leaderboard:system", args=[submission.public_id]),
    ]
    root = UserFactory.create(is_superuser=True, is_staff=True)
    clerk = UserFactory.create(is_staff=True)
    for person in (None, cast.owner, cast.organiser, root):
        for page in for_everyone:
            assert UNSERVED not in cast.client(person).get(page).text, (person, page)
    managed = reverse("leaderboard:manage")
    assert UNSERVED not in cast.client(cast.organiser).get(managed).text
    admin = reverse("admin:index")
    for page in (managed, admin):
        assert "celery -A leaderboard worker -Q gpu" in cast.client(root).get(page).text
    assert UNSERVED not in cast.client(clerk).get(admin).text
    assert UNSERVED not in Client().get(reverse("admin:login")).text


def test_it_costs_few_queries_and_none_for_some_seconds(
    cast: Cast, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(3):
        submit(cast.phase, cast.team, name=f"System {number}")
    told()
    caches["parts"].clear()
    with django_assert_num_queries(8):
        site_problems(timezone.now())
    with django_assert_num_queries(0):
        site_problems(timezone.now())


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_starts_ends_it(tmp_path: Path) -> None:
    assert told() == [
        "No worker serves maintenance: lost work is not taken back, and no mail is sent."
    ]
    with running_worker(tmp_path, EVERYTHING) as worker:
        worker.wait_until(WorkerProcess.objects.exists, what="it says what it serves")
        assert told() == []
