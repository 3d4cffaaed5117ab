"""Write how the shipped fluency detector does, as the table of docs/reference/fluency.md.

python -m tests.bench.bench_fluency
"""

import argparse
import csv
import gzip
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.models.fluency import ERROR, detect, find_detector
from scoring.train.fluency.examples import comparison_key
from tests.bench.data import add_data_argument, stop_without
from tests.scoring.corpora import CLOTHO

Flags = NDArray[np.bool_]
THRESHOLD = 0.9


def flags(captions: list[str]) -> Flags:
    """Judge captions by the shipped detector."""
    return detect(find_detector(), captions, device="cpu")[:, ERROR] > THRESHOLD


def synthetic_errors(data: Path) -> tuple[Flags, Flags]:
    """Truth and verdict on the validation errors, the file's mislabelled rows left out."""
    with gzip.open(data / "fluency" / "synthetic_val.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    clean = {comparison_key(row["caption"]) for row in rows if row["error"] == "0"}
    # The file's own mistakes: a word "None", or an altered text that is a clean one.
    right = [
        row
        for row in rows
        if row["error"] == "0"
        or ("None" not in row["caption"].split() and comparison_key(row["caption"]) not in clean)
    ]
    wrong = np.array([row["error"] == "1" for row in right])
    return wrong, flags([row["caption"] for row in right])


def both_detectors(data: Path) -> tuple[Flags, Flags]:
    """The original detector's and our verdict on the captions of AudioCaps-Eval."""
    pairs = judged_pairs(json.loads((data / "benchmark/audiocaps_eval.json").read_text()))
    theirs = [
        np.load(data / "fluency" / f"probs{side}_audiocaps.npy")[:, ERROR] > THRESHOLD
        for side in (0, 1)
    ]
    ours = [flags([pair[side] for pair in pairs]) for side in (0, 1)]
    return np.concatenate(theirs), np.concatenate(ours)


def judged_pairs(items: list[dict[str, Any]]) -> list[Any]:
    """The pairs in the order of the probabilities (README): HC, HI, HM, MM by clip."""
    facets = ("HC", "HI", "HM")
    pairs = [item[facet] for facet in facets for item in items if item.get(facet)]
    machines = [f"MM_{n}" for n in range(1, 6)]
    return pairs + [item[name] for item in items for name in machines if item.get(name)]


def human_captions(data: Path) -> list[str]:
    """List the references of Clotho evaluation."""
    with (data / CLOTHO).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row[f"caption_{n}"] for row in rows for n in range(1, 6)]


def f1(wrong: Flags, found: Flags) -> float:
    """F1 of the verdicts."""
    return float(2 * (wrong & found).sum() / (wrong.sum() + found.sum()))


def kappa(one: Flags, other: Flags) -> float:
    """Cohen's kappa of two judges."""
    agreed = float((one == other).mean())
    chance = float(one.mean() * other.mean() + (1 - one.mean()) * (1 - other.mean()))
    return (agreed - chance) / (1 - chance)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description="The shipped fluency detector.")
    add_data_argument(parser)
    data: Path = parser.parse_args().data
    stop_without(data / "fluency")
    wrong, found = synthetic_errors(data)
    theirs, ours = both_detectors(data)
    spared = flags(human_captions(data))
    sys.stdout.write("| measured on | texts | number | target |\n|---|---|---|---|\n")
    for row in (
        ("synthetic errors, F1 of error", wrong.size, f"{f1(wrong, found):.3f}", "at least .90"),
        ("kappa with the original's flags", ours.size, f"{kappa(theirs, ours):.3f}", ".80"),
        ("Clotho references flagged", spared.size, f"{100 * spared.mean():.1f} %", "5 % at most"),
    ):
        name, texts, number, target = row
        sys.stdout.write(f"| {name} | {texts:,} | {number} | {target} |\n")


if __name__ == "__main__":
    main()
