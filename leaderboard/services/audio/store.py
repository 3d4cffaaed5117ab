"""Where recordings lie: a folder of files that are named after their content."""

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
from leaderboard.selectors.audio import audio_path
from leaderboard.services.audio.kinds import HEAD, media_type_of

_CHUNK = 1 << 20
# What is left to others who write on the same disk.
SPARE = 200_000_000


@dataclass(frozen=True, slots=True)
class Stored:
    """A recording that lies in the folder; ``new`` where it did not before."""

    sha256: str
    size: int
    media_type: str
    new: bool


class NoSound(Exception):
    """A file that is no recording in a form that browsers play."""


def incoming() -> Path:
    """Give the folder in which files wait until they are whole."""
    folder = Path(settings.AUDIO_DIR) / "incoming"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def room() -> int:
    """Tell how many bytes may still be stored."""
    return max(0, shutil.disk_usage(incoming()).free - SPARE)


def store(source: IO[bytes]) -> Stored:
    """Keep a recording, or raise ``NoSound``; it appears whole or not at all."""
    head = source.read(HEAD)
    media_type = media_type_of(head)
    if media_type is None:
        raise NoSound
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
    return Stored(digest.hexdigest(), size, media_type, new)


@contextmanager
def _draft() -> Iterator[Path]:
    descriptor, name = tempfile.mkstemp(dir=incoming())
    os.close(descriptor)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _chunks(head: bytes, source: IO[bytes]) -> Iterator[bytes]:
    yield head
    while chunk := source.read(_CHUNK):
        yield chunk


def discard(digests: Iterable[str]) -> None:
    """Delete recordings that no clip has any more."""
    wanted = set(digests)
    wanted -= set(AudioFile.objects.filter(sha256__in=wanted).values_list("sha256", flat=True))
    for sha256 in wanted:
        audio_path(sha256).unlink(missing_ok=True)
