"""Encoders in memory: plain BERT ones computed by ``PackedBert``, all others by their own library.

sentence-transformers takes five seconds of processor time to be imported, and computes a fifth
longer; so what it would compute for the packaged encoder is computed here, within 1e-6 of it.
"""

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from earmark.errors import ScoringError

if TYPE_CHECKING:
    from earmark.models.bert import BertShape

Vectors = NDArray[np.float32]

LAST = -1
_WEIGHTS = "model.safetensors"
_BATCH, _BATCH_OF_A_CARD = 16, 128
_NO_STATES: Vectors = np.zeros((0, 0, 0), np.float32)


class UnknownLayer(ScoringError):
    """A layer that the encoder does not have."""

    def __init__(self, layer: int, layers: int, encoder: str) -> None:
        super().__init__(
            f"The encoder {encoder} has no layer {layer}. Give 0 (its input) to {layers}, or "
            f"{LAST} for the last."
        )
        self.layer = layer


@dataclass(frozen=True, slots=True)
class EncodedSentences:
    """Sentences of one length in sub-words, computed together.

    ``rows`` are their places among all that were asked for; ``vectors`` (sentences, dimensions)
    their unit vectors; ``states`` (sentences, sub-words, dimensions) those after the layer asked
    for, (0, 0, 0) where none was; ``ids`` (sentences, sub-words) their sub-words.
    """

    rows: list[int]
    vectors: Vectors
    states: Vectors
    ids: NDArray[np.int64]


class LoadedEncoder(Protocol):
    """An encoder in memory: the sentences of one length after another, the longest first.

    The vectors of a sentence do not depend on the others: bit for bit on a CPU.
    """

    dimensions: int
    layers: int
    # Sub-words that stand for no word but for the begin and the end of a sentence.
    marks: tuple[int, ...]

    def encoded(
        self, sentences: Sequence[str], layer: int | None = None
    ) -> Iterator[EncodedSentences]:
        """Encode sentences, each cut as the model cuts it; with the states after a layer."""
        ...

    def names(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Names of sub-words."""
        ...


@lru_cache(maxsize=2)
def load_folder(folder: Path, device: str) -> LoadedEncoder:
    """Load the model of a folder on a device."""
    shape = _plain_shape(folder)
    return (
        SentenceTransformersEncoder(folder, device)
        if shape is None
        else PackedEncoder(folder, shape, device)
    )


class PackedEncoder:
    """A BERT encoder of which the mean state of the sub-words is a sentence's vector."""

    def __init__(self, folder: Path, shape: "BertShape", device: str) -> None:
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        from earmark.models.bert import PackedBert

        tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(
            _settings(folder, "sentence_bert_config.json")["max_seq_length"]
        )
        self._tokenizer = tokenizer
        self._bert = PackedBert(load_file(folder / _WEIGHTS), shape, device)
        self.dimensions, self.layers = self._bert.dimensions, shape.layers
        self.marks = tuple(
            number
            for name in ("[CLS]", "[SEP]")
            if (number := tokenizer.token_to_id(name)) is not None
        )

    def encoded(
        self, sentences: Sequence[str], layer: int | None = None
    ) -> Iterator[EncodedSentences]:
        """Encode sentences without filling any up."""
        ids = [item.ids for item in self._tokenizer.encode_batch(list(sentences))]
        for rows, last, states in self._bert.states(ids, layer=LAST if layer is None else layer):
            yield EncodedSentences(
                rows,
                unit_vectors(last.mean(1).cpu().numpy()),
                _NO_STATES if layer is None else states.cpu().numpy(),
                np.array([ids[row] for row in rows], np.int64),
            )

    def names(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Names of sub-words."""
        return tuple(map(self._tokenizer.id_to_token, ids))


class SentenceTransformersEncoder:
    """Any model that sentence-transformers loads.

    Batches always have the same number of rows, the last sentence repeated where some are
    missing: how many rows there are may change the last bits of each.
    """

    def __init__(self, folder: Path, device: str) -> None:
        from sentence_transformers import SentenceTransformer

        with hidden_progress_bars():
            model = SentenceTransformer(str(folder), device=device, local_files_only=True).eval()
        self._model: Any = model
        self._rows = _BATCH if device == "cpu" else _BATCH_OF_A_CARD
        self.dimensions = int(self._model.get_embedding_dimension())
        self.layers = int(getattr(self._model[0].auto_model.config, "num_hidden_layers", 0))
        known = (self._model.tokenizer.cls_token_id, self._model.tokenizer.sep_token_id)
        self.marks = tuple(mark for mark in known if mark is not None)

    def encoded(
        self, sentences: Sequence[str], layer: int | None = None
    ) -> Iterator[EncodedSentences]:
        """Encode sentences."""
        if not sentences:
            return
        lengths = [len(ids) for ids in self._inputs(list(sentences))["input_ids"]]
        for rows in equal_length_batches(lengths, self._rows):
            texts = [sentences[row] for row in rows]
            texts += texts[-1:] * (self._rows - len(texts))
            yield self._batch(rows.tolist(), texts, layer)

    def _batch(self, rows: list[int], texts: list[str], layer: int | None) -> EncodedSentences:
        import torch

        inputs = self._inputs(texts, return_tensors="pt")
        states = _NO_STATES
        with torch.inference_mode():
            places = {name: tensor.to(self._model.device) for name, tensor in inputs.items()}
            vectors = self._model(dict(places))["sentence_embedding"]
            if layer is not None:
                output = self._model[0].auto_model(**places, output_hidden_states=True)
                states = output.hidden_states[layer][: len(rows)].float().cpu().numpy()
        return EncodedSentences(
            rows,
            unit_vectors(vectors[: len(rows)].float().cpu().numpy()),
            states,
            inputs["input_ids"][: len(rows)].numpy(),
        )

    def _inputs(self, texts: list[str], **options: Any) -> Any:
        length = self._model.max_seq_length
        return self._model.tokenizer(texts, truncation=True, max_length=length, **options)

    def names(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Names of sub-words."""
        return tuple(self._model.tokenizer.convert_ids_to_tokens(list(ids)))


def unit_vectors(vectors: Vectors) -> Vectors:
    """Vectors, (sentences, dimensions), scaled to length 1; one of zeros stays as it is."""
    wide = np.asarray(vectors, np.float64)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    norms[norms == 0] = 1
    unit: Vectors = (wide / norms).astype(np.float32)
    return unit


def equal_length_batches(
    lengths: Sequence[int] | NDArray[np.int64], size: int
) -> Iterator[NDArray[np.int64]]:
    """Group rows of equal length, longest first so that memory runs out at once or never."""
    known = np.asarray(lengths, np.int64)
    for length in np.unique(known)[::-1]:
        rows = np.flatnonzero(known == length)
        yield from np.split(rows, np.arange(size, rows.size, size))


@contextlib.contextmanager
def hidden_progress_bars() -> Iterator[None]:
    """Keep transformers' bar over the loading of weights off the terminal."""
    from transformers.utils import logging as _logging

    logging: Any = _logging
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _plain_shape(folder: Path) -> "BertShape | None":
    """Shape of a model that ``PackedEncoder`` computes as sentence-transformers does, else None."""
    try:
        modules = [str(one["type"]).rpartition(".")[2] for one in _settings(folder, "modules.json")]
        plain = (
            modules in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])
            and _pools_by_mean(_settings(folder, "1_Pooling/config.json"))
            and not _settings(folder, "sentence_bert_config.json")["do_lower_case"]
            and _lowers_case_as_stored(folder)
            and _stored_in_full(folder / _WEIGHTS)
        )
        from earmark.models.bert import read_bert_shape

        return read_bert_shape(folder) if plain else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _settings(folder: Path, name: str) -> Any:
    return json.loads((folder / name).read_text(encoding="utf-8"))


def _pools_by_mean(pooling: dict[str, Any]) -> bool:
    chosen = [name for name, on in pooling.items() if name.startswith("pooling_mode_") and on]
    return chosen == ["pooling_mode_mean_tokens"]


def _lowers_case_as_stored(folder: Path) -> bool:
    """Whether the tokeniser's file and its configuration agree; transformers changes it if not."""
    stored = _settings(folder, "tokenizer.json")
    normaliser = stored["normalizer"]
    wanted = _settings(folder, "tokenizer_config.json").get("do_lower_case", True)
    return bool(
        stored["model"]["type"] == "WordPiece"
        and normaliser["type"] == "BertNormalizer"
        and normaliser["lowercase"] == wanted
    )


def _stored_in_full(weights: Path) -> bool:
    from safetensors import safe_open

    with safe_open(weights, framework="numpy") as file:
        names = list(file.keys())
        return all(file.get_slice(name).get_dtype() in ("F32", "I64") for name in names)
