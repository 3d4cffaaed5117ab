"""The original authors' detector, from a file that an organiser has.

Source: Zhou et al., FENSE, ICASSP 2022; their checkpoints ("echecker") hold
``model_type``, ``num_classes`` and the ``state_dict`` of a BERT encoder and a
linear layer over its first state. Nothing is downloaded: the encoder's shape
is read off the weights, and the sub-words of ``bert-base-uncased`` are those
of the packaged sentence encoder.
"""

import pickle
import re
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from scoring.models.fluency.network import DetectorDamaged
from scoring.models.fluency.vocabulary import CLASSES, SubwordVocabulary

_HEAD = 64  # width of an attention head in every BERT of the sizes in use
LONGEST = 64


class OriginalDetector(nn.Module):
    """A BERT encoder and a linear layer over its first state."""

    def __init__(self, encoder: nn.Module, width: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.clf = nn.Linear(width, len(CLASSES))

    def forward(self, ids: Tensor) -> Tensor:
        """Logits, shape (captions, 6)."""
        states = self.encoder(ids).last_hidden_state
        logits: Tensor = self.clf(states[:, 0])
        return logits


def load_original(
    path: Path, words: Path, device: str
) -> tuple[OriginalDetector, SubwordVocabulary]:
    """Read a checkpoint; ``words`` is the folder that has bert-base-uncased's vocab.txt.

    Raises ``DetectorDamaged``.
    """
    try:
        # Tensors and plain values only: a checkpoint is a pickle, and none may run code here.
        stored = torch.load(path, map_location="cpu", weights_only=True)
        network = _network(stored["state_dict"])
    except (OSError, KeyError, TypeError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise DetectorDamaged(path, " ".join(str(error).split())[:200]) from error
    return network.to(device).eval(), SubwordVocabulary.read(words)


def _network(state: dict[str, Tensor]) -> OriginalDetector:
    from transformers import BertConfig, BertModel

    vocabulary, width = state["encoder.embeddings.word_embeddings.weight"].shape
    hidden = state["encoder.encoder.layer.0.intermediate.dense.weight"].shape[0]
    found = (re.match(r"encoder\.encoder\.layer\.(\d+)\.", name) for name in state)
    config: Any = BertConfig(
        vocab_size=vocabulary,
        hidden_size=width,
        num_hidden_layers=1 + max(int(match[1]) for match in found if match),
        num_attention_heads=max(1, width // _HEAD),
        intermediate_size=hidden,
        max_position_embeddings=state["encoder.embeddings.position_embeddings.weight"].shape[0],
    )
    network = OriginalDetector(BertModel(config), width)
    missing, unknown = network.load_state_dict(state, strict=False)
    unknown = [name for name in unknown if not name.endswith("position_ids")]
    if missing or unknown:
        raise KeyError(f"weights that do not fit: {', '.join([*missing, *unknown][:4])}")
    return network
