"""Write the numbers of docs/reference/sbf.md beside the paper's.

    python -m tests.bench.bench_sbf [--seed 0] [--read DIRECTORY]

Table 2 of the paper, Table 1 (systems, by threshold), agreement with people, profiles, and what
lies near the thresholds. ``--read`` writes, for every row of a profile, ten clips of those that it
counts, for a person to judge. The human row takes one reference of each clip, drawn with the seed,
as the candidate against the others.
"""

import argparse
import random
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from scoring.benchmark import human_agreement, read_judgments
from scoring.captions import Candidates, References
from scoring.metrics.sbf import slim_tags
from scoring.metrics.sbf.metric import DEVIATIONS, REDUNDANT, SIMILAR, TAG, Sbf
from scoring.metrics.sbf.profile import ProfileRow, most_frequent
from scoring.metrics.sbf.tags import class_cosines, tag_vectors
from scoring.models.encoder import find_encoder
from scoring.pipeline import score_family
from scoring.workspace import Workspace
from tests.bench.bench_cb import Row, human
from tests.bench.data import add_data_argument, stop_without
from tests.scoring.corpora import SYSTEMS, published
from tests.scoring.test_sbf import TABLE_2

JUDGMENTS = "benchmark/audiocaps_eval.json"
CLOSE = 1e-6
ROWS, CLIPS = 10, 10
SIDES = ("false_alarms", "misses")
THRESHOLDS: tuple[dict[str, Any], ...] = ({}, {"tag_threshold": 0.45}, {"tag_threshold": 0.5})
CHOICES: tuple[dict[str, Any], ...] = (
    *THRESHOLDS,
    {"deviations": 0},
    {"deviations": DEVIATIONS + 1},
    {"phrases": "clause"},
    {"phrases": "word"},
    {"similarity_threshold": SIMILAR + 0.1},
    {"redundancy_threshold": 1.01},
)


def title(choice: Mapping[str, Any]) -> str:
    """Name a choice of parameters."""
    told = (f"{key} {value:g}" if isinstance(value, float | int) else f"{key} {value}"
            for key, value in choice.items())  # fmt: skip
    return ", ".join(told) or "as defined"


def heading(*columns: str) -> str:
    """Begin a table."""
    return f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n"


def table_2(workspace: Workspace) -> Iterator[str]:
    """Write our phrases and sounds for the captions that the paper prints."""
    told = References.build((f"{i}.wav", [row[2]]) for i, row in enumerate(TABLE_2))
    results = score_family("sbf", Candidates.single([row[0] for row in TABLE_2]), told, workspace)
    yield heading("", "phrases", "hits", "false alarms", "misses", "precision, recall, F")
    for i, clip in enumerate(results["sbf"].details or ()):
        phrases = " / ".join(
            "; ".join(one) for one in (clip["phrases"], clip["reference_phrases"][0])
        )
        sides = (
            "; ".join(row["class"] for row in clip[side]) or "none" for side in ("hits", *SIDES)
        )
        values = ", ".join(f"{results[name].per_clip[i]:.2f}" for name in Sbf.metrics)
        yield f"| {i + 1} | {phrases} | {' | '.join(sides)} | {values} |\n"


def systems(rows: list[Row], workspace: Workspace) -> Iterator[str]:
    """Write precision, recall and F of every row by threshold."""
    yield heading("captions", "choice", "precision", "recall", "sbf", "clips covered")
    for row in rows:
        for choice in THRESHOLDS:
            found = score_family("sbf", row.candidates, row.references, workspace, **choice)
            cells = " | ".join(
                f"{one.value:.3f} ({one.interval.low:.3f} to {one.interval.high:.3f})"
                for one in found.values()
            )
            covered = f"{found['sbf'].coverage} of {len(row.candidates)}"
            yield f"| {row.label} | {title(choice)} | {cells} | {covered} |\n"


def judged(data: Path, workspace: Workspace) -> Iterator[str]:
    """Write the accuracies of every choice."""
    judgments = read_judgments((data / JUDGMENTS).read_bytes())
    facets = ("HC", "HI", "HM", "MM", "Total")
    yield heading("choice", "metric", *facets, "tied or no score", "of the others right")
    for choice in CHOICES:
        names = Sbf.metrics if not choice else ("sbf",)
        found = human_agreement(judgments, names, workspace, {"sbf": choice}).accuracies
        for name, accuracies in found.items():
            cells = " | ".join(f"{one.percent:.1f}" for one in accuracies.values())
            total = accuracies["Total"]
            decided = 100 * total.correct / (total.pairs - total.undecided)
            yield f"| {title(choice)} | {name} | {cells} | {total.undecided} | {decided:.1f} |\n"


def profiles(rows: list[Row], workspace: Workspace, read: Path | None) -> Iterator[str]:
    """Write the profile of every system, and the clips to judge it by."""
    yield heading("system", "false alarms", "clips", "misses", "clips")
    for row in rows:
        details = score_family("sbf", row.candidates, row.references, workspace)["sbf"].details
        kept = [slim_tags(clip) for clip in details or ()]
        sides = [most_frequent([clip[side] for clip in kept], limit=ROWS) for side in SIDES]
        for alarm, miss in zip(*sides, strict=False):
            yield f"| {row.label} | {alarm.name} | {alarm.clips} | {miss.name} | {miss.clips} |\n"
        if read is not None:
            lines = [line for side, found in zip(SIDES, sides, strict=True) for tag in found
                     for line in to_judge(row, side, tag, kept)]  # fmt: skip
            (read / f"{row.label}.txt").write_text("".join(lines), encoding="utf-8")


def to_judge(row: Row, side: str, tag: ProfileRow, kept: list[Any]) -> Iterator[str]:
    """Write up to ten of the clips that a row of a profile counts."""
    places = [place for place, clip in enumerate(kept) if tag.name in clip[side]]
    yield f"\n## {side}: {tag.name} ({tag.clips} clips)\n"
    for place in sorted(random.Random(0).sample(places, min(CLIPS, len(places)))):
        yield f"- {row.candidates.first[place]}\n"
        yield from (f"    {text}\n" for text in row.references.clips[place].references)


def near_thresholds(workspace: Workspace) -> Iterator[str]:
    """Count the cosines that the last digits of a machine could carry over a threshold."""
    encoder = find_encoder()
    known = workspace.memo(f"sbf cosines:{encoder.identity}")
    every = np.array(list(known.values()), np.float64)
    near = int((np.abs(every - TAG) < CLOSE).sum())
    yield f"{len(known):,} phrases: {near} of {every.size:,} cosines within {CLOSE:g} of {TAG}\n"
    outstanding = every.mean(axis=1, keepdims=True) + DEVIATIONS * every.std(axis=1, keepdims=True)
    near = int(((np.abs(every - outstanding) < CLOSE) & (every > TAG)).sum())
    yield f"{near} above {TAG} within {CLOSE:g} of standing out\n"
    pairs = class_cosines(tag_vectors(encoder, workspace.device))
    pairs = pairs[np.triu_indices(len(pairs), 1)].astype(np.float64)
    for threshold in sorted({SIMILAR, REDUNDANT}):
        near = int((np.abs(pairs - threshold) < CLOSE).sum())
        yield f"{near} of {pairs.size:,} pairs of classes within {CLOSE:g} of {threshold}\n"


def main() -> None:
    """Score and write the tables."""
    parser = argparse.ArgumentParser(description="The numbers of docs/reference/sbf.md.")
    add_data_argument(parser)
    parser.add_argument("--seed", type=int, default=0, help="draws the human captions")
    parser.add_argument("--read", type=Path, help="writes the clips to judge profiles by here")
    arguments = parser.parse_args()
    data: Path = arguments.data
    stop_without(data / "systems")
    workspace = Workspace(details=True, device="cpu")
    every = [Row(system, *published(data, system)) for system in SYSTEMS]
    both = [*every, human("one human", every[0].references, arguments.seed)]
    for part in (
        table_2(workspace),
        systems(both, workspace),
        judged(data, workspace),
        profiles(every, workspace, arguments.read),
        near_thresholds(workspace),
    ):
        sys.stdout.writelines([*part, "\n"])


if __name__ == "__main__":
    main()
