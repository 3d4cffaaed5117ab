"""Baselines of BERTScore: what captions that have nothing in common score, layer by layer.

Source: the files and the formula of bert_score 0.3.13 (``rescale_with_baseline``).
"""

import csv
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from earmark.errors import ResourceMissing, ScoringError
from earmark.models.encoder import weights_digest

_FORM = "Give a file as bert_score has them: a first line LAYER,P,R,F, then a line for each layer."


class BaselineMissing(ResourceMissing):
    """The file of a baseline is not where it should be."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"There is no baseline of bert_score at {path}. {_FORM}")


class BaselineUnusable(ScoringError):
    """The file of a baseline does not say what is needed."""

    def __init__(self, path: Path, fault: str) -> None:
        super().__init__(f"The baseline of bert_score at {path} {fault}. {_FORM}")


@dataclass(frozen=True, slots=True)
class Baseline:
    """Mean F of unrelated captions by layer, from the input (0) on.

    ``identity`` is ``name@xxxxxxxx``, as it stands in signatures: the first 8 hex digits of the
    sha256 of its file.
    """

    path: Path
    identity: str
    by_layer: tuple[float, ...]

    def rescaled(self, f: NDArray[np.float64], layer: int) -> NDArray[np.float64]:
        """F so that unrelated captions have 0 and equal ones 1; below 0 where it is less."""
        base = self.of(layer)
        return (f - base) / (1 - base)

    def of(self, layer: int) -> float:
        """F of unrelated captions at a layer, or raise ``BaselineUnusable``."""
        if not 0 <= layer < len(self.by_layer):
            raise BaselineUnusable(self.path, f"has no line for layer {layer}")
        return self.by_layer[layer]


def read_baseline(path: str) -> Baseline:
    """Read a baseline, or raise ``BaselineMissing`` or ``BaselineUnusable``."""
    file = Path(path)
    if not file.is_file():
        raise BaselineMissing(file)
    try:
        rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
        by_layer = tuple(float(row["F"]) for row in rows)
        in_order = [int(row["LAYER"]) for row in rows] == list(range(len(rows)))
    except KeyError as error:
        raise BaselineUnusable(file, f"has no column {error}") from error
    except (TypeError, ValueError, csv.Error) as error:
        raise BaselineUnusable(file, f"cannot be read: {error}") from error
    if not rows or not in_order:
        raise BaselineUnusable(file, "does not have the layers 0, 1, 2 and so on in order")
    if not all(-1 <= value < 1 for value in by_layer):
        raise BaselineUnusable(file, "has a value that is no F below 1")
    return Baseline(file, f"{file.stem}@{weights_digest(file)[:8]}", by_layer)


def layers_of(folder: Path) -> int:
    """Number of the last layer of the model in a folder, or raise ``ResourceMissing``."""
    for path in (folder / "config.json", *sorted(folder.glob("*/config.json"))):
        if path.is_file():
            config = json.loads(path.read_text(encoding="utf-8"))
            layers = config.get("num_hidden_layers", config.get("n_layers"))
            if layers is not None:
                return int(layers)
    raise ResourceMissing(
        f"The model in {folder} does not say how many layers it has. Give the layer by its number."
    )
