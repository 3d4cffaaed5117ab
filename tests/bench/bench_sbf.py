"""Write the numbers of docs/reference/sbf.md.

Agreement with people, systems, a profile, and what lies near the thresholds.

    python -m tests.bench.bench_sbf [--seed 0]

The human row takes one reference of each clip, drawn with the seed, as the candidate against the
others.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scoring.benchmark import human_agreement, read_judgments
from scoring.metrics.sbf.metric import REDUNDANT, SIMILAR, TAG, Sbf
from scoring.metrics.sbf.profile import ProfileRow, profile
from scoring.metrics.sbf.tags import tag_vectors
from scoring.models.encoder import find_encoder
from scoring.pipeline import score_family
from scoring.results import MetricScore
from scoring.workspace import Workspace
from tests.bench.bench_cb import Row, human
from tests.bench.data import add_data_argument, stop_without
from tests.scoring.corpora import SYSTEMS, published

JUDGMENTS = "benchmark/audiocaps_eval.json"
PROFILED = "dcase2023_baseline"
CLOSE = 1e-6
CHOICES: tuple[dict[str, Any], ...] = (
    {},
    {"phrases": "clause"},
    {"phrases": "word"},
    {"tag_threshold": TAG - 0.05},
    {"tag_threshold": TAG + 0.05},
    {"similarity_threshold": SIMILAR + 0.1},
    {"redundancy_threshold": 1.01},
)


def judged(data: Path, workspace: Workspace) -> Iterator[str]:
    """Write the accuracies of every choice."""
    judgments = read_judgments((data / JUDGMENTS).read_bytes())
    yield "| choice | metric | HC | HI | HM | MM | Total | tied or no score |\n"
    yield "|---|---|---|---|---|---|---|---|\n"
    for choice in CHOICES:
        names = Sbf.metrics if not choice else ("sbf",)
        found = human_agreement(judgments, names, workspace, {"sbf": choice}).accuracies
        title = ", ".join(f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}"
                          for key, value in choice.items())  # fmt: skip
        for name, facets in found.items():
            cells = " | ".join(f"{one.percent:.1f}" for one in facets.values())
            ties = facets["Total"].undecided
            yield f"| {title or 'as defined'} | {name} | {cells} | {ties} |\n"


def systems(rows: Sequence[Row], workspace: Workspace) -> Iterator[tuple[str, MetricScore, str]]:
    """Score every row; give its label, its sbf, and its line of the table."""
    for row in rows:
        start = time.process_time()
        results = score_family("sbf", row.candidates, row.references, workspace)
        sys.stderr.write(f"{row.label}: {time.process_time() - start:.1f} s of processor time\n")
        cells = " | ".join(
            f"{one.value:.3f} ({one.interval.low:.3f} to {one.interval.high:.3f})"
            for one in results.values()
        )
        covered = results["sbf"].coverage
        yield (
            row.label,
            results["sbf"],
            (f"| {row.label} | {cells} | {covered} of {len(row.candidates)} |\n"),
        )


def table(rows: Sequence[ProfileRow], heading: str) -> Iterator[str]:
    """Write one side of a profile."""
    yield f"| {heading} | clips | weight |\n|---|---|---|\n"
    yield from (f"| {row.name} | {row.clips} | {row.weight:.1f} |\n" for row in rows)


def near_thresholds(workspace: Workspace) -> Iterator[str]:
    """Count the cosines that the last digits of a machine could carry over a threshold."""
    encoder = find_encoder()
    known = workspace.memo(f"sbf cosines:{encoder.identity}")
    every = np.array(list(known.values()))
    near = int((np.abs(every - TAG) < CLOSE).sum())
    yield f"{len(known):,} phrases: {near} of {every.size:,} cosines within {CLOSE:g} of {TAG}\n"
    steps = np.diff(np.sort(np.where(every > TAG, every, np.nan), axis=1), axis=1)
    tied = int((steps < CLOSE).any(axis=1).sum())
    yield f"{tied} of {len(known):,} phrases with two tags within {CLOSE:g} of each other\n"
    vectors = tag_vectors(encoder, workspace.device).astype(np.float64)
    pairs = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
    for threshold in sorted({SIMILAR, REDUNDANT}):
        near = int((np.abs(pairs - threshold) < CLOSE).sum())
        yield f"{near} of {pairs.size:,} pairs of classes within {CLOSE:g} of {threshold}\n"


def main() -> None:
    """Score and write the tables."""
    parser = argparse.ArgumentParser(description="The numbers of docs/reference/sbf.md.")
    add_data_argument(parser)
    parser.add_argument("--seed", type=int, default=0, help="draws the human captions")
    arguments = parser.parse_args()
    data: Path = arguments.data
    stop_without(data / "systems")
    workspace = Workspace(details=True, device="cpu")
    every = [Row(system, *published(data, system)) for system in SYSTEMS]
    every.append(human("one human", every[0].references, arguments.seed))
    sys.stdout.write(
        "| captions | precision | recall | sbf | clips covered |\n|---|---|---|---|---|\n"
    )
    for label, result, line in systems(every, workspace):
        sys.stdout.write(line)
        if label == PROFILED and result.details is not None:
            found = profile(result.details, limit=8)
    sys.stdout.write(f"\n### {PROFILED}\n\n")
    sys.stdout.writelines(table(found.false_alarms, "false alarm"))
    sys.stdout.write("\n")
    sys.stdout.writelines(table(found.misses, "miss"))
    sys.stdout.write("\n")
    sys.stdout.writelines(judged(data, workspace))
    sys.stdout.write("\n")
    sys.stdout.writelines(near_thresholds(workspace))


if __name__ == "__main__":
    main()
