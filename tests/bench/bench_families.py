"""Time each metric family on one core, as the registry's ``seconds`` are measured.

    OMP_NUM_THREADS=1 python -m tests.bench.bench_families [--clips 1000]

Made-up captions, five references a clip, all distinct. Prints processor seconds: of the
first submission that a phase ever has (references are prepared), of a later one alone, and
of a later one after the other families, from which it takes what they have in common.
"""

import argparse
import itertools
import random
import tempfile
import time
from pathlib import Path

from earmark.captions import Candidates, References
from earmark.pipeline import score_family
from earmark.registry import FAMILIES
from earmark.workspace import Workspace
from tests.bench.output import say

WHO = ("a dog", "two people", "a small engine", "heavy rain", "a flock of birds", "a wooden door",
       "an old train", "children", "a church bell", "water")  # fmt: skip
DOES = ("makes a noise", "rattles loudly", "passes by slowly", "hits the ground again and again",
        "can be heard", "rumbles and then stops", "starts up", "echoes", "hums quietly",
        "grows louder")  # fmt: skip
WHERE = ("in the distance", "in a large hall", "on a busy street", "near a river", "outside",
         "behind a wall", "on a metal roof", "in a forest", "in a kitchen", "at night")  # fmt: skip
WHILE = ("while a man speaks", "as wind blows", "while music plays", "and a car drives past",
         "while someone walks on gravel", "and an alarm rings", "as leaves rustle")  # fmt: skip


def main() -> None:
    """Print a line for each family."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clips", type=int, default=1000)
    clips = parser.parse_args().clips
    sentences = list(map(" ".join, itertools.product(WHO, DOES, WHERE, WHILE)))
    random.Random(0).shuffle(sentences)
    drawn = itertools.cycle(sentences)
    references = References.build(
        (f"{clip}.wav", list(itertools.islice(drawn, 5))) for clip in range(clips)
    )
    systems = [Candidates.single(list(itertools.islice(drawn, clips))) for _ in range(2)]
    with tempfile.TemporaryDirectory() as folder:
        together = Workspace(cache_dir=Path(folder), details=True)
        say(f"{'':16} {'first':>8} {'alone':>8} {'together':>8}")
        for name in FAMILIES:
            apart = [Workspace(cache_dir=Path(folder), details=True) for _ in systems]
            times = [
                seconds(name, candidates, references, workspace)
                for candidates, workspace in [*zip(systems, apart, strict=True),
                                              (systems[1], together)]
            ]  # fmt: skip
            say(f"{name:16} {' '.join(f'{took:8.1f}' for took in times)}")


def seconds(
    name: str, candidates: Candidates, references: References, workspace: Workspace
) -> float:
    """Processor seconds that a family takes."""
    began = time.process_time()
    score_family(name, candidates, references, workspace)
    return time.process_time() - began


if __name__ == "__main__":
    main()
