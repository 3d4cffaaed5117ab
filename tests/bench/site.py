"""A database of its own with made-up systems, and how long its pages take. Sets Django up."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
import django

django.setup()

import numpy as np  # noqa: E402
from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

from earmark.registry import metrics_of, standard_families  # noqa: E402
from earmark.statistics import Floats  # noqa: E402
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
from tests.factories import NOW, PhaseFactory, UserFactory, join  # noqa: E402

T = TypeVar("T")
ENCODERS = ("PANNs CNN14", "BEATs", "ConvNeXt", "HTS-AT", "PaSST")
DECODERS = ("BART", "transformer", "Llama 2 7B")
AT_ONCE = 500


@contextmanager
def own_database() -> Iterator[Path]:
    """Make a database, of SQLite in the folder that is given or where DATABASE_URL says."""
    settings.ALLOWED_HOSTS = ["testserver"]
    settings.RATELIMIT_ENABLE = False
    with tempfile.TemporaryDirectory() as folder:
        connection.settings_dict["TEST"]["NAME"] = (
            str(Path(folder) / "bench.sqlite3") if connection.vendor == "sqlite" else None
        )
        database = connection.settings_dict["NAME"]
        connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
        try:
            yield Path(folder)
        finally:
            connection.creation.destroy_test_db(database, verbosity=0)


def with_queries(act: Callable[[], T]) -> tuple[T, int]:
    """What something returns, and how many queries it asked."""
    asked: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        asked.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        return act(), len(asked)


def timed(client: Client, url: str, requests: int) -> str:
    """Request a page some times; sum up what it took."""
    response, queries = with_queries(lambda: client.get(url))
    if response.status_code != 200:
        return f"answered {response.status_code}"
    times = np.array([once(lambda: client.get(url)) for _ in range(requests)])
    p50, p95 = np.percentile(times[:, 0], [50, 95])
    own, size = np.median(times[:, 1]), len(response.content) / 1000
    return (
        f"{queries:3} queries, median {p50:4.0f} ms ({own:4.0f} ms of the processor in this "
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
    teams = made_teams(-(-systems // 2))
    join(teams[0], members[0])
    submissions = made_submissions(
        (phase, teams[n // 2], NOW + timedelta(minutes=n), metadata(draw)) for n in range(systems)
    )
    store_scores(submissions, clips, draw)
    analyse()
    return phase, members[0]


def made_teams(count: int) -> list[Team]:
    """Store teams."""
    return Team.objects.bulk_create(
        Team(slug=f"bench-{n}", name=f"Team {n:04}") for n in range(count)
    )


def made_submissions(
    rows: Iterator[tuple[Phase, Team, datetime, dict[str, object]]],
) -> list[Submission]:
    """Store a submission for each phase, team, time and metadata."""
    file = StoredFile.objects.create(sha256="0" * 64, content=b"", size=0)
    return Submission.objects.bulk_create(
        Submission(
            phase=phase,
            team=team,
            system_name=f"System {n:04}",
            file=file,
            file_name="captions.csv",
            metadata=said,
            created_at=at,
        )
        for n, (phase, team, at, said) in enumerate(rows)
    )


def analyse() -> None:
    """Have the database look at what it holds, as it does by itself after a while."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def metadata(draw: np.random.Generator) -> dict[str, object]:
    """Say of a system what teams say."""
    return {
        "audio_modelling": str(draw.choice(ENCODERS)),
        "word_modelling": str(draw.choice(DECODERS)),
        "total_parameters": int(draw.integers(1, 8000)) * 1_000_000,
        "external_datasets": str(draw.choice(["", "AudioCaps, WavCaps"])),
    }


def store_scores(
    submissions: list[Submission], clips: int, draw: np.random.Generator, references: str = "r"
) -> None:
    """Store evaluations and results of systems, as if scored against references of this hash."""
    for start in range(0, len(submissions), AT_ONCE):
        _score(submissions[start : start + AT_ONCE], clips, draw, references)


def _score(
    submissions: list[Submission], clips: int, draw: np.random.Generator, references: str
) -> None:
    """Store evaluations and results of some systems; what makes a clip hard is shared."""
    evaluations = Evaluation.objects.bulk_create(
        Evaluation(
            submission=submission,
            family=family,
            reference_hash=references,
            signature=f"{family}|bench",
            state=EvaluationState.DONE,
            created_at=NOW,
            finished_at=NOW,
            clips_done=clips,
            clips_total=clips,
        )
        for submission in submissions
        for family in standard_families()
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
