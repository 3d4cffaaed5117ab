"""Networks of fluency detectors and their files: our own, and the original authors'.

Ours is a small transformer over sub-words. Theirs is read from a file that an
organiser has. Source: Zhou et al., FENSE, ICASSP 2022; their checkpoints
("echecker") hold ``model_type``, ``num_classes`` and the ``state_dict`` of a
BERT encoder and a linear layer over its first state. Nothing is downloaded: the
encoder's shape is read off the weights, and the sub-words of
``bert-base-uncased`` are those of the packaged sentence encoder.
"""

import json
import pickle
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional

from earmark.errors import ResourceMissing
from earmark.models.bert import steady_linear
from earmark.models.fluency.vocabulary import CLASSES, SubwordVocabulary

PAST, PAIR = 1, 2


@dataclass(frozen=True, slots=True)
class DetectorShape:
    """The size of the network; ``positions`` is the most sub-words that it reads.

    ``reach`` sub-words, the middle one and those beside it, enter each feed-forward
    network together; ``first`` such networks stand before the first attention. Detectors
    of before version 2 have 1 and 0.
    """

    vocabulary: int
    width: int = 128
    layers: int = 2
    heads: int = 4
    hidden: int = 256
    positions: int = 96
    dropout: float = 0.1
    reach: int = 1
    first: int = 0


class FluencyNetwork(nn.Module):
    """Six logits per caption from its sub-words, shape (captions, sub-words).

    All captions of a batch have the same length, so that there is no padding
    and no mask. Beside the sub-word and its places from both ends, a sub-word
    has a mark for whether it, or it with the one before, stands in the caption
    already or stands there again: what a repetition is made of. ``stems`` has
    the same number for sub-words that are forms of one word, so that "meows"
    stands there again in "meowing".
    """

    stems: Tensor

    def __init__(self, shape: DetectorShape) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.forward_places = nn.Embedding(shape.positions, shape.width)
        self.backward_places = nn.Embedding(shape.positions, shape.width)
        self.earlier = nn.Embedding(3, shape.width)
        self.later = nn.Embedding(3, shape.width)
        self.first = nn.ModuleList(NeighbourNetwork(shape) for _ in range(shape.first))
        self.blocks = nn.ModuleList(TransformerBlock(shape) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(shape.width)
        self.head = nn.Linear(2 * shape.width, len(CLASSES))
        self.dropout = nn.Dropout(shape.dropout)
        self.register_buffer("stems", torch.arange(shape.vocabulary, dtype=torch.int32))
        for table in (self.words, self.forward_places, self.backward_places):
            nn.init.normal_(table.weight, std=0.02)
        for table in (self.earlier, self.later):
            nn.init.normal_(table.weight, std=0.02)

    def forward(self, ids: Tensor) -> Tensor:
        """Logits, shape (captions, 6)."""
        return self.logits(self.states(ids))

    def states(self, ids: Tensor) -> Tensor:
        """Vectors of the sub-words after the last layer, shape (captions, sub-words, width)."""
        places = torch.arange(ids.shape[1], device=ids.device)
        earlier, later = repetitions(self.stems[ids])
        states = (
            self.words(ids)
            + self.forward_places(places)
            + self.backward_places(places.flip(0))
            + self.earlier(earlier)
            + self.later(later)
        )
        states = self.dropout(states)
        for layer in (*self.first, *self.blocks):
            states = layer(states)
        normed: Tensor = self.norm(states)
        return normed

    def logits(self, states: Tensor) -> Tensor:
        """Logits of the vectors of captions, shape (captions, 6)."""
        pooled = torch.cat([states[:, 0], states.amax(dim=1)], dim=-1)
        return steady_linear(self.dropout(pooled), self.head.weight, self.head.bias)


class NeighbourNetwork(nn.Module):
    """A feed-forward network over each sub-word and those beside it, after a norm.

    Before the first attention it sees which words stand together: two layers of
    attention alone learn little of the order of words in minutes.
    """

    def __init__(self, shape: DetectorShape) -> None:
        super().__init__()
        self.reach = shape.reach
        self.before_hidden = nn.LayerNorm(shape.width)
        self.hidden = nn.Linear(shape.reach * shape.width, shape.hidden)
        self.output = nn.Linear(shape.hidden, shape.width)
        self.dropout = nn.Dropout(shape.dropout)

    def forward(self, states: Tensor) -> Tensor:
        """Next states, same shape."""
        inner = functional.gelu(self.hidden(self._neighbours(self.before_hidden(states))))
        next_states: Tensor = states + self.dropout(self.output(inner))
        return next_states

    def _neighbours(self, states: Tensor) -> Tensor:
        """The vectors of each sub-word and of those beside it, one after the other."""
        side, length = self.reach // 2, states.shape[1]
        padded = functional.pad(states, (0, 0, side, side))
        return torch.cat([padded[:, i : i + length] for i in range(self.reach)], dim=-1)


class TransformerBlock(NeighbourNetwork):
    """One layer: attention after a norm, then the network over neighbours."""

    def __init__(self, shape: DetectorShape) -> None:
        super().__init__(shape)
        self.heads = shape.heads
        self.before_attention = nn.LayerNorm(shape.width)
        self.queries_keys_values = nn.Linear(shape.width, 3 * shape.width)
        self.mix = nn.Linear(shape.width, shape.width)

    def forward(self, states: Tensor) -> Tensor:
        """Next states, same shape."""
        return super().forward(
            states + self.dropout(self._attention(self.before_attention(states)))
        )

    def _attention(self, states: Tensor) -> Tensor:
        rows, length, width = states.shape
        parts = self.queries_keys_values(states).view(rows, length, 3, self.heads, -1)
        queries, keys, values = parts.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(queries, keys, values)
        attended: Tensor = self.mix(mixed.transpose(1, 2).reshape(rows, length, width))
        return attended


def repetitions(ids: Tensor) -> tuple[Tensor, Tensor]:
    """Whether each sub-word occurs earlier in its caption, and whether it occurs later.

    0 it does not, 1 it does, 2 it does together with the sub-word before it.
    """
    same = ids[:, :, None] == ids[:, None, :]
    pairs = torch.zeros_like(same)
    pairs[:, 1:, 1:] = same[:, 1:, 1:] & same[:, :-1, :-1]
    length = ids.shape[1]
    before = torch.ones(length, length, dtype=torch.bool, device=ids.device).tril(-1)
    earlier = (same & before).any(2).long() + (pairs & before).any(2).long()
    later = (same & before.T).any(2).long() + (pairs & before.T).any(2).long()
    return earlier, later


WEIGHTS = "model.safetensors"
CONFIG = "config.json"


class DetectorDamaged(ResourceMissing):
    """A detector's folder or file that does not hold what it should."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"The fluency detector in {path} cannot be read: {reason}. "
            "Give a folder that was written by: python -m earmark train fluency"
        )
        self.path = path


def save_detector(
    folder: Path, name: str, network: FluencyNetwork, vocabulary: SubwordVocabulary
) -> None:
    """Write a detector; weights in half precision, as the shipped file has a size to keep."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary.write(folder)
    config = {"name": name, "shape": asdict(network.shape)}
    (folder / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    save_file(
        {
            key: (value.half() if value.is_floating_point() else value).cpu().contiguous()
            for key, value in network.state_dict().items()
        },
        folder / WEIGHTS,
    )


def load_network(folder: Path, device: str) -> tuple[FluencyNetwork, SubwordVocabulary]:
    """Read a detector, in full precision from the weights as stored."""
    try:
        config: dict[str, Any] = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        network = FluencyNetwork(DetectorShape(**config["shape"]))
        stored = load_file(folder / WEIGHTS)
        # Detectors of before version 2 know no stems: their sub-words stand for themselves.
        weights = {"stems": network.stems, **stored}
        network.load_state_dict(
            {key: value.to(network.state_dict()[key].dtype) for key, value in weights.items()}
        )
        vocabulary = SubwordVocabulary.read(folder)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise DetectorDamaged(folder, " ".join(str(error).split())[:200]) from error
    return network.to(device).eval(), vocabulary


_HEAD_WIDTH = 64  # width of an attention head in every BERT of the sizes in use
ORIGINAL_LONGEST = 64


class OriginalDetector(nn.Module):
    """A BERT encoder and a linear layer over its first state."""

    def __init__(self, encoder: nn.Module, width: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.clf = nn.Linear(width, len(CLASSES))

    def forward(self, ids: Tensor) -> Tensor:
        """Logits, shape (captions, 6)."""
        states = self.encoder(ids).last_hidden_state
        return steady_linear(states[:, 0], self.clf.weight, self.clf.bias)


def load_original(
    path: Path, words: Path, device: str
) -> tuple[OriginalDetector, SubwordVocabulary]:
    """Read a checkpoint; ``words`` is the folder that has bert-base-uncased's vocab.txt.

    Raises ``DetectorDamaged``.
    """
    try:
        # Tensors and plain values only: a checkpoint is a pickle, and none may run code here.
        stored = torch.load(path, map_location="cpu", weights_only=True)
        network = _original_network(stored["state_dict"])
    except (OSError, KeyError, TypeError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise DetectorDamaged(path, " ".join(str(error).split())[:200]) from error
    return network.to(device).eval(), SubwordVocabulary.read(words)


def _original_network(state: dict[str, Tensor]) -> OriginalDetector:
    from transformers import BertConfig, BertModel

    vocabulary, width = state["encoder.embeddings.word_embeddings.weight"].shape
    hidden = state["encoder.encoder.layer.0.intermediate.dense.weight"].shape[0]
    layers = (re.match(r"encoder\.encoder\.layer\.(\d+)\.", name) for name in state)
    config: Any = BertConfig(
        vocab_size=vocabulary,
        hidden_size=width,
        num_hidden_layers=1 + max(int(match[1]) for match in layers if match),
        num_attention_heads=max(1, width // _HEAD_WIDTH),
        intermediate_size=hidden,
        max_position_embeddings=state["encoder.embeddings.position_embeddings.weight"].shape[0],
    )
    network = OriginalDetector(BertModel(config), width)
    missing, unknown = network.load_state_dict(state, strict=False)
    unknown = [name for name in unknown if not name.endswith("position_ids")]
    if missing or unknown:
        raise KeyError(f"weights that do not fit: {', '.join([*missing, *unknown][:4])}")
    return network
