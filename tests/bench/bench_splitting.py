"""Split all captions of Clotho anew, and compare with the published split.

    python -m tests.bench.bench_splitting [--data ../shared/data] [--seed 0] [--trials N]

Words are those of two clips or more. The first two splits are judged by the shares .6, .2 and
.2; the third has the sizes of the published parts, and both are judged by their shares.
"""

import argparse
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from earmark.datasets.splitting import (
    TRIALS,
    ClipSplit,
    GivenFile,
    Part,
    PartsRead,
    SplitInput,
    read_parts,
    read_split_input,
    split_clips,
    split_measures,
)
from earmark.datasets.splitting.parts import development_part
from earmark.datasets.splitting.words import Integers
from tests.bench.data import add_data_argument, stop_without
from tests.bench.output import say

FILES = (
    "clotho_development.csv.gz",
    "clotho_validation.csv.gz",
    "clotho_captions_evaluation.csv",
)
ASKED = "development=.6,validation=.2,evaluation=.2"
HEADER = (
    *("split", "clips", "in one part", "not in dev.", "outside by part"),
    *("distance", "as printed", "from shares"),
)


def main() -> None:
    """Read the options and the captions, split, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_data_argument(parser)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--trials", type=int, default=TRIALS)
    options = parser.parse_args()
    paths = [options.data / "clotho" / name for name in FILES]
    stop_without(paths[0])
    run(paths, seed=options.seed, trials=options.trials)


def run(paths: Sequence[Path], *, seed: int, trials: int) -> None:
    """Split twice and print."""
    parts = read_parts(ASKED)
    began = time.perf_counter()
    given = read_split_input([GivenFile(path.name, path.read_bytes()) for path in paths], parts)
    say(
        f"read and grouped in {time.perf_counter() - began:.0f} s;"
        f" groups that stay together, clips of the largest: {given.kept_together}"
    )
    published = np.array([clip.file for clip in given.clips])
    sizes = np.bincount(published).tolist()
    same_sizes = PartsRead(
        tuple(
            Part(part.name, Fraction(size, len(published)))
            for part, size in zip(parts.parts, sizes, strict=True)
        ),
        (),
    )
    say(" | ".join(HEADER))
    for shares in (parts, same_sizes):
        split = timed(given, shares, seed=seed, trials=trials)
        say(row("published", published, split))
        say(row("exchanges", split.assignment, split))


def timed(given: SplitInput, parts: PartsRead, *, seed: int, trials: int) -> ClipSplit:
    """Split, and say how long it took."""
    began, worked = time.perf_counter(), time.process_time()
    split = split_clips(
        [clip.captions for clip in given.clips],
        parts.parts,
        seed=seed,
        groups=given.groups,
        namesakes=given.namesakes,
        trials=trials,
    )
    took, worked = time.perf_counter() - began, time.process_time() - worked
    say(f"split into {split.sizes} in {took:.0f} s, {worked:.0f} s of processor")
    return split


def row(name: str, assignment: Integers, split: ClipSplit) -> str:
    """A split judged by the shares of another."""
    counts = split.words.counts(assignment, len(split.parts))
    shares = tuple(part.share for part in split.parts)
    measures = split_measures(counts, shares, development_part(split.parts))
    clips = "/".join(str(count) for count in np.bincount(assignment))
    return (
        f"{name} | {clips} | {measures.words_in_one_part} | {measures.words_not_in_development} |"
        f" {'/'.join(map(str, measures.outside_by_part))} | {measures.distance:.1f} |"
        f" {measures.distance_as_printed:.1f} | {measures.share_distance:.4f}"
    )


if __name__ == "__main__":
    main()
