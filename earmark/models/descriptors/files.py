"""Files of a labeller in a folder: its configuration and its trained weights."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file

from earmark.errors import ResourceMissing
from earmark.models.descriptors.backbone import BACKBONE_LOCATION, Backbone, find_backbone
from earmark.models.descriptors.network import (
    METHODS,
    DescriptorNetwork,
    LabellerShape,
    Method,
    architecture_choices,
    network_for_weights,
    network_on_backbone,
)

WEIGHTS = "model.safetensors"
CONFIG = "config.json"
# What the weights say of the configuration that they were written with. Signatures have the hash of
# the weights alone: with labels in another order, say, the same one would stand for other scores.
_CONFIG_HASH = "made_for"
_TOKENISER = "tokenizer.json"  # name of the tensor that holds its bytes


class LabellerDamaged(ResourceMissing):
    """A labeller's folder that does not hold what it should."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"The descriptor labeller in {path} cannot be read: {reason}. "
            "Give a folder that was written by: python -m earmark train descriptors"
        )
        self.path = path


@dataclass(frozen=True, slots=True)
class LabellerConfig:
    """Configuration of a labeller: its name, its labels in order, and its encoder.

    ``encoder`` is the backbone's identity, ``name@xxxxxxxx``: updates and heads
    mean nothing on other weights. ``backbone`` is where it was found ("": the
    packaged one), a folder as an absolute path. A ``full`` labeller needs no
    backbone: it has all weights, the tokeniser among them, and its
    ``architecture``. ``digest`` is the sha256 of the weights' file, empty in
    labellers made before it was written down.
    """

    name: str
    labels: tuple[str, ...]
    encoder: str
    rank: int
    alpha: float
    method: Method = "lora"
    backbone: str = ""
    hidden: int = 0
    architecture: dict[str, Any] = field(default_factory=dict)
    digest: str = ""

    @property
    def shape(self) -> LabellerShape:
        """The network's shape, with the one head that is kept."""
        return LabellerShape(
            {"labels": len(self.labels)},
            self.rank,
            self.alpha,
            method=self.method,
            hidden=self.hidden,
        )


def save_labeller(
    folder: Path, config: LabellerConfig, trained: dict[str, torch.Tensor], tokeniser: str = ""
) -> None:
    """Write a labeller; ``trained`` has what was trained, its head named ``labels``.

    A ``full`` labeller also keeps the text of its ``tokeniser``. Both files are on
    the disk when this returns.
    """
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: value.detach().cpu().float().contiguous() for name, value in trained.items()}
    if config.method == "full":
        weights[_TOKENISER] = torch.frombuffer(bytearray(tokeniser.encode()), dtype=torch.uint8)
    save_file(weights, folder / WEIGHTS, metadata={_CONFIG_HASH: _config_hash(config)})
    (folder / WEIGHTS).chmod(0o644)  # else only who trained it could use it
    _flush_to_disk(folder / WEIGHTS)
    settings = asdict(replace(config, digest=_digest(folder / WEIGHTS)))
    if architecture := settings.pop("architecture"):
        settings["architecture"] = architecture
    (folder / CONFIG).write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    _flush_to_disk(folder / CONFIG)


def read_config(folder: Path) -> LabellerConfig:
    """Read what a labeller is made of; raise ``LabellerDamaged``."""
    try:
        settings: dict[str, Any] = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        method = str(settings.get("method", "lora"))
        known_method = next((known for known in METHODS if known == method), None)
        if known_method is None:
            raise ValueError(f"there is no method {method!r}")  # noqa: TRY301 - reported with the rest
        return LabellerConfig(
            str(settings["name"]),
            tuple(str(label) for label in settings["labels"]),
            str(settings["encoder"]),
            int(settings["rank"]),
            float(settings["alpha"]),
            known_method,
            str(settings.get("backbone", "")),
            int(settings.get("hidden", 0)),
            dict(settings.get("architecture", {})),
            str(settings.get("digest", "")),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LabellerDamaged(folder, _one_line(error)) from error


def load_network(folder: Path, device: str) -> DescriptorNetwork:
    """Read a labeller for use, its updates merged into the encoder's layers.

    Raises ``LabellerDamaged``, and ``BackboneMissing`` where it stands on a
    backbone that is not on this machine.
    """
    if classes := classes_of_transformers(folder):
        return _token_classifier(folder, classes).to(device).eval()
    config = read_config(folder)
    with damage_told(folder):
        stored = read_weights(folder, config)
        network = _network(folder, config, stored)
        check_made_for(folder, config)
        network.load_state_dict(stored, strict=False)
    # Weights of the encoder beside updates would make another encoder than the one that is named.
    check_names(folder, stored, network.trained())
    network.merge()
    return network.to(device).eval()


def classes_of_transformers(folder: Path) -> int:
    """How many labels a token classifier has that transformers saved; 0 for a labeller of ours."""
    with damage_told(folder):
        settings = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        return len(settings.get("id2label", ())) if isinstance(settings, dict) else 0


def _token_classifier(folder: Path, classes: int) -> DescriptorNetwork:
    """Read such a model: its encoder as a backbone, its classifier as the head."""
    shape = LabellerShape({"labels": classes}, method="head")
    network = network_on_backbone(find_backbone(str(folder), relative=False), shape)
    with damage_told(folder), safe_open(folder / WEIGHTS, framework="pt") as weights:
        head = {name: weights.get_tensor(f"classifier.{name}") for name in ("weight", "bias")}
        network.heads["labels"].load_state_dict(head)
    return network


@contextmanager
def damage_told(folder: Path) -> Iterator[None]:
    """Raise ``LabellerDamaged`` with the reason where a labeller's files make no sense."""
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise LabellerDamaged(folder, _one_line(error)) from error


def read_weights(folder: Path, config: LabellerConfig) -> dict[str, torch.Tensor]:
    """Weights of a labeller by name, of the file and the sizes that its configuration tells."""
    if config.digest and config.digest != _digest(folder / WEIGHTS):
        raise LabellerDamaged(folder, "its weights are not those that config.json names")
    stored = load_file(folder / WEIGHTS)
    _check_sizes(config, stored)
    return stored


def check_made_for(folder: Path, config: LabellerConfig) -> None:
    """Raise ``LabellerDamaged`` where the weights were written with another configuration."""
    with safe_open(folder / WEIGHTS, framework="pt") as weights:
        written_for = (weights.metadata() or {}).get(_CONFIG_HASH)
    if written_for not in (None, _config_hash(config)):  # None: made before it was written down
        raise LabellerDamaged(folder, "its weights were made for another config.json")


def check_names(folder: Path, stored: Iterable[str], wanted: Iterable[str]) -> None:
    """Raise ``LabellerDamaged`` where weights are missing or too many are there."""
    odd = set(wanted) ^ set(stored)
    if odd:
        raise LabellerDamaged(folder, f"weights that do not fit: {', '.join(sorted(odd)[:4])}")


def _config_hash(config: LabellerConfig) -> str:
    """Hash all of a configuration that decides labels, beside the weights themselves."""
    settings = [
        *(config.labels, config.encoder, config.method, config.rank, config.hidden),
        *(float(config.alpha), architecture_choices(config.architecture)),
    ]
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def _network(
    folder: Path, config: LabellerConfig, stored: dict[str, torch.Tensor]
) -> DescriptorNetwork:
    """Make the network that the stored weights belong into; takes the tokeniser out of them."""
    with torch.random.fork_rng(devices=[]):  # what is drawn is overwritten by what is read
        if config.method == "full":
            text = stored.pop(_TOKENISER).numpy().tobytes().decode()
            return network_for_weights(config.architecture, text, config.shape, stored)
        return network_on_backbone(backbone_of(folder, config), config.shape)


def backbone_of(folder: Path, config: LabellerConfig) -> Backbone:
    """The backbone that a labeller stands on; ``LabellerDamaged`` where another lies there.

    It is the one noted beside the labeller, else the configured one.
    """
    noted = folder / BACKBONE_LOCATION
    place = noted.read_text(encoding="utf-8").strip() if noted.is_file() else config.backbone
    backbone = find_backbone(place, relative=False)
    if backbone.identity.rpartition("@")[2] != config.encoder.rpartition("@")[2]:
        raise LabellerDamaged(folder, f"it is for {config.encoder}, not for {backbone.identity}")
    return backbone


def _check_sizes(config: LabellerConfig, stored: dict[str, torch.Tensor]) -> None:
    """Raise ValueError or KeyError before memory is taken for sizes that nothing stored has."""
    downs = [value.shape[0] for name, value in stored.items() if name.endswith(".down")]
    if config.method == "lora" and set(downs) != {config.rank}:
        raise ValueError(f"there are no updates of rank {config.rank}")
    if config.hidden and stored["heads.labels.0.weight"].shape[0] != config.hidden:
        raise ValueError(f"its head is not of width {config.hidden}")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _flush_to_disk(path: Path) -> None:
    """Wait until a file is on the disk, so that a name never stands for half of one."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
