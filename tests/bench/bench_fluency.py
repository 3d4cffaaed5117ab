"""Write how a fluency detector does, the shipped one as the table of docs/reference/fluency.md.

python -m tests.bench.bench_fluency [--write] [--detector FOLDER]
"""

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earmark.benchmark_results import measured
from earmark.models.fluency import ERROR, detect, find_detector
from earmark.train.fluency.examples import comparison_key
from tests.bench.data import stop_without
from tests.bench.fluency_texts import (
    HUMAN,
    errors_by_kind,
    human_captions,
    judged_captions,
    short_captions,
    system_captions,
)
from tests.bench.tables import arguments, indented, table, tell
from tests.earmark.corpora import SYSTEMS

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


def main() -> None:
    """Measure and write."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--detector", default="", help="folder of another detector")
    parsed = parser.parse_args()
    data: Path = parsed.data
    stop_without(data / "fluency")
    found = agreement(data, parsed.detector) | shares(data, parsed.detector)
    rows = ((name, f"{size:,}", told) for (name, size), told in found.items())
    made = {
        "shares": table(("measured on", "texts", find_detector(parsed.detector).identity), rows),
        "signatures": indented([measured().metrics["fense"].signature]),
    }
    write = parsed.write and not parsed.detector
    tell({f"bench_fluency: {name}": text for name, text in made.items()}, write=write)


if __name__ == "__main__":
    main()
