"""Time the pages of descriptors over the three published systems on Clotho's evaluation split.

    python -m tests.bench.bench_words [--data ../shared/data] [--out FOLDER]

ACES is computed for real, in a database of its own: SQLite, or the one of DATABASE_URL.
A page is cold when this process reads the stored labels for the first time, new when they
are read and the page is not kept, warm when it is kept. Requests go through the Django
client. With --out the pages are kept as HTML.
"""

import argparse
import os
import time
from pathlib import Path

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.urls import reverse  # noqa: E402

from leaderboard.models import Evaluation, MetricResult, Phase, Submission  # noqa: E402
from leaderboard.services.evaluations.attempts import evaluation_attempt  # noqa: E402
from tests.bench.data import add_data_argument, stop_without  # noqa: E402
from tests.bench.output import say  # noqa: E402
from tests.factories import PhaseFactory, TeamFactory  # noqa: E402

SYSTEMS = ("dcase2023_baseline", "dcase2022_baseline", "audiocaption")


def main() -> None:
    """Read the options, make the database, run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_data_argument(parser)
    parser.add_argument("--out", type=Path, help="folder to keep the pages in")
    options = parser.parse_args()
    references = options.data / "clotho" / "clotho_captions_evaluation.csv"
    stop_without(references)
    settings.ALLOWED_HOSTS = ["testserver"]
    database = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        run(references, options.data / "systems", options.out)
    finally:
        connection.creation.destroy_test_db(database, verbosity=0)


def run(references: Path, systems: Path, out: Path | None) -> None:
    """Score the systems and time the pages."""
    phase = PhaseFactory.create(ranking_metric="aces", reference_set=None, references_public=True)
    began = time.perf_counter()
    fill(phase, references, systems)
    took = time.perf_counter() - began
    say(f"{connection.vendor}: ACES of {len(SYSTEMS)} systems and the human row in {took:.0f} s")
    client = Client()
    base = reverse("leaderboard:words", args=[phase.challenge.slug, phase.slug])
    first = Submission.objects.get(system_name=SYSTEMS[0])
    own = reverse("leaderboard:words-system", args=[first.public_id])
    for name, url in (
        ("cold", base),
        ("new", f"{base}?measure=words"),
        ("warm", base),
        ("CSV", f"{base}?csv=counts"),
        ("one system", own),
        ("API", f"/api/v1{base.replace('/c/', '/phases/')}".rstrip("/")),
    ):
        say(told(name, client, url, out))


def fill(phase: Phase, references: Path, systems: Path) -> None:
    """Import the references, hand the systems in, score them by ACES alone."""
    place = {"challenge": phase.challenge.slug, "phase": phase.slug}
    call_command("import_references", str(references), public_references=True, **place)
    for name in SYSTEMS:
        team = TeamFactory.create(slug=name.replace("_", "-"))
        call_command(
            "submit",
            str(systems / f"{name}.csv"),
            phase=f"{place['challenge']}/{place['phase']}",
            team=team.slug,
            system=name,
        )
    Evaluation.objects.exclude(family="aces").delete()
    for evaluation in Evaluation.objects.all():
        evaluation_attempt(evaluation_id=evaluation.pk)
    for row in MetricResult.objects.filter(metric="aces").select_related("submission"):
        say(f"{row.submission.system_name}: {row.value}, {row.signature}")


def told(name: str, client: Client, url: str, out: Path | None) -> str:
    """Ask for an address; say how long it took, what it weighs, how many queries it asked."""
    began = time.perf_counter()
    with CaptureQueriesContext(connection) as asked:
        answer = client.get(url)
    took = 1000 * (time.perf_counter() - began)
    if answer.status_code != 200:
        raise SystemExit(f"{url} answered {answer.status_code}")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{name.replace(' ', '-').lower()}.html").write_bytes(answer.content)
    return f"{name}: {took:.0f} ms, {len(answer.content) / 1000:.0f} kB, {len(asked)} queries"


if __name__ == "__main__":
    main()
