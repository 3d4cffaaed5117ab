"""Time keeping, verifying and showing labellers, beside a phase of many systems.

    python -m tests.bench.bench_labellers [--systems 2000] [--requests 10]

The systems of ``tests.bench.site`` and two labellers that are truly trained, in a database and a
folder of their own: SQLite, or that of DATABASE_URL (PostgreSQL).
"""

import argparse
import time

from tests.bench.site import fill, own_database  # isort: skip, sets Django up

import numpy as np
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone

from leaderboard.selectors.labellers import files
from leaderboard.selectors.labellers.files import labeller_folder
from leaderboard.services.labellers.using import labeller_put_to_use
from tests.bench.bench_judging import timed, took
from tests.bench.output import say
from tests.factories import UserFactory
from tests.labellers import registered, trained


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=2000)
    parser.add_argument("--requests", type=int, default=10)
    options = parser.parse_args()
    with own_database() as folder:
        settings.LABELLERS_DIR = folder / "labellers"
        run(options)


def run(options: argparse.Namespace) -> None:
    """Fill the database, keep two labellers, verify one, and time the pages."""
    phase, _ = fill(options.systems, 10)
    phase.challenge.organisers.add(organiser := UserFactory.create(is_superuser=True))
    say(f"{options.systems} submissions, {connection.vendor}")
    for model, seed in (("tiny", 1), ("other", 2)):
        trained(model, seed)
    took("check and keep the first one", lambda: registered("other", 2))
    row = took("check and keep another", registered)
    first, again = [], []
    for _ in range(50):
        files._digest.cache_clear()
        first.append(seconds_of(row.identity))
        again.append(seconds_of(row.identity))
    size = row.size / 1e6
    say(f"{f'verify {size:.1f} MB, first':40} {1e3 * np.median(first):6.2f} ms")
    say(f"{'verify, again':40} {1e3 * np.median(again):6.2f} ms")
    took(
        "put to use",
        lambda: labeller_put_to_use(
            labeller=row, reason="Bench", actor=organiser, now=timezone.now()
        ),
    )
    client = Client()
    client.force_login(organiser)
    for page in ("", f"{row.identity}/", "compare/"):
        timed(f"/labellers/{page}", client, f"/labellers/{page}", options.requests)


def seconds_of(identity: str) -> float:
    """Verify a labeller, and give how long it took."""
    began = time.perf_counter()
    labeller_folder(identity)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
