"""Print how long one caption with five references takes, by family: cold, warm and edited.

OMP_NUM_THREADS=1 python -m tests.bench.bench_try_it [--rounds 60]

Seconds of the clock, and of the processor, which other work on the machine does not change.
Cold: a fresh process, models not loaded. New: caption and references that the process has
not seen. Edited: another caption for references it has seen. Run with EARMARK_VAR set to a
folder of its own; the first run there also packs METEOR's paraphrases (printed apart).
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import leaderboard
from tests.bench.output import say

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

Times = dict[str, float]
# Seconds of the clock and of the processor, and the latter of each family.
Run = tuple[float, float, Times]


@contextmanager
def family_times() -> Iterator[Times]:
    """Note how long each family takes within."""
    from earmark import pipeline

    times: Times = {}
    score_family = pipeline.score_family

    def timed(name: str, *args: Any, **more: Any) -> object:
        with clocked(times, name):
            return score_family(name, *args, **more)

    with mock.patch.object(pipeline, "score_family", timed):
        yield times


@contextmanager
def clocked(times: Times, name: str) -> Iterator[None]:
    """Note the processor's seconds within."""
    begun = time.process_time()
    yield
    times[name] = time.process_time() - begun


def rounds(count: int) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Captions of two demo systems and the five references, of one clip after another."""
    from earmark.captions import read_candidates, read_references

    folder = Path(leaderboard.__file__).parent / "demo" / "data"
    references = read_references((folder / "references.csv").read_bytes()).value
    assert references is not None
    said = []
    for name in ("careful", "plain"):
        data = (folder / "systems" / f"{name}.csv").read_bytes()
        candidates = read_candidates(data, references).value
        assert candidates is not None
        said.append(candidates.first)
    for clip, first, second in list(zip(references.clips, *said, strict=True))[:count]:
        yield first, f"{second} nearby", clip.references[:5]


def measured(compute: Callable[[], object]) -> Run:
    """Run once."""
    with family_times() as times:
        clock, processor = time.perf_counter(), time.process_time()
        compute()
        return time.perf_counter() - clock, time.process_time() - processor, times


def report(name: str, runs: list[Run]) -> None:
    """Print median and 95th percentile of the whole, and the median of each family."""
    for kind, values in (
        ("clock", [clock for clock, _, _ in runs]),
        ("processor", [processor for _, processor, _ in runs]),
    ):
        ordered = sorted(values)
        tail = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
        middle = statistics.median(ordered)
        say(f"{name}, {kind}: median {middle:.2f} s, p95 {tail:.2f} s, n {len(ordered)}")
    medians = {
        family: statistics.median(times[family] for _, _, times in runs) for family in runs[0][2]
    }
    shown = sorted(medians.items(), key=lambda pair: -pair[1])
    say("  processor ms: " + ", ".join(f"{family} {1000 * value:.0f}" for family, value in shown))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    count = parser.parse_args().rounds
    import django

    django.setup()
    from django.conf import settings

    from earmark.metrics.meteor.paraphrases import paraphrase_table
    from leaderboard.services.playground.computing import playground_compute
    from leaderboard.services.playground.texts import PlaygroundTexts

    begun = time.perf_counter()
    paraphrase_table(settings.SCORING_CACHE_DIR)
    say(f"METEOR's paraphrases: {time.perf_counter() - begun:.2f} s to pack or open")
    first = PlaygroundTexts("A dog barks", ("A dog is barking", "Birds sing"))
    report("cold", [measured(partial(playground_compute, first))])
    new, edited = [], []
    for caption, edit, references in rounds(count):
        one, other = PlaygroundTexts(caption, references), PlaygroundTexts(edit, references)
        new.append(measured(partial(playground_compute, one)))
        edited.append(measured(partial(playground_compute, other)))
    report("new", new)
    report("edited", edited)
    return 0


if __name__ == "__main__":
    sys.exit(main())
