"""Time the leaderboard of a phase with thousands of systems.

    python -m tests.bench.bench_board [--systems 2000] [--clips 1045] [--requests 15]

Made-up systems, two a team, with every metric family and clip scores, put straight into a
database of its own: SQLite, or that of DATABASE_URL (PostgreSQL). Prints queries, median,
95th percentile and bytes of the pages, as a visitor and as a member of a team see them
through the Django client, and how long the ranges of ranks take.
"""

import argparse
import os
import resource
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
from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import reverse  # noqa: E402
from django.utils import timezone  # noqa: E402

from leaderboard.models import (  # noqa: E402
    Evaluation,
    EvaluationState,
    MetricResult,
    Phase,
    StoredFile,
    Submission,
    Team,
    User,
)
from leaderboard.services.ranking.rank_estimates import rank_estimates_refresh  # noqa: E402
from scoring.registry import FAMILIES, metrics_of  # noqa: E402
from scoring.statistics import Floats  # noqa: E402
from tests.factories import NOW, PhaseFactory, UserFactory, join  # noqa: E402

ENCODERS = ("PANNs CNN14", "BEATs", "ConvNeXt", "HTS-AT", "PaSST")
DECODERS = ("BART", "transformer", "Llama 2 7B")
AT_ONCE = 500
FILTERED = "?systems=all&encoder=beats&external=yes&sort=-fense"


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=2000)
    parser.add_argument("--clips", type=int, default=1045)
    parser.add_argument("--requests", type=int, default=15)
    options = parser.parse_args()
    settings.ALLOWED_HOSTS = ["testserver"]
    settings.RATELIMIT_ENABLE = False
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
    """Fill the database and time the pages."""
    began = time.perf_counter()
    phase, member = fill(options.systems, options.clips)
    say(
        f"{connection.vendor}: {options.systems} systems, {len(FAMILIES)} families, "
        f"{MetricResult.objects.count()} values, filled in {time.perf_counter() - began:.0f} s"
    )
    began, before = time.perf_counter(), peak()
    rank_estimates_refresh(phase_id=phase.pk, now=timezone.now())
    took = time.perf_counter() - began
    say(f"ranges of ranks, both tables: {took:.1f} s, {peak() - before:.0f} MB more at most")
    names = [phase.challenge.slug, phase.slug]
    board = reverse("leaderboard:board", args=names)
    system = Submission.objects.order_by("pk")[options.systems // 2]
    pages = {
        "leaderboard": board,
        "all systems": f"{board}?systems=all",
        "last page, all metrics": f"{board}?systems=all&preset=all&page=999",
        "sorted by another metric": f"{board}?systems=all&sort=meteor",
        "filtered and sorted": f"{board}{FILTERED}",
        "challenge": reverse("leaderboard:challenge", args=names[:1]),
        "home": reverse("leaderboard:home"),
        "system": reverse("leaderboard:system", args=[system.public_id]),
        "API, 100 rows": f"/api/v1/phases/{names[0]}/{names[1]}/leaderboard?limit=100",
    }
    anyone, one = Client(), Client()
    one.force_login(member)
    for name, url in pages.items():
        for who, client in (("visitor", anyone), ("member", one)):
            say(f"{name:26} {who:8} {timed(client, url, options.requests)}")


def timed(client: Client, url: str, requests: int) -> str:
    """Request a page some times; sum up what it took."""
    asked: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        asked.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        response = client.get(url)
    if response.status_code != 200:
        return f"answered {response.status_code}"
    times = np.array([once(lambda: client.get(url)) for _ in range(requests)])
    p50, p95 = np.percentile(times[:, 0], [50, 95])
    own, size = np.median(times[:, 1]), len(response.content) / 1000
    return (
        f"{len(asked):3} queries, median {p50:4.0f} ms ({own:4.0f} ms of the processor in this "
        f"process), p95 {p95:4.0f} ms, {size:5.0f} kB"
    )


def once(act: Callable[[], object]) -> tuple[float, float]:
    """The milliseconds that something takes, on the clock and of the processor."""
    began, busy = time.perf_counter(), time.process_time()
    act()
    return 1000 * (time.perf_counter() - began), 1000 * (time.process_time() - busy)


def fill(systems: int, clips: int) -> tuple[Phase, User]:
    """Store a phase with systems of two a team, all scored."""
    draw = np.random.default_rng(1)
    phase = PhaseFactory.create(ranking_metric="fense", references_public=False)
    members = UserFactory.create_batch(2)
    teams = Team.objects.bulk_create(
        Team(slug=f"bench-{n}", name=f"Team {n:04}") for n in range(-(-systems // 2))
    )
    join(teams[0], members[0])
    file = StoredFile.objects.create(sha256="0" * 64, content=b"", size=0)
    submissions = Submission.objects.bulk_create(
        Submission(
            phase=phase,
            team=teams[n // 2],
            system_name=f"System {n:04}",
            file=file,
            file_name="captions.csv",
            metadata=metadata(draw),
            created_at=NOW + timedelta(minutes=n),
        )
        for n in range(systems)
    )
    for start in range(0, systems, AT_ONCE):
        _score(submissions[start : start + AT_ONCE], clips, draw)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return phase, members[0]


def metadata(draw: np.random.Generator) -> dict[str, object]:
    """Say of a system what teams say."""
    return {
        "audio_modelling": str(draw.choice(ENCODERS)),
        "word_modelling": str(draw.choice(DECODERS)),
        "total_parameters": int(draw.integers(1, 8000)) * 1_000_000,
        "external_datasets": str(draw.choice(["", "AudioCaps, WavCaps"])),
    }


def _score(submissions: list[Submission], clips: int, draw: np.random.Generator) -> None:
    """Store evaluations and results of some systems; what makes a clip hard is shared."""
    evaluations = Evaluation.objects.bulk_create(
        Evaluation(
            submission=submission,
            family=family,
            reference_hash="r",
            signature=f"{family}|bench",
            state=EvaluationState.DONE,
            created_at=NOW,
            finished_at=NOW,
            clips_done=clips,
            clips_total=clips,
        )
        for submission in submissions
        for family in FAMILIES
    )
    hard = np.random.default_rng(2).normal(0, 0.15, clips)
    level = {submission.pk: 0.3 + 0.3 * draw.random() for submission in submissions}
    MetricResult.objects.bulk_create(
        (
            _result(evaluation, info.name, level[evaluation.submission_id] + hard, draw)
            for evaluation in evaluations
            for info in metrics_of(evaluation.family)
            if not info.several
        ),
        batch_size=1000,
    )


def _result(
    evaluation: Evaluation, metric: str, about: Floats, draw: np.random.Generator
) -> MetricResult:
    per_clip = (about + draw.normal(0, 0.1, about.size)).astype(np.float32)
    value = float(per_clip.astype(np.float64).mean())
    return MetricResult(
        evaluation=evaluation,
        submission_id=evaluation.submission_id,
        metric=metric,
        value=value,
        low=value - 0.01,
        high=value + 0.01,
        coverage=about.size,
        clips=about.size,
        signature=f"{evaluation.family}|bench",
        per_clip=MetricResult.pack_per_clip(per_clip),
    )


def peak() -> float:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
