"""Time the ranking lab of a phase with many systems.

    python -m tests.bench.bench_lab [--systems 200] [--clips 1045] [--requests 5]

The systems of ``tests.bench.site`` in a database of its own: SQLite, or that of DATABASE_URL
(PostgreSQL). Prints queries, median and 95th percentile of the page under several rules, as an
organiser sees it through the Django client.
"""

import argparse

from tests.bench.site import fill, own_database, timed  # isort: skip, sets Django up

from django.db import connection
from django.test import Client
from django.urls import reverse

from earmark.captions import References
from tests.bench.bench_board import peak
from tests.bench.output import say
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
    with own_database():
        run(options)


def run(options: argparse.Namespace) -> None:
    """Fill the database and time the page under each of the rules."""
    phase, _ = fill(options.systems, options.clips)
    rows = ((f"{n}.wav", [f"a sound {n}"]) for n in range(options.clips))
    phase.reference_set = reference_set(References.build(rows))
    phase.save()
    organiser = UserFactory.create()
    phase.challenge.organisers.add(organiser)
    client = Client()
    client.force_login(organiser)
    url = reverse("leaderboard:lab", args=[phase.challenge.slug, phase.slug])
    say(f"{connection.vendor}: {options.systems} systems, {options.clips} clips")
    for name, query in RULES.items():
        say(f"{name:40} {timed(client, url + query, options.requests)}")
    say(f"{peak():.0f} MB at most")


if __name__ == "__main__":
    main()
