"""Figures of published data sets, to put beside those of others.

``resources/datasets/published_sets.json`` is what ``describe_captions`` wrote of the public
files of Clotho 2.1 and AudioCaps (docs/measurements/data-sets.md has the command); it holds
figures alone, no captions.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FIGURES = Path(__file__).parents[2] / "resources" / "datasets" / "published_sets.json"
TITLES = {
    "clotho_development.csv.gz": "Clotho, development",
    "clotho_captions_evaluation.csv": "Clotho, evaluation",
    "train.csv.gz": "AudioCaps, training",
    "test.csv": "AudioCaps, test",
}


@dataclass(frozen=True, slots=True)
class PublishedSet:
    """A published data set by its name, with figures as ``described_json`` has them."""

    title: str
    figures: Mapping[str, Any]


@cache
def published_sets() -> tuple[PublishedSet, ...]:
    """Parts of Clotho and AudioCaps."""
    rows = json.loads(FIGURES.read_text(encoding="utf-8"))
    return tuple(PublishedSet(TITLES[row["file"]], row) for row in rows)
