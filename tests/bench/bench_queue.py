"""How long systems wait for their scores in a queue, beside the library.

    python -m tests.bench.bench_queue [--systems 20] [--data FOLDER] [--spy py-spy]

A site with one worker of both queues in a database of its own: SQLite, or that of DATABASE_URL.
Mixtures of published systems of Clotho evaluation are handed in: the first of a phase whose
references a worker has prepared; and to a worker that starts anew one when nothing is prepared,
one when nothing waits, then all others at once. "FENSE" is the time from handing in until the
number that ranks is there, "all" until every metric is; the drained queue also tells when the
last system had its FENSE. "processor" is that of the worker's processes, "memory" theirs after
the first system and after each quarter of them.
The library scores the same systems (twenty at most) by a warm ``Scorer`` in a process of its own.
``--spy`` names the program py-spy, which slows the drain, and says what threads are seen at.
"""

import argparse
import json
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.bench import site  # isort: skip, sets Django up

import numpy as np
from django.conf import settings
from django.db import transaction

from earmark import Scorer
from earmark.captions import Candidates, References
from leaderboard import tasks
from leaderboard.models import Evaluation, EvaluationState, Phase, ReferenceSet, Submission
from tests.bench.data import add_data_argument, stop_without
from tests.bench.output import say
from tests.bench.performance.captions import mixtures, references_file
from tests.bench.performance.processes import Clock, run_module
from tests.bench.shares import spied
from tests.earmark.corpora import SYSTEMS, published
from tests.factories import PhaseFactory, TeamFactory, reference_set, submit
from tests.leaderboard.evaluations.worker_process import running_worker

TICKS, PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Read the command line, let a worker and the library score, and print both."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_data_argument(parser)
    parser.add_argument("--systems", type=int, default=20)
    parser.add_argument("--spy", metavar="PROGRAM", help="py-spy, which looks at the drain")
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    stop_without(references_file(options.data))
    if options.out:
        library(options)
        return
    say(f"load {os.getloadavg()[0]:.1f} before")
    with site.own_database() as folder:
        drained, busy = queue(options, folder)
        arguments = ["--data", options.data, "--systems", min(options.systems, 20)]
        arguments += ["--cache", folder / "cache"]
        _, found = run_module(__spec__.name, *map(str, arguments))
    say(f"library, warm: {found['seconds']:.2f} s each, processor {found['processor']:.2f}")
    say(
        f"queue: {drained / found['seconds']:.2f} times the library by the clock,"
        f" {busy / found['processor']:.2f} in processor time"
    )


def library(options: argparse.Namespace) -> None:
    """Time a warm scorer; writes JSON."""
    references = published(options.data, SYSTEMS[0])[1]
    first, *others = captions_of(options.data, options.systems + 1)
    scorer = Scorer(references, cache_dir=options.cache)
    scorer.score(first.first, details=True)
    clock = Clock()
    for one in others:
        scorer.score(one.first, details=True)
    cost = clock.cost()
    each = {"seconds": cost.seconds / len(others), "processor": (cost.processor or 0) / len(others)}
    options.out.write_text(json.dumps(each))


def captions_of(data: Path, count: int) -> list[Candidates]:
    """So many systems, nearly all of whose captions are new."""
    return mixtures([published(data, name)[0] for name in SYSTEMS], count)


def queue(options: argparse.Namespace, folder: Path) -> tuple[float, float]:
    """Let workers score; seconds on the clock and of the processor for each drained system."""
    references = published(options.data, SYSTEMS[0])[1]
    systems = captions_of(options.data, options.systems + 3)
    settings.SCORING_CACHE_DIR = folder / "prepared"
    with phase_and_worker(references) as (phase, group):
        tasks.references_prepare.delay(phase.pk)
        while busy_for(group, 5) > 0.5:
            pass
        measured("the first of a prepared phase", phase, group, systems[:1])
    settings.SCORING_CACHE_DIR = folder / "cache"
    with phase_and_worker(references) as (phase, group):
        measured("nothing prepared", phase, group, systems[1:2])
        measured("nothing waits", phase, group, systems[2:3])
        with spied(options.spy, group, folder / "stacks"):
            return measured(f"{options.systems} at once", phase, group, systems[3:])


@contextmanager
def phase_and_worker(references: References) -> Iterator[tuple[Phase, int]]:
    """A phase, and the process group of a worker that has the cache of the settings to itself."""
    phase = PhaseFactory.create(
        reference_set=reference_set(references), ranking_metric="fense", quota_total=None
    )
    cache = settings.SCORING_CACHE_DIR
    cache.mkdir()
    own = {"EARMARK_CACHE": str(cache), "EARMARK_SWEEP_SECONDS": "20"}
    with running_worker(cache, ("cpu", "gpu"), **own) as worker:
        yield phase, worker._process.pid


def measured(
    title: str, phase: Phase, group: int, systems: Sequence[Candidates]
) -> tuple[float, float]:
    """Hand systems in and tell of them; seconds on the clock and of the processor for each."""
    names = ReferenceSet.objects.get(phases=phase).read().file_names
    before, began = processor(group), time.perf_counter()
    handed = [hand_in(phase, one, names) for one in systems]
    first, last, sizes = watched(handed, began, group)
    ended = max(last)
    each, busy = ended / len(handed), (processor(group) - before) / len(handed)
    say(
        f"{title}: FENSE {np.median(first):.1f} s (median), {max(first):.1f} (last);"
        f" all {np.median(last):.1f} (median), {each:.2f} each,"
        f" processor {busy:.2f} each; memory {sizes[0]:,.0f} MB"
        + "".join(f", {sizes[at]:,.0f}" for at in quarters(len(sizes)))
    )
    return each, busy


def hand_in(phase: Phase, system: Candidates, names: Sequence[str]) -> Submission:
    """Submit a system of a team of its own."""
    rows = "".join(f'"{name}","{text}"\n' for name, text in zip(names, system.first, strict=True))
    with transaction.atomic():
        made = submit(
            phase, TeamFactory.create(), data=f"file_name,caption_predicted\n{rows}".encode()
        )
        tasks.submission_enqueue(made)
    return made


def quarters(count: int) -> list[int]:
    """Last index of each quarter; none of fewer than four."""
    return [count * part // 4 - 1 for part in (1, 2, 3, 4)] if count > 3 else []


def watched(
    handed: Sequence[Submission], began: float, group: int
) -> tuple[list[float], list[float], list[float]]:
    """Seconds until each had its FENSE and until each had all; megabytes after each."""
    first: dict[int, float] = {}
    last: dict[int, float] = {}
    sizes: list[float] = []
    waiting = [EvaluationState.PENDING, EvaluationState.RUNNING]
    while len(last) < len(handed):
        time.sleep(0.1)
        now = time.perf_counter() - began
        left = Evaluation.objects.filter(submission__in=handed, state__in=waiting)
        unranked = set(left.filter(family="fense").values_list("submission", flat=True))
        unfinished = set(left.values_list("submission", flat=True))
        for one in handed:
            if one.pk not in unranked:
                first.setdefault(one.pk, now)
            if one.pk not in unfinished:
                last.setdefault(one.pk, now)
        sizes += [memory(group)] * (len(last) - len(sizes))
    return list(first.values()), list(last.values()), sizes


def processor(group: int) -> float:
    """Seconds of processors that the processes of a group have used."""
    return sum(int(ticks) for stat in _of_group(group) for ticks in stat[11:13]) / TICKS


def busy_for(group: int, seconds: float) -> float:
    """Seconds of processors that a group uses meanwhile."""
    before = processor(group)
    time.sleep(seconds)
    return processor(group) - before


def memory(group: int) -> float:
    """Megabytes that the processes of a group have in memory now."""
    return sum(int(stat[21]) for stat in _of_group(group)) * PAGE / 1e6


def _of_group(group: int) -> Iterator[list[str]]:
    listed = subprocess.run(
        ["ps", "-o", "pid=", "-g", str(group)], capture_output=True, text=True, check=False
    )
    for pid in listed.stdout.split():
        try:
            yield Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue


if __name__ == "__main__":
    main()
