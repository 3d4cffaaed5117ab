"""BERT encoders, computed for many texts at once without a place that is filled up.

Sub-words of many texts stand below one another, and attention is computed for texts of one
length together. So a short text among long ones costs what it has to, and one alone does too.
Source: Devlin et al., BERT, NAACL 2019.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from earmark.models.threads import allowed_threads, one_thread

Ids = Sequence[int]
# Places of texts of one length, and their states after the last layer and after another.
States = tuple[list[int], Tensor, Tensor]

# From so many rows on, a matrix product computes each of them alike, whatever the others are: the
# states of a text are the same bit for bit in any company. With fewer, other code runs.
LEAST_ROWS = 16
# Sub-words that are computed together on a CPU: more gain nothing there.
CPU_ROWS = 1024
# Packs for each thread that are computed before the first of them is taken.
_AHEAD = 4
# Numbers of 4 bytes that a sub-word takes at once, as a multiple of the widest layer; and the share
# of a card's free memory that they may take.
_NUMBERS_PER_ROW, _SHARE = 6, 0.25
_MOST_ROWS = 1 << 17


@dataclass(frozen=True, slots=True)
class BertShape:
    """What of an encoder's configuration decides what is computed from its weights."""

    layers: int
    heads: int
    epsilon: float


def bert_shape(config: Mapping[str, Any]) -> BertShape | None:
    """Shape of the encoder that a ``config.json`` describes; None where it is no plain BERT."""
    plain = (
        config.get("model_type") == "bert"
        and config.get("hidden_act") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and not config.get("is_decoder", False)
    )
    if not plain:
        return None
    return BertShape(
        int(config["num_hidden_layers"]),
        int(config["num_attention_heads"]),
        float(config.get("layer_norm_eps", 1e-12)),
    )


def read_bert_shape(folder: Path) -> BertShape | None:
    """``bert_shape`` of the ``config.json`` in a folder."""
    return bert_shape(json.loads((folder / "config.json").read_text(encoding="utf-8")))


Linear = tuple[Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class _Layer:
    """Weights and biases of a layer; queries, keys and values are one product."""

    queries_keys_values: Linear
    mix: Linear
    mix_norm: Linear
    inner: Linear
    outer: Linear
    outer_norm: Linear


class PackedBert:
    """An encoder for use. ``weights`` are named as transformers' ``BertModel`` names them.

    Full precision on every device, so that a GPU server and a laptop give the same scores.
    """

    def __init__(self, weights: Mapping[str, Tensor], shape: BertShape, device: str) -> None:
        def pair(*names: str) -> Linear:
            parts = [
                torch.cat([weights[f"{name}.{kind}"].float() for name in names])
                for kind in ("weight", "bias")
            ]
            return _read_along(parts[0].to(device)), parts[1].to(device)

        self.device = device
        self.layers = shape.layers
        self._heads, self._epsilon = shape.heads, shape.epsilon
        table = "embeddings.{}_embeddings.weight"
        kinds = weights[table.format("token_type")].float()
        self._words = weights[table.format("word")].float().to(device)
        # Every text is of the first kind.
        self._places = (weights[table.format("position")].float() + kinds[0]).to(device)
        self._norm = pair("embeddings.LayerNorm")
        self._layers = [_layer(pair, f"encoder.layer.{number}") for number in range(shape.layers)]

    @property
    def dimensions(self) -> int:
        """Numbers in the state of a sub-word."""
        return int(self._words.shape[1])

    @property
    def known_ids(self) -> int:
        """Ids of sub-words are below this."""
        return int(self._words.shape[0])

    def states(self, texts: Sequence[Ids], *, layer: int = -1) -> Iterator[States]:
        """States after the last layer and after another (-1: the last as well, 0: the input).

        Yields for one length after another the places in ``texts`` and both states, shape (texts,
        sub-words, dimensions): the longest first, so that memory runs out at once or never.
        """
        chosen = layer % (self.layers + 1)
        packs = list(_packs(texts, self.rows_at_once()))
        for computed in _in_threads(lambda pack: self._pack_states(texts, pack, chosen), packs):
            yield from computed

    def rows_at_once(self) -> int:
        """Sub-words that are computed together: on a card many, by its free memory."""
        if not self.device.startswith("cuda"):
            return CPU_ROWS
        free, _ = torch.cuda.mem_get_info(self.device)
        widest = max((layer.inner[1].numel() for layer in self._layers), default=self.dimensions)
        return rows_for(free, widest)

    @torch.inference_mode()
    def _pack_states(self, texts: Sequence[Ids], places: list[int], layer: int) -> list[States]:
        runs = [list(run) for _, run in groupby(places, key=lambda place: len(texts[place]))]
        sizes = [(len(run), len(texts[run[0]])) for run in runs]
        flat = [number for place in places for number in texts[place]]
        flat += flat[-1:] * (LEAST_ROWS - len(flat))
        last, chosen = self._computed(torch.tensor(flat, device=self.device), sizes, layer)
        start = 0
        packed: list[States] = []
        for run, (count, length) in zip(runs, sizes, strict=True):
            end = start + count * length
            size = (count, length, -1)
            packed.append((run, last[start:end].view(size), chosen[start:end].view(size)))
            start = end
        return packed

    def _computed(
        self, ids: Tensor, sizes: Sequence[tuple[int, int]], chosen: int
    ) -> tuple[Tensor, Tensor]:
        """States of sub-words below one another, of runs of ``sizes`` (texts, sub-words)."""
        where = torch.zeros_like(ids)
        parts = [torch.arange(length).repeat(count) for count, length in sizes]
        embedded = torch.cat(parts)
        where[: embedded.numel()] = embedded
        states = functional.embedding(ids, self._words) + functional.embedding(where, self._places)
        states = kept = self._normed(states, self._norm)
        for number, layer in enumerate(self._layers, 1):
            mixed = functional.linear(self._attended(states, layer, sizes), *layer.mix)
            states = self._normed(mixed.add_(states), layer.mix_norm)
            inner = functional.gelu(functional.linear(states, *layer.inner))
            outer = functional.linear(inner, *layer.outer)
            states = self._normed(outer.add_(states), layer.outer_norm)
            kept = states if number == chosen else kept
        return states, kept

    def _attended(self, states: Tensor, layer: _Layer, sizes: Sequence[tuple[int, int]]) -> Tensor:
        parts = functional.linear(states, *layer.queries_keys_values)
        attended = torch.zeros_like(states)
        start = 0
        for count, length in sizes:
            end = start + count * length
            queries, keys, values = (
                parts[start:end].view(count, length, 3, self._heads, -1).permute(2, 0, 3, 1, 4)
            )
            mixed = functional.scaled_dot_product_attention(queries, keys, values)
            attended[start:end] = mixed.transpose(1, 2).reshape(count * length, -1)
            start = end
        return attended

    def _normed(self, states: Tensor, norm: Linear) -> Tensor:
        return functional.layer_norm(states, norm[0].shape, *norm, self._epsilon)


def _read_along(weights: Tensor) -> Tensor:
    """The same weights, laid out in memory as a product on a CPU reads them.

    With 30 to 60 rows, as phrases of a caption have, it takes an eighth less; bit for bit the same.
    """
    return weights.t().contiguous().t() if weights.is_cpu and weights.ndim > 1 else weights


def steady_linear(rows: Tensor, weights: Tensor, bias: Tensor) -> Tensor:
    """``functional.linear``, the same bit for bit for each row whatever the others are."""
    missing = max(0, LEAST_ROWS - len(rows))
    return functional.linear(functional.pad(rows, (0, 0, 0, missing)), weights, bias)[: len(rows)]


def _layer(pair: Any, name: str) -> _Layer:
    attention = f"{name}.attention"
    return _Layer(
        pair(*(f"{attention}.self.{part}" for part in ("query", "key", "value"))),
        pair(f"{attention}.output.dense"),
        pair(f"{attention}.output.LayerNorm"),
        pair(f"{name}.intermediate.dense"),
        pair(f"{name}.output.dense"),
        pair(f"{name}.output.LayerNorm"),
    )


def rows_for(free: int, widest: int) -> int:
    """Sub-words that a card with ``free`` bytes computes together.

    >>> rows_for(8 * 2**30, 1536)
    58254
    """
    rows = int(free * _SHARE) // (widest * 4 * _NUMBERS_PER_ROW)
    return max(CPU_ROWS, min(rows, _MOST_ROWS))


def _in_threads(
    compute: Callable[[list[int]], list[States]], packs: Sequence[list[int]]
) -> Iterator[list[States]]:
    """States of packs in order, each pack computed by one thread, as many at a time as allowed."""

    def alone(pack: list[int]) -> list[States]:
        with one_thread():
            return compute(pack)

    start = 0
    while start < len(packs):
        # Not all at once: what is not yet taken lies in memory, and more may be allowed later.
        threads = min(allowed_threads(), len(packs) - start)
        window = packs[start : start + _AHEAD * threads]
        start += len(window)
        if threads == 1:
            yield from map(alone, window)
        else:
            with ThreadPoolExecutor(threads) as pool:
                yield from pool.map(alone, window)


def _packs(texts: Sequence[Ids], most: int) -> Iterator[list[int]]:
    """Places of texts, the longest first, in packs of at most so many sub-words (or one text)."""
    pack: list[int] = []
    rows = 0
    for place in sorted(range(len(texts)), key=lambda place: -len(texts[place])):
        if pack and rows + len(texts[place]) > most:
            yield pack
            pack, rows = [], 0
        pack.append(place)
        rows += len(texts[place])
    if pack:
        yield pack
