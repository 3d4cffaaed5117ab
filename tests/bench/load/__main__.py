"""Everybody at once on a whole site.

    python -m tests.bench.load [--workers 1 2 4] [--systems 500] [--clips 1045] [--seconds 300]

For each number of workers a new site: PostgreSQL, two Redis, two web processes, maintenance.
Ten teams hand in 500 systems of 1,045 clips in a burst while 200 visitors read (a page in 5 s
each) and 50 annotators label (a caption in a second each). Measured for the burst and at least
``--seconds``; with ``--drain`` until all is scored. Those who ask run on the same machine and
take their share of it.
"""

import argparse
import os
import shutil
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import django

from tests.bench.load.site import LoadedSite
from tests.bench.output import say

LOOK_EVERY = 5.0
# Nobody waits for more than this; then the run is over, drained or not.
MOST = 4 * 3600.0


@dataclass
class Observed:
    """What was seen of the site from time to time."""

    began: float = field(default_factory=time.monotonic)
    memory: list[dict[str, float]] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)
    ages: list[float] = field(default_factory=list)
    # When the burst was over, and what was scored by then and at the end.
    burst_seconds: float = 0.0
    done: list[tuple[float, int]] = field(default_factory=list)


def main() -> int:
    """Run each number of workers and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.load", description=__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--systems", type=int, default=500)
    parser.add_argument("--clips", type=int, default=1045)
    parser.add_argument("--visitors", type=int, default=200)
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--drain", action="store_true")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return measure(options, options.workers[0])
    # Each in a process of its own, since Django keeps one site's settings.
    command = [sys.executable, "-m", "tests.bench.load", "--child", *sys.argv[1:]]
    return max(
        os.spawnv(os.P_WAIT, sys.executable, [*command, "--workers", str(workers)])
        for workers in options.workers
    )


def measure(options: argparse.Namespace, workers: int) -> int:
    """One site with so many workers; returns the exit status."""
    folder = Path(tempfile.mkdtemp(prefix="earmark-load-"))
    site = LoadedSite(folder, workers)
    os.environ.update(site.environment())
    django.setup()
    from tests.bench.load.report import tell

    status = 1
    try:
        status = tell(options, workers, *_run(site, options))
    finally:
        site.stop()
        if status:
            say(f"Its logs stay in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return status


def _run(site: LoadedSite, options: argparse.Namespace) -> tuple[Observed, Any, int]:
    from django.core.management import call_command

    from tests.bench import bench_annotators
    from tests.bench.bench_annotators import Log
    from tests.bench.load.crowd import TEAMS, Burst, Visitor, references
    from tests.chaos.visitors import Person
    from tests.factories import PhaseFactory, reference_set

    site.start_services()
    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    slug, tokens = bench_annotators.prepare(options.annotators, captions=20_000)
    corpus = references(options.clips)
    phase = PhaseFactory.create(
        reference_set=reference_set(corpus), quota_total=10_000, quota_per_day=10_000
    )
    site.start()
    people = [Person(site.address, f"person-{number}") for number in range(TEAMS)]
    log, observed = Log(), Observed()
    burst = Burst(people, phase, tuple(corpus.file_names), log)
    board = f"/c/{phase.challenge.slug}/{phase.slug}/"

    def paths() -> list[str]:
        systems = [f"system /s/{given}/" for given in burst.accepted[-50:]]
        return [f"board {board}", "home /", f"board {board}?sort=-spice", *systems[:3]]

    visitors = [Visitor(n, site.address, paths, log) for n in range(options.visitors)]
    place = (int(site.address.rpartition(":")[2]), slug)
    annotators = [
        bench_annotators.Person(number, token, place, log, 1.0)
        for number, token in enumerate(tokens)
    ]
    for one in (*visitors, *annotators):
        one.start()
    handing_in = threading.Thread(target=burst.run, args=(options.systems,), daemon=True)
    handing_in.start()
    _watch(site, observed, handing_in, options)
    for visitor in visitors:
        visitor.leaves.set()
    return observed, log, len(burst.accepted)


def _watch(
    site: LoadedSite, observed: Observed, burst: threading.Thread, options: argparse.Namespace
) -> None:
    """Look at the site from time to time until what was asked for is over."""
    from django.utils import timezone

    from leaderboard.models import Evaluation, EvaluationState
    from leaderboard.selectors.evaluations.readiness import oldest_waiting

    while True:
        time.sleep(LOOK_EVERY)
        now = time.monotonic() - observed.began
        states = list(Evaluation.objects.values_list("state", flat=True))
        waiting = states.count(EvaluationState.PENDING)
        ended = len(states) - waiting - states.count(EvaluationState.RUNNING)
        observed.memory.append(site.memory())
        observed.waiting.append(waiting)
        observed.ages.append(
            max(oldest_waiting(timezone.now()).values(), default=timedelta()).total_seconds()
        )
        observed.done.append((now, ended))
        if burst.is_alive():
            continue
        observed.burst_seconds = observed.burst_seconds or now
        drained = waiting == 0 and ended == len(states)
        if now > MOST or (now > options.seconds and (drained or not options.drain)):
            return


if __name__ == "__main__":
    sys.exit(main())
