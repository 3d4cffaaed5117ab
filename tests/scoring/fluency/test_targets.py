"""The shipped detector against the data of the field; targets from the issue and METRICS.md."""

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from scoring.models.fluency import ERROR, detect, find_detector
from scoring.train.fluency.captions import key
from tests.scoring.corpora import CLOTHO

Flags = NDArray[np.bool_]


def flags(captions: list[str]) -> Flags:
    return detect(find_detector(), captions, device="cpu")[:, ERROR] > 0.9


def test_finds_synthetic_errors(shared_data: Path) -> None:
    with gzip.open(shared_data / "fluency" / "synthetic_val.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    clean = {key(row["caption"]) for row in rows if row["error"] == "0"}
    # The file's own mistakes: a word "None", or an altered text that is a clean one.
    right = [
        row
        for row in rows
        if row["error"] == "0"
        or ("None" not in row["caption"].split() and key(row["caption"]) not in clean)
    ]
    wrong = np.array([row["error"] == "1" for row in right])
    found = flags([row["caption"] for row in right])
    assert 2 * (wrong & found).sum() / (wrong.sum() + found.sum()) >= 0.90


def test_agrees_with_the_original_detector(shared_data: Path) -> None:
    pairs = judged_pairs(json.loads((shared_data / "benchmark/audiocaps_eval.json").read_text()))
    theirs = [
        np.load(shared_data / "fluency" / f"probs{side}_audiocaps.npy")[:, ERROR] > 0.9
        for side in (0, 1)
    ]
    ours = [flags([pair[side] for pair in pairs]) for side in (0, 1)]
    assert kappa(np.concatenate(theirs), np.concatenate(ours)) >= 0.80


def test_spares_what_people_wrote(shared_data: Path) -> None:
    with (shared_data / CLOTHO).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    captions = [row[f"caption_{n}"] for row in rows for n in range(1, 6)]
    assert flags(captions).mean() <= 0.05


def judged_pairs(items: list[dict[str, Any]]) -> list[Any]:
    """Give the pairs in the order of the probabilities (README): HC, HI, HM, MM by clip."""
    facets = ("HC", "HI", "HM")
    pairs = [item[facet] for facet in facets for item in items if item.get(facet)]
    machines = [f"MM_{n}" for n in range(1, 6)]
    return pairs + [item[name] for item in items for name in machines if item.get(name)]


def kappa(one: Flags, other: Flags) -> float:
    """Give Cohen's kappa of two judges."""
    agreed = float((one == other).mean())
    chance = float(one.mean() * other.mean() + (1 - one.mean()) * (1 - other.mean()))
    return (agreed - chance) / (1 - chance)


def test_kappa_is_cohens() -> None:
    # By hand: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no; agreed .7, by chance .5, kappa .4.
    one = np.repeat([True, True, False, False], [20, 5, 10, 15])
    other = np.repeat([True, False, True, False], [20, 5, 10, 15])
    assert kappa(one, other) == pytest.approx(0.4)
