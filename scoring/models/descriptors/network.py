"""The token classifier: the packaged encoder with low-rank updates and a linear head.

Source of the updates: Hu et al., LoRA, ICLR 2022. Only the updates and the
head are trained and stored; the encoder's own weights stay as they are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

_ADAPTED = ("query", "key", "value", "dense")


@dataclass(frozen=True, slots=True)
class Shape:
    """What fixes the trained part: label counts of the heads, rank and scale of the updates."""

    heads: Mapping[str, int]
    rank: int = 8
    alpha: float = 16.0
    dropout: float = 0.1


class LowRank(nn.Module):
    """A linear layer plus ``alpha / rank * B A``, with B zero at first."""

    def __init__(self, base: nn.Linear, shape: Shape) -> None:
        super().__init__()
        self.base = base
        self.scale = shape.alpha / shape.rank
        self.dropout = nn.Dropout(shape.dropout)
        self.down = nn.Parameter(torch.empty(shape.rank, base.in_features))
        self.up = nn.Parameter(torch.zeros(base.out_features, shape.rank))
        nn.init.kaiming_uniform_(self.down, a=5**0.5)

    def forward(self, inputs: Tensor) -> Tensor:
        """Apply the layer with its update."""
        update = nn.functional.linear(self.dropout(inputs), self.down)
        found = self.base(inputs) + self.scale * nn.functional.linear(update, self.up)
        return cast("Tensor", found)

    def merged(self) -> nn.Linear:
        """Add the update to the layer itself, which then costs nothing more."""
        with torch.no_grad():
            self.base.weight += self.scale * (self.up @ self.down)
        return self.base


class Network(nn.Module):
    """Logits of every sub-token, for each named head."""

    def __init__(self, folder: Path, shape: Shape) -> None:
        super().__init__()
        self.encoder = _encoder(folder)
        self.encoder.requires_grad_(requires_grad=False)
        _adapt(self.encoder.encoder, shape)
        width = int(self.encoder.config.hidden_size)
        self.dropout = nn.Dropout(shape.dropout)
        self.heads = nn.ModuleDict({name: nn.Linear(width, n) for name, n in shape.heads.items()})

    def forward(self, ids: Tensor, mask: Tensor | None = None) -> dict[str, Tensor]:
        """Give logits, shape (captions, sub-tokens, labels), by head."""
        found = self.encoder(input_ids=ids, attention_mask=mask)
        hidden = self.dropout(found.last_hidden_state)
        return {name: head(hidden) for name, head in self.heads.items()}

    def trained(self) -> dict[str, Tensor]:
        """Give what is trained and stored, by name."""
        return {name: value for name, value in self.named_parameters() if value.requires_grad}

    def merge(self) -> None:
        """Put the updates into the layers; for use only, as nothing is left to train."""
        _merge(self.encoder.encoder)


def _encoder(folder: Path) -> Any:
    """Read a BERT encoder without its pooler, which nothing here uses."""
    from transformers import BertConfig, BertModel

    config: Any = BertConfig.from_pretrained(str(folder), local_files_only=True)
    encoder: Any = BertModel(config, add_pooling_layer=False)
    stored = load_file(folder / "model.safetensors")
    encoder.load_state_dict(
        {name: value for name, value in stored.items() if not name.startswith("pooler.")},
        strict=False,
    )
    return encoder


def _adapt(module: nn.Module, shape: Shape) -> None:
    """Give every linear layer of the encoder an update."""
    for name, child in list(module.named_children()):
        if isinstance(child, nn.Linear) and name in _ADAPTED:
            setattr(module, name, LowRank(child, shape))
        else:
            _adapt(child, shape)


def _merge(module: nn.Module) -> None:
    for name, child in list(module.named_children()):
        if isinstance(child, LowRank):
            setattr(module, name, child.merged())
        else:
            _merge(child)
