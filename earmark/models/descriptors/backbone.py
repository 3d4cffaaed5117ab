"""Backbones of labellers: the packaged encoder, a folder, or a name that Hugging Face knows.

Weights are read from safetensors only: torch's own files are pickles, which can run code.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from earmark.errors import ResourceMissing
from earmark.models.encoder import find_encoder

_FILES = ("config.json", "*.safetensors", "*.safetensors.index.json", "tokenizer*", "vocab.*")
_FILES_TOO = ("merges.txt", "special_tokens_map.json", "spiece.model", "sentencepiece*")

# A file beside a labeller on a site, with the path of the folder where its backbone lies on this
# machine. It is no part of the labeller.
BACKBONE_LOCATION = "backbone"


class BackboneMissing(ResourceMissing):
    """A backbone that is not on this machine, or a folder that is none."""

    def __init__(self, name: str, reason: str, fix: str) -> None:
        super().__init__(f"The backbone {name!r} cannot be used: {reason}. {fix}")
        self.name = name


@dataclass(frozen=True, slots=True)
class Backbone:
    """A language model in a folder.

    ``name`` is what was asked for ("" is the packaged encoder), a folder as an
    absolute path. ``identity`` is ``name@xxxxxxxx`` with the first 8 hex digits
    of the sha256 of its weights.
    """

    name: str
    folder: Path
    identity: str

    @property
    def packaged(self) -> bool:
        """Whether this is the encoder that comes with the library."""
        return not self.name


def find_backbone(name: str = "", *, fetch: bool = False, relative: bool = True) -> Backbone:
    """Find a backbone and hash its weights; loads nothing.

    ``name`` is empty for the packaged all-MiniLM-L6-v2, else a folder or a name
    on Hugging Face. With ``fetch`` a name that is not in the cache is downloaded
    where the network can be reached. Without ``relative`` a folder counts only by
    its absolute path: a path in somebody else's file has no meaning in the current folder.
    Raises ``BackboneMissing``.
    """
    if not name:
        packaged = find_encoder()
        return Backbone("", packaged.folder, packaged.identity)
    path = Path(name)
    if path.is_dir() and (relative or path.is_absolute()):
        path = path.resolve()
        return _backbone(str(path), path, path.name)
    return _backbone(name, _hub_folder(name, fetch), Path(name).name)


def _backbone(name: str, folder: Path, label: str) -> Backbone:
    if not (folder / "config.json").is_file() or not list(folder.glob("*.safetensors")):
        raise BackboneMissing(
            name,
            "there is no config.json with *.safetensors in its folder",
            "Give a model saved by transformers with save_pretrained.",
        )
    digest = find_encoder(str(folder)).identity.rpartition("@")[2]
    return Backbone(name, folder, f"{label}@{digest}")


def _hub_folder(name: str, fetch: bool) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    fix = f"Give the path of its folder, or download it first: hf download {name}"
    wanted: dict[str, Any] = {"allow_patterns": [*_FILES, *_FILES_TOO]}
    try:
        return Path(snapshot_download(name, local_files_only=True, **wanted))
    except HFValidationError as error:
        raise BackboneMissing(name, "it is neither a folder nor a name of a model", fix) from error
    except LocalEntryNotFoundError as error:
        if not fetch:
            raise BackboneMissing(name, "it is not on this machine", fix) from error
    try:
        return Path(snapshot_download(name, **wanted))
    except Exception as error:  # whatever the network, the proxy and the hub can answer
        reason = "it is not on this machine and could not be downloaded"
        lines = str(error).strip().splitlines() or [type(error).__name__]
        why = " ".join(lines[0].split())[:160]
        raise BackboneMissing(name, f"{reason} ({why})", fix) from error
