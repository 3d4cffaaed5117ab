"""Write CB-score's numbers beside the literature's: the table of docs/reference/cb_score.md.

    python -m tests.bench.bench_cb [--seed 0]

Human rows take one reference of each clip, drawn with the seed, as the candidate against the
others. Every reading of the definition that is a parameter is shown.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scoring.captions import Candidates, References, read_references
from scoring.captions.corpus import one_reference_against_others
from scoring.pipeline import score_family
from scoring.results import MetricScore
from scoring.workspace import Workspace
from tests.bench.data import add_data_argument, stop_without
from tests.scoring.corpora import SYSTEMS, published

AUDIOCAPS = "audiocaps/test.csv"
READINGS: tuple[dict[str, Any], ...] = (
    {},
    {"relevance": "tfidf"},
    {"depth": 1},
    {"depth": 3},
    {"senses": 1},
    {"senses": 4},
)
LITERATURE = (
    "| dcase2022_baseline, literature | .49 (.46 to .51) | | 33 % | 27 % | 6 % | 45 % | |\n"
    "| one human, Clotho evaluation, literature | .64 (.62 to .66) | | 17 % | 40 % | | | |\n"
    "| one human, AudioCaps test, literature | .76 (.75 to .78) | | | | | | |\n"
)


@dataclass(frozen=True)
class Row:
    """One system, or one human, over one corpus."""

    label: str
    candidates: Candidates
    references: References


def human(label: str, references: References, seed: int) -> Row:
    """Take one reference of each clip for the candidate, drawn with the seed."""
    return Row(label, *one_reference_against_others(references, seed=seed))


def rows(data: Path, seed: int) -> Iterator[Row]:
    """The published systems and the human rows."""
    for system in SYSTEMS:
        yield Row(system, *published(data, system))
    yield human("one human, Clotho evaluation", published(data, SYSTEMS[0])[1], seed)
    told = read_references((data / AUDIOCAPS).read_bytes(), file_name=AUDIOCAPS)
    if told.value is None:
        raise ValueError(f"{AUDIOCAPS}: {told.errors[0]}")
    yield human("one human, AudioCaps test", told.value, seed)


def line(row: Row, results: dict[str, MetricScore]) -> str:
    """Write a row of the table."""
    result = results["cb_score"]
    covered = result.per_clip[~np.isnan(result.per_clip)]
    counts = [len({e["event"] for e in clip["candidate"]}) for clip in result.details or ()]
    shares = (covered == 0, covered == 1, np.equal(counts, 0), np.equal(counts, 1))
    cells = " | ".join(f"{100 * share.mean():.0f} %" for share in shares)
    interval = f"{result.interval.low:.3f} to {result.interval.high:.3f}"
    return (
        f"| {row.label} | {result.value:.3f} ({interval}) | {results['cb_recall'].value:.3f} |"
        f" {cells} | {result.coverage} of {len(result.per_clip)} |\n"
    )


def main() -> None:
    """Score by every reading and write the tables."""
    parser = argparse.ArgumentParser(description="CB-score beside the literature.")
    add_data_argument(parser)
    parser.add_argument("--seed", type=int, default=0, help="draws the human captions")
    arguments = parser.parse_args()
    stop_without(arguments.data / "systems")
    every = list(rows(arguments.data, arguments.seed))
    workspace = Workspace(details=True)
    for reading in READINGS:
        title = ", ".join(f"{key} {value}" for key, value in reading.items())
        sys.stdout.write(
            f"\n### {title or 'As defined'}\n\n"
            "| captions | cb_score (95 %) | cb_recall | clips at 0 | at 1 | captions without an"
            " event | with one | clips covered |\n|---|---|---|---|---|---|---|---|\n"
        )
        for row in every:
            start = time.process_time()
            results = score_family("cb", row.candidates, row.references, workspace, **reading)
            sys.stdout.write(line(row, results))
            sys.stderr.write(
                f"{row.label}: {time.process_time() - start:.1f} s of processor time\n"
            )
        if not reading:
            sys.stdout.write(LITERATURE)


if __name__ == "__main__":
    main()
