"""Files of a training: checkpoints to go on from, and the folder that it writes.

A work folder holds per part of a plan (a training, a fold, a step of the curve)
one file of safetensors while it is under way, and what came of it as JSON when it
is done. Each names what it was made from; what was made from something else is
not used. Files replace each other whole.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from earmark.errors import ScoringError

_FORM = 1  # of these files; another number makes older ones unusable


@dataclass(frozen=True, slots=True)
class Epoch:
    """An epoch that is done: from 1, its mean loss, its F1 (None: none judged), its seconds."""

    epoch: int
    loss: float
    f1: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class PartialEpoch:
    """Unfinished epoch: batches done, the sum of their losses, seconds so far."""

    batches: int
    loss: float
    seconds: float


EPOCH_START = PartialEpoch(0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class CheckpointStore:
    """Files of one part of a plan in a work folder; without a folder nothing is kept.

    ``made_from`` is a hash of all that decides the weights.
    """

    folder: Path | None
    part: str
    made_from: str

    def checkpoint(self) -> "Checkpoint | None":
        """The last checkpoint; None where there is none that is whole and of this plan."""
        if self.folder is None:
            return None
        try:
            with safe_open(self._path("safetensors"), framework="pt") as file:
                metadata = file.metadata() or {}
                if metadata.get("made_from") != self.made_from:
                    return None
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
                epochs = [Epoch(**epoch) for epoch in json.loads(metadata["epochs"])]
                within = (
                    PartialEpoch(**json.loads(metadata["within"]))
                    if "within" in metadata
                    else EPOCH_START
                )
        except (OSError, ValueError, KeyError, TypeError, SafetensorError):
            return None
        return Checkpoint(tensors, epochs, within)

    def keep(self, checkpoint: "Checkpoint") -> None:
        """Replace the last checkpoint."""
        if self.folder is None:
            return
        metadata = {
            "made_from": self.made_from,
            "epochs": json.dumps([asdict(epoch) for epoch in checkpoint.epochs]),
            "within": json.dumps(asdict(checkpoint.within)),
        }
        fresh = self._path("new")
        save_file(checkpoint.tensors, fresh, metadata=metadata)
        _flush_and_replace(fresh, self._path("safetensors"))

    def result(self) -> dict[str, Any] | None:
        """Stored result of this part, None where it is not done."""
        if self.folder is None:
            return None
        try:
            metadata: dict[str, Any] = json.loads(self._path("json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return metadata if metadata.get("made_from") == self.made_from else None

    def finish(self, result: Mapping[str, Any]) -> None:
        """Store the result of this part and remove its checkpoint."""
        if self.folder is None:
            return
        fresh = self._path("new")
        fresh.write_text(json.dumps({**result, "made_from": self.made_from}), encoding="utf-8")
        _flush_and_replace(fresh, self._path("json"))
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
    within: PartialEpoch = EPOCH_START


def new_checkpoint(
    trained: Mapping[str, Tensor],
    optimiser: torch.optim.Optimizer,
    epochs: list[Epoch],
    device: str,
    within: PartialEpoch = EPOCH_START,
) -> Checkpoint:
    """Make a checkpoint of a training between two batches."""
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


def training_hash(*values: object) -> str:
    """Sha256 of values that JSON can hold, with the versions that decide the weights."""
    text = json.dumps([_FORM, torch.__version__, *values], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _flush_and_replace(fresh: Path, final: Path) -> None:
    """Put a file in its place when it is on the disk, not before."""
    with fresh.open("rb") as file:
        os.fsync(file.fileno())
    fresh.replace(final)


class CannotWrite(ScoringError):
    """A folder that cannot be written into."""

    def __init__(self, folder: Path, error: OSError) -> None:
        super().__init__(f"Cannot write into {folder}: {error.strerror}. Give another folder.")


def write_folder(out: Path, write: Callable[[Path], None], texts: Mapping[str, str]) -> None:
    """Write a folder beside ``out`` and move it there in one step.

    ``write`` fills the folder, ``texts`` are further files. Where ``out`` holds files
    already its other files stay, and each new one takes the place of the old in one
    step, ``config.json`` last. Raises ``CannotWrite``.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    except OSError as error:
        raise CannotWrite(out, error) from error
    try:
        write(fresh)
        for name, text in texts.items():
            (fresh / name).write_text(text, encoding="utf-8")
        fresh.chmod(0o755)
        if out.is_dir() and any(out.iterdir()):
            for path in sorted(fresh.iterdir(), key=lambda path: path.name == "config.json"):
                path.replace(out / path.name)
        else:
            fresh.replace(out)  # an empty folder gives way
    except OSError as error:
        raise CannotWrite(out, error) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
