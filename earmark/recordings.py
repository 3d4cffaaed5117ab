"""Recordings of clips, for metrics that listen."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from earmark.errors import ResourceMissing


@dataclass(frozen=True, slots=True)
class ClipRecording:
    """A file with the sound of a clip; ``sha256`` of its content in hex digits."""

    path: Path
    sha256: str


@dataclass(frozen=True, slots=True)
class Recordings:
    """Recordings by the names of their clips; clips without one are left out."""

    files: Mapping[str, ClipRecording] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """First 8 hex digits of a hash of all names and contents; empty: there are none."""
        return recordings_digest((name, file.sha256) for name, file in self.files.items())


def recordings_digest(contents: Iterable[tuple[str, str]]) -> str:
    """Digest of clips' names with the sha256 of their recordings, in any order."""
    lines = sorted(f"{sha256}  {name}\n" for name, sha256 in contents)
    return hashlib.sha256("".join(lines).encode("utf-8", "replace")).hexdigest()[:8] * bool(lines)


def folder_recordings(folder: Path, names: Iterable[str]) -> Recordings:
    """The recordings of a folder that are called exactly as clips are."""
    files = {}
    for name in names:
        path = folder / name
        if path.is_file():
            with path.open("rb") as data:
                files[name] = ClipRecording(path, hashlib.file_digest(data, "sha256").hexdigest())
    return Recordings(files)


class RecordingsMissing(ResourceMissing):
    """A metric that listens has nothing to listen to, or not what its signature names."""
