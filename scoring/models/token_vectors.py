"""Vectors of the sub-words of a sentence, by the encoders of ``scoring.models.encoder``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.errors import ScoringError
from scoring.models.encoder import Encoder, Vectors, load_encoder, padded_batches
from scoring.runtime import Device, Heartbeat

LAST = -1
_STEPS = np.iinfo(np.int16).max


class UnknownLayer(ScoringError):
    """A layer that the encoder does not have."""

    def __init__(self, layer: int, layers: int, encoder: str) -> None:
        super().__init__(
            f"The encoder {encoder} has no layer {layer}. Give 0 (its input) to {layers}, or "
            f"{LAST} for the last."
        )
        self.layer = layer


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The sub-words of a sentence with those that the model puts around them.

    ``codes`` (tokens, dimensions) times ``scales`` (tokens,) are unit vectors.
    Components are rounded to 16 bits of the largest one, which takes half the
    place of 32-bit floats and moves a cosine by some 1e-6. ``words`` (tokens,)
    is false for the model's own marks of begin and end.
    """

    codes: NDArray[np.int16]
    scales: NDArray[np.float32]
    words: NDArray[np.bool_]
    texts: tuple[str, ...]

    def vectors(self) -> Vectors:
        """Unit vectors, shape (tokens, dimensions)."""
        out: Vectors = self.codes * self.scales[:, None]
        return out


def embed_tokens(
    encoder: Encoder,
    sentences: Sequence[str],
    *,
    layer: int = LAST,
    device: Device = "auto",
    heartbeat: Heartbeat | None = None,
) -> list[TokenVectors]:
    """Vectors of each sentence's sub-words after a layer of the model, cut as the model cuts.

    Batches as in ``embed``: the vectors of a sentence do not depend on the
    others. Raises ``UnknownLayer`` or ``ResourceMissing``.
    """
    model, size = load_encoder(encoder, device)
    tokenizer = model.tokenizer
    marks = [tokenizer.cls_token_id, tokenizer.sep_token_id]
    vectors: dict[int, TokenVectors] = {}
    for rows, texts in padded_batches(model, sentences, size):
        inputs = tokenizer(
            texts, truncation=True, max_length=model.max_seq_length, return_tensors="pt"
        )
        hidden = _hidden(model, inputs, layer, encoder.identity)
        ids = inputs["input_ids"].numpy()
        for place, row in enumerate(rows.tolist()):
            names = tuple(tokenizer.convert_ids_to_tokens(ids[place].tolist()))
            words = ~np.isin(ids[place], [mark for mark in marks if mark is not None])
            vectors[row] = TokenVectors(*quantised_vectors(hidden[place]), words, names)
        if heartbeat is not None:
            heartbeat(len(vectors), len(sentences))
    return [vectors[row] for row in range(len(sentences))]


def quantised_vectors(vectors: Vectors) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """16-bit codes of vectors, (tokens, dimensions), and scales that make them unit vectors.

    A vector of zeros stays one.
    """
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0).astype(np.float64)
    largest[largest == 0] = 1
    codes = np.rint(vectors / largest * _STEPS)
    norms = np.linalg.norm(codes, axis=1)
    norms[norms == 0] = 1
    return codes.astype(np.int16), (1 / norms).astype(np.float32)


def _hidden(model: Any, inputs: Any, layer: int, identity: str) -> Vectors:
    """Output of a layer of the model, (sentences, tokens, dimensions)."""
    import torch

    with torch.inference_mode():
        places = {name: tensor.to(model.device) for name, tensor in inputs.items()}
        states = model[0].auto_model(**places, output_hidden_states=True).hidden_states
    if not LAST <= layer < len(states):
        raise UnknownLayer(layer, len(states) - 1, identity)
    out: Vectors = states[layer].float().cpu().numpy()
    return out
