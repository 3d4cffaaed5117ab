"""A labeller that brings a whole network along, and the ways in which one can be made hostile."""

import hashlib
import json
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from earmark.train.descriptors import default_recipe, read_sets, save_trained, train
from tests.earmark.descriptors.records import SMALL
from tests.earmark.descriptors.tiny import tiny_backbone

TOKENISER = "tokenizer.json"
Change = Callable[[dict[str, Any]], Any]


@cache
def whole() -> Path:
    """Train every weight of a tiny RoBERTa, once per process; give the labeller's folder.

    The backbone is gone then, as on a server that never had it.
    """
    home = Path(mkdtemp(prefix="earmark-whole-"))
    (home / "labels.jsonl").write_text(SMALL, encoding="utf-8")
    backbone = tiny_backbone(home / "backbone", "roberta")
    recipe = default_recipe("full", str(backbone), epochs=1, name="whole")
    sets = read_sets([home / "labels.jsonl"])
    save_trained(train(sets, recipe), sets[0], recipe, home / "out")
    shutil.rmtree(backbone)
    return home / "out"


def changed(
    place: Path,
    *,
    tokeniser: Change | None = None,
    architecture: dict[str, Any] | None = None,
    weights: Change | None = None,
) -> Path:
    """Write a copy with another tokeniser, architecture or weights, its hashes put right."""
    from safetensors.torch import load_file

    shutil.copytree(whole(), place)
    stored = load_file(place / "model.safetensors")
    if tokeniser is not None:
        told = tokeniser(json.loads(stored[TOKENISER].numpy().tobytes()))
        _write(stored, told if isinstance(told, bytes) else json.dumps(told).encode())
    if weights is not None:
        weights(stored)
    signed(place, stored)
    config = json.loads((place / "config.json").read_text())
    config["architecture"].update(architecture or {})
    (place / "config.json").write_text(json.dumps(config))
    return place


def signed(place: Path, stored: dict[str, Any]) -> None:
    """Write weights as anyone can: without saying which configuration they were made for."""
    from safetensors.torch import save_file

    save_file(stored, place / "model.safetensors")
    config = json.loads((place / "config.json").read_text())
    config["digest"] = hashlib.sha256((place / "model.safetensors").read_bytes()).hexdigest()
    (place / "config.json").write_text(json.dumps(config))


def _write(stored: dict[str, Any], text: bytes) -> None:
    import torch

    stored[TOKENISER] = torch.frombuffer(bytearray(text), dtype=torch.uint8)
