"""Write the numbers of docs/reference/sbf.md beside the paper's.

    python -m tests.bench.bench_sbf [--write] [--seed 0] [--read DIRECTORY]

Table 2 of the paper, Table 1 (systems, by threshold), agreement with people, profiles, and what
lies near the thresholds. ``--read`` writes, for every row of a profile, ten clips of those that it
counts, to judge it by; what was judged is in ``sbf_judged.toml``. The human row takes one
reference of each clip, drawn with the seed, as the candidate against the others.
"""

import random
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from earmark.benchmark import human_agreement, read_judgments
from earmark.benchmark_results import published_results
from earmark.captions import Candidates, References
from earmark.metrics.sbf import slim_tags
from earmark.metrics.sbf.metric import DEVIATIONS, REDUNDANT, SIMILAR, TAG, Sbf
from earmark.metrics.sbf.profile import ProfileRow, most_frequent
from earmark.metrics.sbf.tags import class_cosines, tag_vectors
from earmark.models.encoder import find_encoder
from earmark.pipeline import score_family
from earmark.workspace import Workspace
from tests.bench.bench_cb import Row, human
from tests.bench.data import stop_without
from tests.bench.tables import arguments, indented, table, tell
from tests.earmark.corpora import SYSTEMS, published
from tests.earmark.test_sbf import TABLE_2

JUDGMENTS = "benchmark/audiocaps_eval.json"
JUDGED = Path(__file__).with_name("sbf_judged.toml")
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


def table_2(workspace: Workspace) -> Iterator[tuple[object, ...]]:
    """Write our phrases and sounds for the captions that the paper prints."""
    told = References.build((f"{i}.wav", [row[2]]) for i, row in enumerate(TABLE_2))
    results = score_family("sbf", Candidates.single([row[0] for row in TABLE_2]), told, workspace)
    yield "", "phrases", "hits", "false alarms", "misses", "precision, recall, F"
    for i, clip in enumerate(results["sbf"].details or ()):
        phrases = " / ".join(
            "; ".join(one) for one in (clip["phrases"], clip["reference_phrases"][0])
        )
        sides = (
            "; ".join(row["class"] for row in clip[side]) or "none" for side in ("hits", *SIDES)
        )
        values = ", ".join(f"{results[name].per_clip[i]:.2f}" for name in Sbf.metrics)
        yield i + 1, phrases, *sides, values


def systems(rows: list[Row], workspace: Workspace) -> Iterator[tuple[object, ...]]:
    """Write precision, recall and F of every row by threshold."""
    yield "captions", "choice", "precision", "recall", "sbf", "clips covered"
    for row in rows:
        for choice in THRESHOLDS:
            found = score_family("sbf", row.candidates, row.references, workspace, **choice)
            cells = [
                f"{one.value:.3f} ({one.interval.low:.3f} to {one.interval.high:.3f})"
                for one in found.values()
            ]
            covered = f"{found['sbf'].coverage} of {len(row.candidates)}"
            yield row.label, title(choice), *cells, covered


def judged(data: Path, workspace: Workspace) -> Iterator[tuple[object, ...]]:
    """Write the accuracies of every choice."""
    judgments = read_judgments((data / JUDGMENTS).read_bytes())
    facets = ("HC", "HI", "HM", "MM", "Total")
    yield "choice", "metric", *facets, "tied or no score", "of the others right"
    for choice in CHOICES:
        names = Sbf.metrics if not choice else ("sbf",)
        found = human_agreement(judgments, names, workspace, {"sbf": choice}).accuracies
        for name, accuracies in found.items():
            cells = [f"{one.percent:.1f}" for one in accuracies.values()]
            total = accuracies["Total"]
            decided = 100 * total.correct / (total.pairs - total.undecided)
            yield title(choice), name, *cells, total.undecided, f"{decided:.1f}"
    for row in published_results():
        if row.metric == "sbf":
            cells = [
                f"{row.audiocaps[kind]:.1f}" if kind in row.audiocaps else "" for kind in facets
            ]
            yield f"published, {row.made_with}", "sbf", *cells, "", ""


def profiles(
    rows: list[Row], workspace: Workspace, read: Path | None
) -> Iterator[tuple[object, ...]]:
    """Write the profile of every system, and the clips to judge it by."""
    yield "system", *(f"{name} (clips): right of those read" for name in ("false alarms", "misses"))
    judged = tomllib.loads(JUDGED.read_text())
    for row in rows:
        details = score_family("sbf", row.candidates, row.references, workspace)["sbf"].details
        kept = [slim_tags(clip) for clip in details or ()]
        sides = {side: most_frequent([clip[side] for clip in kept], limit=ROWS) for side in SIDES}
        cells = (
            "; ".join(
                f"{one.name} ({one.clips}) {judged[row.label][side].get(one.name, 'not read')}"
                for one in found
            )
            for side, found in sides.items()
        )
        yield row.label, *cells
        if read is not None:
            lines = [line for side, found in sides.items() for sound in found
                     for line in to_judge(row, side, sound, kept)]  # fmt: skip
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
    yield f"- {len(known):,} phrases: {near} of {every.size:,} cosines within {CLOSE:g} of {TAG}\n"
    outstanding = every.mean(axis=1, keepdims=True) + DEVIATIONS * every.std(axis=1, keepdims=True)
    near = int(((np.abs(every - outstanding) < CLOSE) & (every > TAG)).sum())
    yield f"- {near} above {TAG} within {CLOSE:g} of standing out\n"
    pairs = class_cosines(tag_vectors(encoder, workspace.device))
    pairs = pairs[np.triu_indices(len(pairs), 1)].astype(np.float64)
    for threshold in sorted({SIMILAR, REDUNDANT}):
        near = int((np.abs(pairs - threshold) < CLOSE).sum())
        yield f"- {near} of {pairs.size:,} pairs of classes within {CLOSE:g} of {threshold}\n"


def main() -> None:
    """Score and write the tables."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--seed", type=int, default=0, help="draws the human captions")
    parser.add_argument("--read", type=Path, help="writes the clips to judge profiles by here")
    given = parser.parse_args()
    data: Path = given.data
    stop_without(data / "systems")
    workspace = Workspace(details=True, device="cpu")
    every = [Row(system, *published(data, system)) for system in SYSTEMS]
    both = [*every, human("one human", every[0].references, given.seed)]
    found = score_family("sbf", every[0].candidates, every[0].references, workspace)
    tables = {
        "table 2": table_2(workspace),
        "systems": systems(both, workspace),
        "people": judged(data, workspace),
        "profiles": profiles(every, workspace, given.read),
    }
    made = {f"bench_sbf: {name}": table(next(rows), rows) for name, rows in tables.items()}
    made["bench_sbf: thresholds"] = "".join(near_thresholds(workspace))
    made["bench_sbf: signatures"] = indented(one.signature for one in found.values())
    tell(made, write=given.write)


if __name__ == "__main__":
    main()
