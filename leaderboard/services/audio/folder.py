"""Recordings in a folder of this machine."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from leaderboard.services.audio.recording import Recording, is_junk


def recordings_below(folder: Path) -> Iterator[Recording]:
    """Give the files of a folder and those below it."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not is_junk(name):
            yield Recording((name,), path.stat().st_size, _opening(path))


def _opening(path: Path) -> Callable[[], IO[bytes]]:
    return lambda: path.open("rb")
