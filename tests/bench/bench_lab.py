"""Time the ranking lab of a phase with many systems.

    python -m tests.bench.bench_lab [--systems 200] [--clips 1045] [--requests 5]

Made-up systems, two a team, as for the leaderboard (``bench_board``), in a database of its own:
SQLite, or that of DATABASE_URL (PostgreSQL). Prints queries, median and 95th percentile of the
page under several rules, as an organiser sees it through the Django client.
"""

import argparse
import tempfile
from pathlib import Path

from tests.bench import bench_board  # sets Django up

# isort: split
from django.conf import settings
from django.db import connection
from django.test import Client
from django.urls import reverse

from scoring.captions import References
from tests.factories import UserFactory, reference_set

RULES = {
    "the phase's own": "",
    "another metric": "?metric=bleu_1",
    "the latest counts, 40 clips left out": "?counting=last&clips=1-40",
    "20 telling clips left out": "?telling=20",
    "four metrics mixed by z-scores": "?metric=fense,cider_d,aces,meteor",
    "four metrics mixed by ranks": "?metric=fense,cider_d,aces,meteor&mix=ranks",
    "four mixed, 20 telling clips left out": "?metric=fense,cider_d,aces,meteor&telling=20",
    "CSV": "?metric=bleu_1&csv=1",
}


def main() -> None:
    """Read the command line, fill the database and time the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=200)
    parser.add_argument("--clips", type=int, default=1045)
    parser.add_argument("--requests", type=int, default=5)
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
    """Fill the database and time the page under each of the rules."""
    phase, _ = bench_board.fill(options.systems, options.clips)
    rows = ((f"{n}.wav", [f"a sound {n}"]) for n in range(options.clips))
    phase.reference_set = reference_set(References.build(rows))
    phase.save()
    organiser = UserFactory.create()
    phase.challenge.organisers.add(organiser)
    client = Client()
    client.force_login(organiser)
    url = reverse("leaderboard:lab", args=[phase.challenge.slug, phase.slug])
    bench_board.say(f"{connection.vendor}: {options.systems} systems, {options.clips} clips")
    for name, query in RULES.items():
        told = bench_board.timed(client, url + query, options.requests)
        bench_board.say(f"{name:40} {told}")
    bench_board.say(f"{bench_board.peak():.0f} MB at most")


if __name__ == "__main__":
    main()
