"""Vectors of the sub-words of a sentence, by the encoders of ``earmark.models.encoder``."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earmark.models.encoder import Encoder, load_encoder
from earmark.models.loaded_encoder import LAST, UnknownLayer, Vectors
from earmark.runtime import Device, Heartbeat

__all__ = ["LAST", "TokenVectors", "UnknownLayer", "embed_tokens", "quantised_vectors"]

_STEPS = np.iinfo(np.int16).max


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
) -> tuple[Vectors, list[TokenVectors]]:
    """Unit vectors of sentences, and those of their sub-words after a layer, by one pass.

    Shape (sentences, dimensions), as ``embed`` has them, and one entry for each sentence. Neither
    depends on the other sentences. Raises ``UnknownLayer`` or ``ResourceMissing``.
    """
    model = load_encoder(encoder, device)
    if not LAST <= layer <= model.layers:
        raise UnknownLayer(layer, model.layers, encoder.identity)
    whole = np.zeros((len(sentences), model.dimensions), np.float32)
    tokens: dict[int, TokenVectors] = {}
    for batch in model.encoded(sentences, layer):
        whole[batch.rows] = batch.vectors
        words = ~np.isin(batch.ids, model.marks)
        for place, row in enumerate(batch.rows):
            names = model.names(batch.ids[place].tolist())
            tokens[row] = TokenVectors(*quantised_vectors(batch.states[place]), words[place], names)
        if heartbeat is not None:
            heartbeat(len(tokens), len(sentences))
    return whole, [tokens[row] for row in range(len(sentences))]


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
