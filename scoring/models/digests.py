"""The sha256 of weight files, by which signatures tell them apart."""

import hashlib
from functools import lru_cache
from pathlib import Path


def digest_of(file: Path) -> str:
    """Hash a file, in hex digits; once for as long as its time and size stay the same."""
    stamp = file.stat()
    return _digest(file, stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=64)
def _digest(file: Path, _modified: int, _size: int) -> str:
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()
