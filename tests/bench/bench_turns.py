"""Time who is next, and what a waiting submission is told, with thousands that wait.

    python -m tests.bench.bench_turns [--submissions 2000] [--waiting 10000]

Made-up submissions of 200 teams in ten challenges in a database of its own: SQLite, or that of
DATABASE_URL (PostgreSQL). The latest wait, the others are scored.
"""

import argparse
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from tests.bench import site  # isort: skip, sets Django up

import numpy as np
from django.core.cache import caches
from django.db import connection
from django.utils import timezone

from earmark.registry import FAMILIES
from leaderboard.models import Evaluation, EvaluationState, Submission
from leaderboard.selectors.evaluations.turns import next_in_turn
from leaderboard.selectors.evaluations.waiting_time import KEY, waiting_time
from tests.bench.output import say
from tests.factories import PhaseFactory

CHALLENGES, TEAMS, CLIPS, TIMES = 10, 200, 1045, 30


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--submissions", type=int, default=2000)
    parser.add_argument("--waiting", type=int, default=10_000)
    options = parser.parse_args()
    with site.own_database():
        run(options)


def run(options: argparse.Namespace) -> None:
    """Fill the database and time the queries."""
    fill(options.submissions, options.waiting)
    waiting = Evaluation.objects.filter(state=EvaluationState.PENDING).count()
    say(f"{connection.vendor}: {options.submissions} submissions, {waiting} evaluations wait")
    last = Submission.objects.select_related("phase").order_by("pk").last()
    assert last is not None
    acts: dict[str, Callable[[], object]] = {
        "a new turn": lambda: next_in_turn(queues=["cpu"], current=None),
        "a turn goes on": lambda: next_in_turn(queues=["cpu"], current=last.pk),
        "all that waits": lambda: told(last, anew=True),
        "told again within 5 s": lambda: told(last, anew=False),
    }
    for name, act in acts.items():
        say(f"{name:24} {timed(act)}")


def told(submission: Submission, *, anew: bool) -> None:
    """Read what the page of a submission says of its place and time."""
    if anew:
        caches["parts"].delete(KEY)
    waiting_time(submission, submission.evaluations.all(), timezone.now())


def timed(act: Callable[[], object]) -> str:
    """Do something some times; sum up what it took."""
    _, queries = site.with_queries(act)
    times = [site.once(act)[0] for _ in range(TIMES)]
    p50, p95 = np.percentile(times, [50, 95])
    return f"{queries} queries, median {p50:.1f} ms, p95 {p95:.1f} ms"


def fill(submissions: int, waiting: int) -> None:
    """Store submissions with evaluations: the latest wait, the others are done."""
    now = timezone.now()
    phases = PhaseFactory.create_batch(CHALLENGES)
    teams = site.made_teams(TEAMS)
    rows = site.made_submissions(
        (
            phases[n % CHALLENGES],
            teams[n * 7 % TEAMS],
            now - timedelta(minutes=submissions - n),
            {},
        )
        for n in range(submissions)
    )
    first_waiting = submissions - waiting // len(FAMILIES)
    Evaluation.objects.bulk_create(
        (
            Evaluation(
                submission=row,
                family=family,
                reference_hash="r",
                signature=f"{family}|bench",
                created_at=row.created_at,
                clips_total=CLIPS,
                **({} if n >= first_waiting else scored(now - timedelta(seconds=submissions - n))),
            )
            for n, row in enumerate(rows)
            for family in FAMILIES
        ),
        batch_size=1000,
    )
    site.analyse()


def scored(at: datetime) -> dict[str, Any]:
    """Fields of an evaluation that ended at a moment."""
    return {
        "state": EvaluationState.DONE,
        "started_at": at - timedelta(seconds=3),
        "finished_at": at,
        "attempts": 1,
        "clips_done": CLIPS,
    }


if __name__ == "__main__":
    main()
