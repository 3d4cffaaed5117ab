"""The token classifier: a backbone and a head over each sub-word.

Three methods say what is trained and stored: ``lora`` low-rank updates of the
backbone's linear layers and the head (Hu et al., LoRA, ICLR 2022), ``head``
the head alone, ``full`` every weight.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import torch
from torch import Tensor, nn

from scoring.models.descriptors.subwords import Subwords
from scoring.models.loaded_encoder import equal_length_batches

_BATCH = 16  # pieces of one length that are labelled together

Method = Literal["lora", "head", "full"]
METHODS: tuple[Method, ...] = get_args(Method)


@dataclass(frozen=True, slots=True)
class LabellerShape:
    """Sizes and method that fix the trained part.

    ``heads`` are the label counts by name; ``rank`` and ``alpha`` are of the
    updates (``lora``); ``hidden`` is the width of the head's inner layer, 0 for
    a head of one linear layer.
    """

    heads: Mapping[str, int]
    rank: int = 8
    alpha: float = 16.0
    dropout: float = 0.1
    method: Method = "lora"
    hidden: int = 0


class LowRank(nn.Module):
    """A linear layer plus ``alpha / rank * B A``, with B zero at first."""

    def __init__(self, base: nn.Linear, shape: LabellerShape) -> None:
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
        outputs = self.base(inputs) + self.scale * nn.functional.linear(update, self.up)
        return cast("Tensor", outputs)

    def merged(self) -> nn.Linear:
        """Add the update to the layer itself, which then costs nothing more."""
        with torch.no_grad():
            self.base.weight += self.scale * (self.up @ self.down)
        return self.base


class DescriptorNetwork(nn.Module):
    """Logits of every sub-word, for each named head.

    ``encoder`` is a transformers model without pooler, ``subwords`` what cuts
    words for it.
    """

    def __init__(self, encoder: Any, subwords: Subwords, shape: LabellerShape) -> None:
        super().__init__()
        self.encoder = encoder
        self.subwords = subwords
        self.frozen = shape.method == "head"
        self.encoder.requires_grad_(shape.method == "full")
        if shape.method == "lora":
            _add_updates(self.encoder, shape)
        width = int(self.encoder.config.hidden_size)
        self.dropout = nn.Dropout(shape.dropout)
        self.heads = nn.ModuleDict(
            {name: _head(width, count, shape) for name, count in shape.heads.items()}
        )

    def forward(self, ids: Tensor, mask: Tensor | None = None) -> dict[str, Tensor]:
        """Logits by head, shape (captions, sub-words, labels)."""
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.frozen):
            states = self.encoder(input_ids=ids, attention_mask=mask, return_dict=True)
        hidden = self.dropout(states.last_hidden_state)
        return {name: head(hidden) for name, head in self.heads.items()}

    @property
    def known_ids(self) -> int:
        """Ids of sub-words are below this."""
        return int(self.encoder.get_input_embeddings().num_embeddings)

    def logits(self, pieces: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], Tensor]]:
        """Places of pieces of one length, and logits, shape (pieces, sub-words, labels).

        Batches always have the same number of pieces, the last one repeated where some are
        missing, so that none depends on the others.
        """
        device = next(self.parameters()).device
        for places in equal_length_batches([len(ids) for ids in pieces], _BATCH):
            block = [pieces[place] for place in places]
            block += block[-1:] * (_BATCH - len(block))
            with torch.inference_mode():
                logits = self(torch.tensor(block, device=device))["labels"]
            yield places.tolist(), logits[: len(places)]

    def train(self, mode: bool = True) -> "DescriptorNetwork":
        """Go into training; a frozen backbone stays as it is in use, without dropout."""
        super().train(mode)
        if self.frozen:
            self.encoder.eval()
        return self

    def trained(self) -> dict[str, Tensor]:
        """Weights that are trained and stored, by name."""
        return {name: value for name, value in self.named_parameters() if value.requires_grad}

    def merge(self) -> None:
        """Put the updates into the layers; for use only, as nothing is left to train."""
        _merge(self.encoder)


def head_name(name: str) -> str:
    """Module name of an inventory's head; encoded, as torch allows few characters."""
    return f"set-{name.encode().hex()}"


def _head(width: int, count: int, shape: LabellerShape) -> nn.Module:
    if not shape.hidden:
        return nn.Linear(width, count)
    return nn.Sequential(
        nn.Linear(width, shape.hidden),
        nn.GELU(),
        nn.Dropout(shape.dropout),
        nn.Linear(shape.hidden, count),
    )


def _add_updates(module: nn.Module, shape: LabellerShape) -> None:
    """Wrap every linear layer of the encoder in a low-rank update."""
    for name, child in list(module.named_children()):
        if isinstance(child, nn.Linear):
            setattr(module, name, LowRank(child, shape))
        else:
            _add_updates(child, shape)


def _merge(module: nn.Module) -> None:
    for name, child in list(module.named_children()):
        if isinstance(child, LowRank):
            setattr(module, name, child.merged())
        else:
            _merge(child)
