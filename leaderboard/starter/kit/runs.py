"""The folder of a training: what it is of, where it stands, and its best weights.

``run.json`` says what is trained, ``last.safetensors`` has all that is needed to go on,
``best.safetensors`` the best weights, ``log.json`` the numbers of every epoch. Nothing is pickled,
and every file appears as a whole or not at all.
"""

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from captions import InputUnusable, Vocabulary
from clotho_baseline import PRESETS as CLOTHO
from clotho_baseline import ClothoBaseline
from features import FeatureSettings
from modern_baseline import PRESETS as MODERN
from modern_baseline import ModernBaseline

Model = ClothoBaseline | ModernBaseline
PRESETS = {"clotho": CLOTHO, "modern": MODERN}


@dataclass(frozen=True)
class Run:
    """What is trained, on what, and how."""

    model: str
    preset: str
    seed: int
    size: int
    features: dict[str, Any]
    settings: dict[str, Any]
    training: dict[str, Any]
    data: dict[str, Any]
    vocabulary: list[str] = field(repr=False)

    @property
    def feature_settings(self) -> FeatureSettings:
        """What the features are made of."""
        return FeatureSettings(**self.features)

    def new_model(self) -> Model:
        """The model with weights as they are drawn."""
        words = len(Vocabulary(self.vocabulary))
        kind = ClothoBaseline if self.model == "clotho" else ModernBaseline
        return kind(words, self.size, **self.settings)


def run_open(folder: Path, run: Run) -> None:
    """Write what a run is, or check that the folder has the same one."""
    path = folder / "run.json"
    if path.exists() and (stored := run_read(folder)) != run:
        differing = [name for name, value in asdict(run).items() if asdict(stored)[name] != value]
        raise InputUnusable(
            f"{folder} has a training with other values of: {', '.join(differing)}. Choose another "
            "folder with --out, or give the same options to go on with it."
        )
    text = json.dumps(asdict(run), indent=1, ensure_ascii=False)
    file_write(path, lambda part: part.write_text(text, encoding="utf-8"))


def run_read(folder: Path) -> Run:
    """What a folder has the training of."""
    path = folder / "run.json"
    if not path.is_file():
        raise InputUnusable(f"{folder} has no training: there is no {path.name} in it.")
    return Run(**json.loads(path.read_text(encoding="utf-8")))


def best_model(folder: Path) -> tuple[Model, dict[str, Any]]:
    """The model with its best weights, and what is known of them."""
    path = folder / "best.safetensors"
    if not path.is_file():
        raise InputUnusable(
            f"{folder} has no weights yet: its training has not come to a validation."
        )
    tensors, info = tensors_read(path)
    model = run_read(folder).new_model()
    model.load_state_dict(tensors)
    return model.eval(), info


def tensors_write(path: Path, tensors: dict[str, Tensor], info: dict[str, Any]) -> None:
    """Store tensors and JSON in one file, so that they always belong together."""
    whole = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    header = {"info": json.dumps(info)}
    file_write(path, lambda part: save_file(whole, part, metadata=header))


def tensors_read(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What ``tensors_write`` stored."""
    with safe_open(path, framework="pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return tensors, json.loads(file.metadata()["info"])


def file_write(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside its place, make sure that it is on the disk, and put it there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    write(part)
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    part.replace(path)


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """What an optimiser remembers of each weight."""
    return {
        f"optimizer.{place}.{name}": value
        for place, values in optimizer.state_dict()["state"].items()
        for name, value in values.items()
    }


def optimizer_restore(optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    """Give an optimiser back what it remembered."""
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        if key.startswith("optimizer."):
            _, place, name = key.split(".")
            state.setdefault(int(place), {})[name] = value
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
