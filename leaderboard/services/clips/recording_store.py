"""The folder of stored recordings, each named after its content."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from django.conf import settings

from leaderboard.models import AudioFile
from leaderboard.selectors.clips.audio import audio_path

# Types of MPEG-4 files that hold sound alone, or may.
_MP4 = {b"M4A ", b"M4B ", b"mp41", b"mp42", b"isom", b"iso2", b"iso4", b"iso5", b"iso6", b"dash"}
HEAD = 64


def media_type_of(head: bytes) -> str | None:
    """Media type of a file that begins with ``head``, None where it is no sound."""
    if head[:4] in {b"RIFF", b"RF64"} and head[8:12] == b"WAVE":
        return "audio/wav"
    if head[:4] == b"fLaC":
        return "audio/flac"
    if head[:4] == b"OggS":
        return "audio/ogg"
    if head[4:8] == b"ftyp" and head[8:12] in _MP4:
        return "audio/mp4"
    if head[:3] == b"ID3" or _mpeg_frame(head):
        return "audio/mpeg"
    return None


def _mpeg_frame(head: bytes) -> bool:
    """Whether it begins with a frame: eleven set bits, a known version, layer, rate, frequency."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return False
    version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
    return version != 1 and layer != 0 and head[2] >> 4 != 15 and head[2] >> 2 & 3 != 3


_CHUNK = 1 << 20
# Bytes of the disk that are left to others.
SPARE = 200_000_000


@dataclass(frozen=True, slots=True)
class StoredRecording:
    """A stored recording; ``new`` where it was not there before."""

    sha256: str
    size: int
    media_type: str
    new: bool


class NotAudio(Exception):
    """A file that is no recording in a format that browsers play."""


def incoming_folder() -> Path:
    """The folder in which files wait until they are complete."""
    folder = Path(settings.AUDIO_DIR) / "incoming"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def free_bytes() -> int:
    """How many bytes may still be stored."""
    return max(0, shutil.disk_usage(incoming_folder()).free - SPARE)


def recording_save(source: IO[bytes]) -> StoredRecording:
    """Store a recording, completely or not at all; raises ``NotAudio``."""
    head = source.read(HEAD)
    media_type = media_type_of(head)
    if media_type is None:
        raise NotAudio
    digest, size = hashlib.sha256(), 0
    with _draft() as draft:
        with draft.open("wb") as file:
            for chunk in _chunks(head, source):
                file.write(chunk)
                digest.update(chunk)
                size += len(chunk)
            file.flush()
            os.fsync(file.fileno())
        path = audio_path(digest.hexdigest())
        new = not path.exists()
        if new:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft.replace(path)
    return StoredRecording(digest.hexdigest(), size, media_type, new)


@contextmanager
def _draft() -> Iterator[Path]:
    descriptor, name = tempfile.mkstemp(dir=incoming_folder())
    os.close(descriptor)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _chunks(head: bytes, source: IO[bytes]) -> Iterator[bytes]:
    yield head
    while chunk := source.read(_CHUNK):
        yield chunk


def recordings_discard(digests: Iterable[str]) -> None:
    """Delete recordings that no clip uses any more."""
    wanted = set(digests)
    wanted -= set(AudioFile.objects.filter(sha256__in=wanted).values_list("sha256", flat=True))
    for sha256 in wanted:
        audio_path(sha256).unlink(missing_ok=True)
