"""Time the leaderboard of a phase with thousands of systems.

    python -m tests.bench.bench_board [--systems 2000] [--clips 1045] [--requests 15]

Made-up systems, two a team, with every metric family and clip scores, put straight into a
database of its own: SQLite, or that of DATABASE_URL (PostgreSQL). Prints queries, median,
95th percentile and bytes of the pages, as a visitor and as a member of a team see them
through the Django client, and how long the ranges of ranks take.
"""

import argparse
import resource
import time

from tests.bench.site import fill, own_database, timed  # isort: skip, sets Django up

from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from earmark.registry import FAMILIES
from leaderboard.models import MetricResult, Submission
from leaderboard.services.ranking.rank_estimates import rank_estimates_refresh
from tests.bench.output import say

FILTERED = "?systems=all&encoder=beats&external=yes&sort=-fense"


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=2000)
    parser.add_argument("--clips", type=int, default=1045)
    parser.add_argument("--requests", type=int, default=15)
    options = parser.parse_args()
    with own_database():
        run(options)


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


def peak() -> float:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
