"""Time the organisers' pages of a challenge with thousands of submissions.

    python -m tests.bench.bench_judging [--systems 2000] [--requests 10]

The made-up phase of ``tests.bench.site`` in a database of its own: SQLite, or that of
DATABASE_URL (PostgreSQL). Prints queries, median and 95th percentile of each page, then how
long a dry run of one metric takes to open, to compare and to publish, its scores made up.
"""

import argparse
import time
from collections.abc import Callable
from typing import TypeVar

from tests.bench.site import fill, own_database  # isort: skip, sets Django up

import numpy as np
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import EvaluationState, MetricResult, Phase, User
from leaderboard.selectors.organising.rescoring import targets_of
from leaderboard.services.organising.rescoring import rescoring_open, rescoring_publish
from tests.bench.output import say
from tests.factories import UserFactory

T = TypeVar("T")
QUERIES = ("", "?state=partly", "?text=System+19&sort=team", "?page=40", "?kind=system&sort=system")


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=2000)
    parser.add_argument("--requests", type=int, default=10)
    options = parser.parse_args()
    with own_database():
        run(options)


def run(options: argparse.Namespace) -> None:
    """Fill the database, time the pages, then a dry run."""
    phase, _ = fill(options.systems, 10)
    organiser = UserFactory.create()
    phase.challenge.organisers.add(organiser)
    say(f"{options.systems} submissions, {connection.vendor}")
    client = Client()
    client.force_login(organiser)
    page = reverse("leaderboard:manage-submissions", args=[phase.challenge.slug])
    for query in QUERIES:
        timed(f"submissions/{query}", client, page + query, options.requests)
    dry_run(phase, organiser, client, options.requests)


def dry_run(phase: Phase, organiser: User, client: Client, requests: int) -> None:
    """Time a dry run of the metric that decides."""
    args = [phase.challenge.slug, phase.slug]
    rescoring = took(
        "open",
        lambda: rescoring_open(
            phase=phase,
            parameters={"fense": {"penalty": 0.5}},
            reason="Bench",
            actor=organiser,
            now=timezone.now(),
        ),
    )
    timed("progress", client, reverse("leaderboard:manage-rescoring-progress", args=args), requests)
    rows = targets_of(rescoring).evaluations
    draw = np.random.default_rng(3)
    MetricResult.objects.bulk_create(
        MetricResult(
            evaluation=row,
            submission_id=row.submission_id,
            metric="fense",
            value=float(draw.random()),
            low=0.0,
            high=1.0,
            coverage=10,
            clips=10,
            signature=row.signature,
            per_clip=b"",
        )
        for row in rows
    )
    rows.update(state=EvaluationState.DONE, finished_at=timezone.now())
    timed("comparison", client, reverse("leaderboard:manage-rescoring", args=args), requests)
    took(
        "publish",
        lambda: rescoring_publish(
            rescoring=rescoring, accept_failures=False, actor=organiser, now=timezone.now()
        ),
    )


def timed(name: str, client: Client, address: str, requests: int) -> None:
    """Ask for a page again and again."""
    client.get(address)
    with CaptureQueriesContext(connection) as seen:
        answer = client.get(address)
    count = len(seen)
    took_each = []
    for _ in range(requests):
        began = time.perf_counter()
        client.get(address)
        took_each.append((time.perf_counter() - began) * 1000)
    median, late = np.percentile(took_each, (50, 95))
    say(f"{name:40} {answer.status_code} {count:3} queries {median:6.0f} ms, 95 % {late:6.0f} ms")


def took(name: str, work: Callable[[], T]) -> T:
    """Do something once and say how long it took."""
    began = time.perf_counter()
    made = work()
    say(f"{name:40} {time.perf_counter() - began:6.1f} s")
    return made


if __name__ == "__main__":
    main()
