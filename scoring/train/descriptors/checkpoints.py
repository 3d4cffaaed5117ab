"""Checkpoints of a training: what it takes to go on as if it had never stopped.

A work folder holds per part of a plan (a training, a fold, a step of the curve)
one file of safetensors while it is under way, and what came of it as JSON when it
is done. Each names what it was made from; what was made from something else is
not used. Files replace each other whole.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

_FORM = 1  # of these files; another number makes older ones unusable


@dataclass(frozen=True, slots=True)
class Epoch:
    """An epoch that is done: from 1, its mean loss, its F1 (None: none judged), its seconds."""

    epoch: int
    loss: float
    f1: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Within:
    """An epoch that is under way: batches done of it, the sum of their losses, its seconds."""

    batches: int
    loss: float
    seconds: float


BEGINNING = Within(0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Desk:
    """The place of one part's files in a work folder; without a folder nothing is kept.

    ``made_from`` is a hash of all that decides the weights.
    """

    folder: Path | None
    part: str
    made_from: str

    def checkpoint(self) -> "Checkpoint | None":
        """Give the last checkpoint; None where there is none that is whole and of this plan."""
        if self.folder is None:
            return None
        try:
            with safe_open(self._path("safetensors"), framework="pt") as file:
                told = file.metadata() or {}
                if told.get("made_from") != self.made_from:
                    return None
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
                epochs = [Epoch(**one) for one in json.loads(told["epochs"])]
                within = Within(**json.loads(told["within"])) if "within" in told else BEGINNING
        except (OSError, ValueError, KeyError, TypeError, SafetensorError):
            return None
        return Checkpoint(tensors, epochs, within)

    def keep(self, checkpoint: "Checkpoint") -> None:
        """Put a checkpoint in the place of the last one."""
        if self.folder is None:
            return
        told = {
            "made_from": self.made_from,
            "epochs": json.dumps([asdict(one) for one in checkpoint.epochs]),
            "within": json.dumps(asdict(checkpoint.within)),
        }
        fresh = self._path("new")
        save_file(checkpoint.tensors, fresh, metadata=told)
        _settle(fresh, self._path("safetensors"))

    def result(self) -> dict[str, Any] | None:
        """Give what came of this part, None where it is not done."""
        if self.folder is None:
            return None
        try:
            told: dict[str, Any] = json.loads(self._path("json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return told if told.get("made_from") == self.made_from else None

    def finish(self, result: Mapping[str, Any]) -> None:
        """Keep what came of this part, and let its checkpoint go."""
        if self.folder is None:
            return
        fresh = self._path("new")
        fresh.write_text(json.dumps({**result, "made_from": self.made_from}), encoding="utf-8")
        _settle(fresh, self._path("json"))
        with suppress(OSError):
            self._path("safetensors").unlink()

    def _path(self, ending: str) -> Path:
        return (self.folder or Path()) / f"{self.part}.{ending}"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Trained weights, moments of the optimiser and state of chance after some epochs.

    ``within`` is how far the next epoch is.
    """

    tensors: dict[str, Tensor]
    epochs: list[Epoch]
    within: Within = BEGINNING


def taken(
    trained: Mapping[str, Tensor],
    optimiser: torch.optim.Optimizer,
    epochs: list[Epoch],
    device: str,
    within: Within = BEGINNING,
) -> Checkpoint:
    """Take a checkpoint of a training that stands between two batches."""
    tensors = {"chance": torch.random.get_rng_state()}
    if device != "cpu":
        tensors["chance.cuda"] = torch.cuda.get_rng_state()
    for name, value in trained.items():
        tensors[f"weight.{name}"] = value.detach()
        for kind, state in optimiser.state[value].items():
            tensors[f"moment.{kind}.{name}"] = state.detach()
    # Copies: what goes on being trained must not change what is being written.
    whole = {name: value.cpu().contiguous().clone() for name, value in tensors.items()}
    return Checkpoint(whole, list(epochs), within)


def restore(
    checkpoint: Checkpoint,
    trained: Mapping[str, Tensor],
    optimiser: torch.optim.Optimizer,
    device: str,
) -> None:
    """Put a training back to where a checkpoint was taken."""
    stored = checkpoint.tensors
    with torch.no_grad():
        for name, value in trained.items():
            value.copy_(stored[f"weight.{name}"])
            if f"moment.step.{name}" not in stored:
                continue  # a head of a set of which no batch had a caption yet
            optimiser.state[value] = {
                "step": stored[f"moment.step.{name}"],  # a count: stays on the CPU
                "exp_avg": stored[f"moment.exp_avg.{name}"].to(device),
                "exp_avg_sq": stored[f"moment.exp_avg_sq.{name}"].to(device),
            }
    torch.random.set_rng_state(stored["chance"])
    if device != "cpu":
        torch.cuda.set_rng_state(stored["chance.cuda"])


def hash_of(*told: object) -> str:
    """Give the sha256 of values that JSON can hold, with the versions that decide the weights."""
    text = json.dumps([_FORM, torch.__version__, *told], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _settle(fresh: Path, final: Path) -> None:
    """Put a file in its place when it is on the disk, not before."""
    with fresh.open("rb") as file:
        os.fsync(file.fileno())
    fresh.replace(final)
