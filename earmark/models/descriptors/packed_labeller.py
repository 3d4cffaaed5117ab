"""Labellers on the packaged encoder, without transformers, which takes seconds to import."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor

from earmark.models.bert import PackedBert, read_bert_shape, steady_linear
from earmark.models.descriptors.files import (
    backbone_of,
    check_made_for,
    check_names,
    classes_of_transformers,
    damage_told,
    read_config,
    read_weights,
)
from earmark.models.descriptors.subwords import Subwords, subwords_in
from earmark.models.threads import one_thread

# Linear layers of the encoder, each of which has a low-rank update.
_LINEAR = re.compile(r"encoder\.layer\..*(query|key|value|dense)\.weight")
_HEAD = "heads.labels."
_WORDS = "embeddings.word_embeddings.weight"


class PackedLabeller:
    """A labeller whose updates are in the encoder's layers."""

    def __init__(self, bert: PackedBert, subwords: Subwords, head: Sequence[Tensor]) -> None:
        self._bert = bert
        self._head = [weights.to(bert.device) for weights in head]
        self.subwords = subwords
        self.known_ids = bert.known_ids

    def logits(self, pieces: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], Tensor]]:
        """Places of pieces of one length, and logits, shape (pieces, sub-words, labels)."""
        for places, states, _ in self._bert.states(pieces):
            with torch.inference_mode(), one_thread():
                logits = self._labelled(states)
            yield places, logits

    def _labelled(self, states: Tensor) -> Tensor:
        rows = states.reshape(-1, states.shape[-1])
        return steady_linear(rows, self._head[0], self._head[1]).view(*states.shape[:2], -1)


def load_packed(folder: Path, device: str) -> PackedLabeller | None:
    """Read a labeller of low-rank updates of the packaged encoder; None where it is another kind.

    Raises as ``load_network`` does.
    """
    if classes_of_transformers(folder):
        return None
    config = read_config(folder)
    if config.method != "lora" or config.hidden:
        return None
    with damage_told(folder):
        backbone = backbone_of(folder, config)
        shape = read_bert_shape(backbone.folder) if backbone.packaged else None
        if shape is None:
            return None
        stored = read_weights(folder, config)
        check_made_for(folder, config)
        weights = load_file(backbone.folder / "model.safetensors")
        places = {
            name: f"encoder.{name.removesuffix('weight')}"
            for name in weights
            if _LINEAR.fullmatch(name)
        }
        updates = {name: (f"{place}down", f"{place}up") for name, place in places.items()}
        heads = [f"{_HEAD}weight", f"{_HEAD}bias"]
        wanted = [one for names in updates.values() for one in names]
        check_names(folder, stored, [*wanted, *heads])
        _check_sizes(stored, weights, updates, len(config.labels))
        for name, (down, up) in updates.items():
            weights[name] += config.alpha / config.rank * (stored[up] @ stored[down])
        bert = PackedBert(weights, shape, device)
        return PackedLabeller(bert, subwords_in(backbone.folder), [stored[name] for name in heads])


def _check_sizes(
    stored: Mapping[str, Tensor],
    weights: Mapping[str, Tensor],
    updates: Mapping[str, tuple[str, str]],
    labels: int,
) -> None:
    """Raise ValueError where updates or the head are not of the encoder's sizes."""
    width = weights[_WORDS].shape[1]
    fit = stored[f"{_HEAD}weight"].shape == (labels, width)
    fit = fit and stored[f"{_HEAD}bias"].shape == (labels,)
    for name, (down, up) in updates.items():
        rows, columns = weights[name].shape
        fit = fit and stored[down].shape[1:] == (columns,) and stored[up].shape[:1] == (rows,)
    if not fit:
        raise ValueError("its weights are not of the sizes that config.json tells")
