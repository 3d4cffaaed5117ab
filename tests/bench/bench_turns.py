"""Time who is next, and what a waiting submission is told, with thousands that wait.

    python -m tests.bench.bench_turns [--submissions 2000] [--waiting 10000]

Made-up submissions of 200 teams in ten challenges in a database of its own: SQLite, or that of
DATABASE_URL (PostgreSQL). The latest wait, the others are scored.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
import django

django.setup()

import numpy as np  # noqa: E402
from django.core.cache import caches  # noqa: E402
from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from leaderboard.models import (  # noqa: E402
    Evaluation,
    EvaluationState,
    StoredFile,
    Submission,
    Team,
)
from leaderboard.selectors.evaluations.backlog import KEY  # noqa: E402
from leaderboard.selectors.evaluations.turns import next_in_turn  # noqa: E402
from leaderboard.selectors.evaluations.waiting_time import waiting_time  # noqa: E402
from scoring.registry import FAMILIES  # noqa: E402
from tests.factories import PhaseFactory  # noqa: E402

CHALLENGES, TEAMS, CLIPS, TIMES = 10, 200, 1045, 30


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--submissions", type=int, default=2000)
    parser.add_argument("--waiting", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        connection.settings_dict["TEST"]["NAME"] = (
            str(Path(folder) / "bench.sqlite3") if connection.vendor == "sqlite" else None
        )
        database = connection.settings_dict["NAME"]
        connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
        try:
            run(options)
        finally:
            connection.creation.destroy_test_db(database, verbosity=0)


def run(options: argparse.Namespace) -> None:
    """Fill the database and time the queries."""
    fill(options.submissions, options.waiting)
    waiting = Evaluation.objects.filter(state=EvaluationState.PENDING).count()
    say(f"{connection.vendor}: {options.submissions} submissions, {waiting} evaluations wait")
    last = Submission.objects.select_related("phase").order_by("pk").last()
    assert last is not None
    acts: dict[str, Callable[[], object]] = {
        "a new turn": lambda: next_in_turn(queue="cpu", current=None),
        "a turn goes on": lambda: next_in_turn(queue="cpu", current=last.pk),
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
    asked: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        asked.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        act()
    times = []
    for _ in range(TIMES):
        began = time.perf_counter()
        act()
        times.append(1000 * (time.perf_counter() - began))
    p50, p95 = np.percentile(times, [50, 95])
    return f"{len(asked)} queries, median {p50:.1f} ms, p95 {p95:.1f} ms"


def fill(submissions: int, waiting: int) -> None:
    """Store submissions with evaluations: the latest wait, the others are done."""
    now = timezone.now()
    phases = PhaseFactory.create_batch(CHALLENGES)
    teams = Team.objects.bulk_create(
        Team(slug=f"bench-{n}", name=f"Team {n:04}") for n in range(TEAMS)
    )
    file = StoredFile.objects.create(sha256="0" * 64, content=b"", size=0)
    rows = Submission.objects.bulk_create(
        Submission(
            phase=phases[n % CHALLENGES],
            team=teams[n * 7 % TEAMS],
            system_name=f"System {n:04}",
            file=file,
            file_name="captions.csv",
            created_at=now - timedelta(minutes=submissions - n),
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
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def scored(at: Any) -> dict[str, Any]:
    """Fields of an evaluation that ended at a moment."""
    return {
        "state": EvaluationState.DONE,
        "started_at": at - timedelta(seconds=3),
        "finished_at": at,
        "attempts": 1,
        "clips_done": CLIPS,
    }


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
