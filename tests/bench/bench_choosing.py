"""Time the pages on which systems of a phase are chosen, with thousands to choose from.

    python -m tests.bench.bench_choosing [--systems 2000] [--clips 100] [--requests 15]

The systems of ``tests.bench.site``, in a database of its own: SQLite, or that of DATABASE_URL.
What a page says of the chosen systems is kept after its first request, so that the times are
those of the choice.
"""

import argparse

from tests.bench.site import fill, own_database, timed  # isort: skip, sets Django up

from django.db import connection
from django.test import Client
from django.urls import reverse

from leaderboard.models import Submission
from tests.bench.output import say


def main() -> None:
    """Read the options, make the database, time the pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=2000)
    parser.add_argument("--clips", type=int, default=100)
    parser.add_argument("--requests", type=int, default=15)
    options = parser.parse_args()
    with own_database():
        run(options)


def run(options: argparse.Namespace) -> None:
    """Fill the database and time the pages."""
    phase, _ = fill(options.systems, options.clips)
    phase.references_public = True
    phase.save(update_fields=["references_public"])
    say(f"{connection.vendor}: {options.systems} systems")
    names = [phase.challenge.slug, phase.slug]
    one, other = Submission.objects.order_by("pk").values_list("public_id", flat=True)[:2]
    compare = reverse("leaderboard:compare", args=names)
    api = f"/api/v1/phases/{names[0]}/{names[1]}"
    pages = {
        "compare": f"{compare}?a={one}&b={other}",
        "compare, searched": f"{compare}?a={one}&b={other}&find=19",
        "distributions": reverse("leaderboard:distributions", args=names),
        "words": reverse("leaderboard:words", args=names),
        "API, compare": f"{api}/compare?a={one}&b={other}",
        "API, distributions": f"{api}/distributions?s={one}",
    }
    for name, url in pages.items():
        say(f"{name:20} {timed(Client(), url, options.requests)}")


if __name__ == "__main__":
    main()
