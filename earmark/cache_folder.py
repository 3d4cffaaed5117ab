"""Files in a cache folder: written whole or not at all, and the oldest removed for the newest."""

import contextlib
import logging
import os
import re
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

logger = logging.getLogger(__name__)

# What a process that was killed left; a younger one may still be written.
_LEFT_SECONDS = 24 * 3600
_PART = ".part"
# Only names as the cache gives them: the folder may be one in which people have files.
_PREPARED = re.compile(r"[\w.-]+-[0-9a-f]{64}\.npz")
_UNFINISHED = re.compile(rf"[\w.-]+-\w{{8}}{re.escape(_PART)}")


def user_cache() -> Path:
    """Earmark's folder among the user's caches (XDG base directories).

    Raises ``RuntimeError`` where the user has no home.
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    folder = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    return folder / "earmark"


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A new file in the folder of ``path``, which is made; it replaces the path on success."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=f"{path.stem[:24]}-", suffix=_PART, delete=False
    ) as file:
        part = Path(file.name)
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def make_room(newest: Path, most_bytes: int, spared: Collection[Path]) -> None:
    """Remove the prepared references used longest ago until a folder has ``most_bytes`` at most.

    The folder is that of ``newest``, a file just written, by whose time the others' age is
    told. ``spared`` files stay, even if they are more than fits. Unfinished files that are older
    than a day are removed too. Any number of processes may do this at once; what cannot be
    removed is logged.
    """
    files = sorted(_files(newest.parent), key=lambda found: found[0])
    now = max((used for used, _, path in files if path == newest), default=0.0)
    used_bytes = sum(size for _, size, path in files if _PREPARED.fullmatch(path.name))
    for used, size, path in files:
        if _PREPARED.fullmatch(path.name):
            if used_bytes > most_bytes and path != newest and path not in spared:
                used_bytes -= size if remove(path) else 0
        elif _UNFINISHED.fullmatch(path.name) and now - used > _LEFT_SECONDS:
            remove(path)


def _files(folder: Path) -> Iterator[tuple[float, int, Path]]:
    """When each file of a folder was last used, its bytes and its path."""
    with os.scandir(folder) as entries:
        for entry in entries:
            # Another process may remove it meanwhile.
            with contextlib.suppress(OSError):
                if entry.is_file(follow_symlinks=False):
                    status = entry.stat()
                    yield status.st_mtime, status.st_size, Path(entry.path)


def remove(path: Path) -> bool:
    """Whether a file is gone; the log says why not."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        logger.warning("Cannot remove %s from the cache: %s", path, error)
        return False
    return True
