"""Fluency detectors: finding them, and the probabilities of errors that they compute.

The detector that ships with the library, one trained here, or the original
authors' checkpoint. torch is imported when the first caption is judged.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earmark.errors import ResourceMissing
from earmark.models.encoder import DEFAULT as WORDS_OF
from earmark.models.encoder import find_encoder, weights_digest
from earmark.models.fluency.vocabulary import CLASSES, normalise
from earmark.models.loaded_encoder import equal_length_batches
from earmark.models.threads import one_thread
from earmark.runtime import Device, Heartbeat, compute_device

Probabilities = NDArray[np.float32]

SHIPPED = Path(__file__).parents[2] / "resources" / "fluency"
_WEIGHTS = "model.safetensors"
_BATCH = 128


class DetectorMissing(ResourceMissing):
    """A fluency detector is not where it should be."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"There is no fluency detector at {path}. Give the folder of one trained with "
            "python -m earmark train fluency, or the original authors' .ckpt file."
        )
        self.path = path


@dataclass(frozen=True, slots=True)
class Detector:
    """A detector's folder, or the file of an original one.

    ``identity`` is ``name@xxxxxxxx``, as it stands in signatures: the first 8
    hex digits of the sha256 of its weights.
    """

    path: Path
    identity: str

    @property
    def original(self) -> bool:
        """Whether this is the original authors' checkpoint."""
        return self.path.is_file()


def find_detector(path: str = "") -> Detector:
    """Find a detector and hash its weights; loads nothing. Empty: the shipped one.

    Raises ``DetectorMissing``.
    """
    place = Path(path).resolve() if path else SHIPPED
    file = place / _WEIGHTS if place.is_dir() else place
    if not file.is_file():
        raise DetectorMissing(place)
    return Detector(place, f"{_name(place)}@{weights_digest(file)[:8]}")


def detect(
    detector: Detector,
    captions: Sequence[str],
    *,
    device: Device = "auto",
    heartbeat: Heartbeat | None = None,
) -> Probabilities:
    """Probability of each class of error, shape (captions, 6), order ``CLASSES``.

    Batches hold captions of one length in sub-words; one of few sub-words is filled up, so
    that a probability does not depend on the others: bit for bit on CPU.
    What is over the detector's longest input is not read. ``heartbeat(done, total)`` is
    called after each batch and may raise to stop.
    """
    place = compute_device(device)
    network, vocabulary, longest = _load(detector, place)
    ids = vocabulary.ids([normalise(caption) for caption in captions], longest=longest)
    out = np.zeros((len(captions), len(CLASSES)), np.float32)
    done = 0
    for rows in equal_length_batches([len(row) for row in ids], _BATCH):
        block = [ids[row] for row in rows]
        with one_thread():
            out[rows] = _batch_probabilities(network, block, place)
        done += len(rows)
        if heartbeat is not None:
            heartbeat(done, len(captions))
    return out


def _name(place: Path) -> str:
    if place.is_file():
        return place.stem
    try:
        return str(json.loads((place / "config.json").read_text(encoding="utf-8"))["name"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DetectorMissing(place) from error


@lru_cache(maxsize=2)
def _load(detector: Detector, device: str) -> tuple[Any, Any, int]:
    """Load a network, its vocabulary and its longest input; the identity tells weights apart."""
    if detector.original:
        from earmark.models.fluency.network import ORIGINAL_LONGEST, load_original

        words = find_encoder(WORDS_OF).folder
        return *load_original(detector.path, words, device), ORIGINAL_LONGEST
    from earmark.models.fluency.network import load_network

    network, vocabulary = load_network(detector.path, device)
    return network, vocabulary, network.shape.positions


def _batch_probabilities(network: Any, block: list[list[int]], device: str) -> Probabilities:
    import torch
    from torch.nn import functional

    from earmark.models.bert import LEAST_ROWS

    filled = block + block[-1:] * (ceil(LEAST_ROWS / len(block[0])) - len(block))
    with torch.inference_mode():
        logits = network(torch.tensor(filled, device=device))[: len(block)].float()
        # Numbers that are left over where many are computed at once may have other last bits.
        logits = functional.pad(logits, (0, 0, 0, -len(block) % LEAST_ROWS))
        probabilities: Probabilities = torch.sigmoid(logits)[: len(block)].cpu().numpy()
        return probabilities
