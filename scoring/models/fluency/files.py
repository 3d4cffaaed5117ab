"""A detector of ours in a folder: shape, sub-words and weights."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from scoring.errors import ResourceMissing
from scoring.models.fluency.network import Network, Shape
from scoring.models.fluency.vocabulary import Vocabulary

WEIGHTS = "model.safetensors"
CONFIG = "config.json"


class DetectorDamaged(ResourceMissing):
    """A detector's folder or file that does not hold what it should."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"The fluency detector in {path} cannot be read: {reason}. "
            "Give a folder that was written by: python -m scoring train fluency"
        )
        self.path = path


def save_detector(folder: Path, name: str, network: Network, vocabulary: Vocabulary) -> None:
    """Write a detector; weights in half precision, as the shipped file has a size to keep."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary.write(folder)
    config = {"name": name, "shape": asdict(network.shape)}
    (folder / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    save_file(
        {key: value.detach().cpu().half().contiguous() for key, value in weights(network).items()},
        folder / WEIGHTS,
    )


def load_network(folder: Path, device: str) -> tuple[Network, Vocabulary]:
    """Read a detector, in full precision from the weights as stored."""
    try:
        config: dict[str, Any] = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        network = Network(Shape(**config["shape"]))
        stored = load_file(folder / WEIGHTS)
        network.load_state_dict({key: value.float() for key, value in stored.items()})
        vocabulary = Vocabulary.read(folder)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise DetectorDamaged(folder, " ".join(str(error).split())[:200]) from error
    return network.to(device).eval(), vocabulary


def weights(network: Network) -> dict[str, torch.Tensor]:
    """Give the network's weights by name."""
    return dict(network.state_dict())
