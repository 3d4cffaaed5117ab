"""Time every page of a site with thousands of submissions, as three people see it.

    tests/services.sh with python -m tests.bench.bench_pages [--only analysis] [--csv FILE]
    python -m tests.bench.bench_pages --systems 200

One of everything (``tests.leaderboard.access.one_of_everything``) in a database of its own: that
of DATABASE_URL (PostgreSQL) or SQLite. Its phase has 1,045 clips with five references each and
2,000 submissions of 100 teams, with the scores of all clips by every metric, put straight into the
database. Every address that answers with 200 is asked for through Django's client by a visitor, a
member of a team and an organiser.

"first" is the first request of this process, "new" the first after a score has changed, the
others are those in between: median and 95th percentile on the clock. "cpu" and "cpu95" are the
same of the processor, in this process and, where it runs on this machine, in PostgreSQL's:
other work on the machine changes them least. Sorted by the 95th percentile of the processor.
"""

import argparse
import csv
import gc
import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.bench import site  # isort: skip, sets Django up

import numpy as np
from django.db import connection
from django.test import Client
from django.utils import timezone

from earmark.captions import References
from leaderboard.models import Evaluation, MetricResult, SnapshotReason, StoredFile, Submission
from leaderboard.services.ranking.rank_estimates import rank_estimates_refresh
from leaderboard.services.ranking.snapshots import snapshot_take
from tests.bench.bench_clip_explorer import REFERENCES, Maker, store_details
from tests.bench.output import say
from tests.factories import NOW, PhaseFactory, TeamFactory, UserFactory, join, reference_set
from tests.leaderboard.access.authorisation_table import ROUTES
from tests.leaderboard.access.one_of_everything import PEOPLE, QUERIES, Everything, everything
from tests.leaderboard.conftest import Cast

ASKING = {"visitor": "anonymous", "participant": "member", "organiser": "organiser"}
TEAMS = 100
# Systems with captions and details of their own, those that pages show first among them.
WITH_DETAILS = 12
DETAILED = ("cb", "sbf", "aces", "fluency")
# A page that takes longer is asked for less often.
PATIENCE = 2.0


@dataclass(frozen=True)
class Timed:
    """What a page took, in milliseconds; ``clock`` and ``busy`` are of the warm requests.

    ``first`` and ``renewed`` have both, too.
    """

    route: str
    who: str
    kind: str
    queries: int
    size: float
    first: tuple[float, float]
    renewed: tuple[float, float]
    clock: tuple[float, ...]
    busy: tuple[float, ...]

    @property
    def p95(self) -> float:
        """The 95th percentile of the processor's time of the warm requests."""
        return float(np.percentile(self.busy, 95))

    @property
    def cells(self) -> list[str]:
        """What is printed of it."""
        warm = (np.median(self.clock), np.percentile(self.clock, 95), np.median(self.busy))
        numbers = (*self.first, *self.renewed, *warm, self.p95)
        return [
            self.kind,
            self.who,
            str(self.queries),
            *(f"{number:.0f}" for number in numbers),
            f"{self.size:.0f}",
            self.route or "/",
        ]


HEAD = [
    *("kind", "who", "queries", "first", "cpu", "new", "cpu", "p50", "p95", "cpu", "cpu95"),
    *("kB", "address"),
]


def main() -> None:
    """Read the command line, fill the database and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=2000)
    parser.add_argument("--clips", type=int, default=1045)
    parser.add_argument("--requests", type=int, default=15)
    parser.add_argument("--only", default="", help="ask for addresses with this in them")
    parser.add_argument("--csv", type=Path, help="write the table here as well")
    options = parser.parse_args()
    logging.disable(logging.INFO)
    with site.own_database():
        began = time.perf_counter()
        world = filled(options.systems, options.clips)
        say(
            f"{connection.vendor}: {Submission.objects.count()} submissions, "
            f"{MetricResult.objects.count()} values, filled in {time.perf_counter() - began:.0f} s"
        )
        # As a web process does when it begins (``leaderboard/wsgi.py``).
        gc.collect()
        gc.freeze()
        rows = list(timed_pages(world, options.only, options.requests))
    rows.sort(key=lambda row: -row.p95)
    table = [HEAD, *(row.cells for row in rows)]
    for cells in table:
        say("{:5} {:11} {:>7}{:>7}{:>6}{:>6}{:>6}{:>6}{:>6}{:>5}{:>6}{:>6}  {}".format(*cells))
    pages = [row for row in rows if row.kind == "page"]
    slow = sum(row.p95 >= 100 for row in pages)
    say(f"{len(pages)} pages, {slow} of which 95 in 100 requests take 100 ms or more")
    if options.csv:
        with options.csv.open("w", newline="") as file:
            csv.writer(file).writerows(table)


def filled(systems: int, clips: int) -> Everything:
    """One of everything, and a phase full of systems."""
    world = everything(_cast())
    phase, maker = world.cast.phase, Maker(0)
    Submission.objects.update(withdrawn_at=NOW)
    names = [f"recording {number:04}.wav" for number in range(clips)]
    references = References.build(
        [(name, [maker.caption() for _ in range(REFERENCES)]) for name in names]
    )
    phase.reference_set = reference_set(references)
    phase.ranking_metric = "fense"
    phase.save()
    teams = [world.cast.team, *site.made_teams(TEAMS - 1)]
    submissions = site.made_submissions(
        (phase, teams[n % TEAMS], timezone.now(), site.metadata(maker.draw)) for n in range(systems)
    )
    site.store_scores(submissions, clips, maker.draw, phase.reference_set.content_hash)
    _store_captions(submissions, names, maker)
    rank_estimates_refresh(phase_id=phase.pk, now=timezone.now())
    kept = snapshot_take(phase=phase, reason=SnapshotReason.REVEAL, actor=None, now=timezone.now())
    site.analyse()
    numbers = {**world.numbers, "rankings/": kept.pk}
    return replace(world, submission=submissions[0], numbers=numbers)


def _cast() -> Cast:
    phase, team = PhaseFactory.create(), TeamFactory.create()
    owner, member, outsider, organiser = UserFactory.create_batch(4)
    join(team, member)
    phase.challenge.organisers.add(organiser)
    return Cast(phase, team, owner, member, outsider, organiser)


def _store_captions(submissions: Sequence[Submission], names: Sequence[str], maker: Maker) -> None:
    """Store captions for all, and details for the first submission and the best ones."""
    best = MetricResult.objects.filter(metric="fense", submission__in=submissions)
    keys = best.order_by("-value").values_list("submission_id", flat=True)[:WITH_DETAILS]
    shown = Submission.objects.in_bulk([submissions[0].pk, *keys])
    for number, submission in enumerate(shown.values()):
        rows = "".join(f"{name},{maker.caption()}\n" for name in names)
        content = f"file_name,caption_predicted\n{rows}".encode()
        file = StoredFile.objects.create(
            sha256=f"{number + 1:064}", content=content, size=len(content)
        )
        Submission.objects.filter(pk=submission.pk).update(file=file)
        if number == 0:
            rest = Submission.objects.filter(pk__in=[one.pk for one in submissions])
            rest.exclude(pk__in=shown).update(file=file)
        for family in DETAILED:
            store_details(submission, family, [getattr(maker, family)() for _ in names])


def timed_pages(world: Everything, only: str, requests: int) -> Iterator[Timed]:
    """Time every address that answers, for each who asks."""
    for route, answers in ROUTES.items():
        if only not in route:
            continue
        for who, name in ASKING.items():
            if answers.get("GET", (0,) * len(PEOPLE))[PEOPLE.index(name)] == 200:
                found = _timed(world, route, who, requests)
                if found is not None:
                    yield found


def _timed(world: Everything, route: str, who: str, requests: int) -> Timed | None:
    client = world.clients[ASKING[who]]
    url = world.path(route) + QUERIES.get(route, "")
    first = _once(client, url)
    # The first one after another page was asked for has nothing to do with this one.
    (kind, size), queries = site.with_queries(lambda: _asked(client, url))
    if not kind:
        say(f"{url} does not answer {who}")
        return None
    times: list[tuple[float, float]] = []
    ends = time.perf_counter() + PATIENCE
    while len(times) < requests and (len(times) < 3 or time.perf_counter() < ends):
        times.append(_once(client, url))
    _change_a_result(world)
    renewed = _once(client, url)
    clock, busy = zip(*times, strict=True)
    return Timed(route, who, kind, queries, size, first, renewed, clock, busy)


def _once(client: Client, url: str) -> tuple[float, float]:
    """The milliseconds of a request, on the clock and of the processor, PostgreSQL's included."""
    before = _database_busy()
    clock, busy = site.once(lambda: _asked(client, url))
    return clock, busy + _database_busy() - before


def _database_busy() -> float:
    """The milliseconds that the database's process has computed, 0 where it cannot be seen."""
    if connection.vendor != "postgresql":
        return 0.0
    connection.ensure_connection()
    path = Path(f"/proc/{connection.connection.info.backend_pid}/schedstat")
    return int(path.read_text().split()[0]) / 1e6 if path.exists() else 0.0


def _asked(client: Client, url: str) -> tuple[str, float]:
    """Ask for an address and read all of the answer; its kind, empty where there is none."""
    response = client.get(url)
    content = response.getvalue()
    if response.status_code != 200:
        return "", 0
    kinds = {"text/html": "page", "application/json": "api"}
    kind = response.headers.get("Content-Type", "").partition(";")[0]
    return kinds.get(kind, "file"), len(content) / 1000


def _change_a_result(world: Everything) -> None:
    """Let a system that pages show be scored anew, with a value that is a hair higher."""
    evaluations = Evaluation.objects.filter(submission=world.submission, family="fense")
    for row in MetricResult.objects.filter(evaluation__in=evaluations, value__isnull=False):
        MetricResult.objects.filter(pk=row.pk).update(value=(row.value or 0.0) + 1e-9)
    evaluations.update(finished_at=timezone.now())


if __name__ == "__main__":
    main()
