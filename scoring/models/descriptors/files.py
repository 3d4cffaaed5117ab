"""A labeller in a folder: what it is made of and its trained weights."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from scoring.errors import ResourceMissing
from scoring.models.descriptors.network import Network, Shape
from scoring.models.encoder import find_encoder

WEIGHTS = "model.safetensors"
CONFIG = "config.json"


class LabellerDamaged(ResourceMissing):
    """A labeller's folder that does not hold what it should."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"The descriptor labeller in {path} cannot be read: {reason}. "
            "Give a folder that was written by: python -m scoring train descriptors"
        )
        self.path = path


@dataclass(frozen=True, slots=True)
class Config:
    """What a labeller is: its name, its labels in order, and the encoder under it.

    ``encoder`` is the encoder's identity, ``name@xxxxxxxx``: the updates mean
    nothing on other weights.
    """

    name: str
    labels: tuple[str, ...]
    encoder: str
    rank: int
    alpha: float

    @property
    def shape(self) -> Shape:
        """The network's shape, with the one head that is kept."""
        return Shape({"labels": len(self.labels)}, self.rank, self.alpha)


def save_labeller(folder: Path, config: Config, trained: dict[str, torch.Tensor]) -> None:
    """Write a labeller; ``trained`` has the updates and the head named ``labels``."""
    folder.mkdir(parents=True, exist_ok=True)
    told = {
        "name": config.name,
        "labels": list(config.labels),
        "encoder": config.encoder,
        "rank": config.rank,
        "alpha": config.alpha,
    }
    (folder / CONFIG).write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    kept = {name: value.detach().cpu().float().contiguous() for name, value in trained.items()}
    save_file(kept, folder / WEIGHTS)


def read_config(folder: Path) -> Config:
    """Read what a labeller is made of; raise ``LabellerDamaged``."""
    try:
        told: dict[str, Any] = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        labels = tuple(str(label) for label in told["labels"])
        return Config(
            str(told["name"]), labels, str(told["encoder"]), int(told["rank"]), float(told["alpha"])
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LabellerDamaged(folder, _line(error)) from error


def load_network(folder: Path, device: str) -> Network:
    """Read a labeller for use, its updates merged into the encoder's layers."""
    config = read_config(folder)
    encoder = find_encoder()
    if encoder.identity != config.encoder:
        raise LabellerDamaged(folder, f"it is for {config.encoder}, not for {encoder.identity}")
    with torch.random.fork_rng(devices=[]):  # what is drawn is overwritten by what is read
        network = Network(encoder.folder, config.shape)
    try:
        stored = load_file(folder / WEIGHTS)
        unknown = network.load_state_dict(stored, strict=False).unexpected_keys
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise LabellerDamaged(folder, _line(error)) from error
    missing = network.trained().keys() - stored.keys()
    if unknown or missing:
        names = ", ".join(sorted([*unknown, *missing])[:4])
        raise LabellerDamaged(folder, f"weights that do not fit: {names}")
    network.merge()
    return network.to(device).eval()


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
