"""Write how the shipped fluency detector does, as the table of docs/reference/fluency.md.

    python -m tests.bench.bench_fluency [--before FOLDER]

With the folder of another detector there is a column for it, and what judging costs as a ratio.
"""

import argparse
import csv
import gzip
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.models.encoder import embed, find_encoder
from scoring.models.fluency import ERROR, detect, find_detector
from scoring.train.fluency.examples import comparison_key
from tests.bench.data import add_data_argument, stop_without
from tests.bench.fluency_texts import (
    HUMAN,
    errors_by_kind,
    human_captions,
    judged_captions,
    short_captions,
    system_captions,
)
from tests.bench.output import say
from tests.scoring.corpora import SYSTEMS

Flags = NDArray[np.bool_]
THRESHOLD = 0.9


def flags(captions: list[str], detector: str = "") -> Flags:
    """Judge captions by a detector, the shipped one by default."""
    return detect(find_detector(detector), captions, device="cpu")[:, ERROR] > THRESHOLD


def synthetic_errors(data: Path, detector: str = "") -> tuple[Flags, Flags]:
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
    return wrong, flags([row["caption"] for row in right], detector)


def both_detectors(data: Path, detector: str = "") -> tuple[Flags, Flags]:
    """The original detector's and our verdict on the captions of AudioCaps-Eval."""
    pairs = judged_pairs(json.loads((data / "benchmark/audiocaps_eval.json").read_text()))
    theirs = [
        np.load(data / "fluency" / f"probs{side}_audiocaps.npy")[:, ERROR] > THRESHOLD
        for side in (0, 1)
    ]
    ours = [flags([pair[side] for pair in pairs], detector) for side in (0, 1)]
    return np.concatenate(theirs), np.concatenate(ours)


def judged_pairs(items: list[dict[str, Any]]) -> list[Any]:
    """The pairs in the order of the probabilities (README): HC, HI, HM, MM by clip."""
    facets = ("HC", "HI", "HM")
    pairs = [item[facet] for facet in facets for item in items if item.get(facet)]
    machines = [f"MM_{n}" for n in range(1, 6)]
    return pairs + [item[name] for item in items for name in machines if item.get(name)]


def f1(wrong: Flags, found: Flags) -> float:
    """F1 of the verdicts."""
    return float(2 * (wrong & found).sum() / (wrong.sum() + found.sum()))


def kappa(one: Flags, other: Flags) -> float:
    """Cohen's kappa of two judges."""
    agreed = float((one == other).mean())
    chance = float(one.mean() * other.mean() + (1 - one.mean()) * (1 - other.mean()))
    return (agreed - chance) / (1 - chance)


def recall_and_precision(flawed: list[bool], found: Flags) -> tuple[float, float]:
    """Share of flawed captions that are flagged, and of flagged ones that are flawed."""
    truth = np.array(flawed)
    both = float((truth & found).sum())
    return both / truth.sum(), both / max(found.sum(), 1)


def sample(captions: list[str], size: int) -> list[str]:
    """Some of the captions, the same each time."""
    rng = np.random.default_rng(1)
    return [captions[i] for i in rng.permutation(len(captions))[:size]]


def shares(data: Path, detector: str) -> dict[tuple[str, int], str]:
    """What a detector flags, by what the texts are and how many: the lower table."""
    unseen = [
        text
        for part in ("Clotho evaluation", "AudioCaps test")
        for text in sample(human_captions(data, part), 1000)
    ]
    texts = errors_by_kind(unseen)
    texts |= {f"human: {part}": human_captions(data, part) for part in HUMAN}
    texts["short correct captions"] = short_captions()
    texts |= {f"system: {system}": system_captions(data, system) for system in SYSTEMS}
    rows = {
        (name, len(some)): f"{100 * flags(some, detector).mean():.1f} %"
        for name, some in texts.items()
    }
    for part, (some, flawed) in judged_captions(data).items():
        recall, precision = recall_and_precision(flawed, flags(some, detector))
        rows[f"judged: {part}", len(some)] = f"recall {recall:.2f}, precision {precision:.2f}"
    return rows


def agreement(data: Path, detector: str) -> dict[tuple[str, int], str]:
    """Agreement with the original detector, and F1 on its authors' synthetic errors."""
    wrong, found = synthetic_errors(data, detector)
    theirs, ours = both_detectors(data, detector)
    return {
        ("synthetic validation errors, F1", wrong.size): f"{f1(wrong, found):.3f}",
        ("AudioCaps-Eval, kappa", ours.size): f"{kappa(theirs, ours):.3f}",
    }


def seconds(work: Callable[[], object]) -> float:
    """Processor time that work takes, the best of three."""
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def cost_rows(captions: list[str], before: str) -> Iterator[str]:
    """Processor time of our detector and of the sentence encoder, as ratios to another's."""
    once = seconds(lambda: flags(captions, before))
    ours = seconds(lambda: flags(captions)) / once
    encoder = seconds(lambda: embed(find_encoder(), captions, device="cpu")) / once
    yield f"| processor time | {len(captions):,} | 1 | {ours:.2f} |"
    yield f"| processor time of the sentence encoder | {len(captions):,} | {encoder:.0f} | |"


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description="The shipped fluency detector.")
    add_data_argument(parser)
    parser.add_argument("--before", default="", help="folder of a detector to compare with")
    parsed = parser.parse_args()
    data: Path = parsed.data
    stop_without(data / "fluency")
    detectors = [parsed.before, ""] if parsed.before else [""]
    columns = [agreement(data, name) | shares(data, name) for name in detectors]
    head = [find_detector(name).identity for name in detectors]
    say(f"| measured on | texts | {' | '.join(head)} |")
    say("|---|---|" + "---|" * len(head))
    for name, size in columns[0]:
        say(f"| {name} | {size:,} | {' | '.join(column[name, size] for column in columns)} |")
    if parsed.before:
        for row in cost_rows(
            sample(human_captions(data, "Clotho evaluation"), 1000), parsed.before
        ):
            say(row)


if __name__ == "__main__":
    main()
