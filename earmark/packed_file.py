"""Arrays in one file that is mapped into memory and not read; checked when it is opened."""

import json
import mmap
import zlib
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Arrays begin where processors like to read.
_ALIGNED = 64
_HEAD_BYTES = 1024
_SUM_BYTES = 4


class PackedFileDamaged(Exception):
    """A file that does not have the bytes that it was written with."""


def write_packed(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write one-dimensional arrays: a head that names them, the arrays, a checksum."""
    kinds = {name: [array.dtype.str, len(array)] for name, array in arrays.items()}
    checksum = 0
    with path.open("wb") as file:
        head = json.dumps(kinds).encode().ljust(_HEAD_BYTES)
        for content in chain([head], (array.tobytes() for array in arrays.values())):
            for piece in (content, bytes(-len(content) % _ALIGNED)):
                file.write(piece)
                checksum = zlib.crc32(piece, checksum)
        file.write(checksum.to_bytes(_SUM_BYTES, "little"))


def mapped(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file, which share its memory and cannot be written.

    All of it is read once for the checksum. Raises ``OSError`` or ``PackedFileDamaged``.
    """
    with path.open("rb") as file:
        try:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError as error:  # an empty file
            raise PackedFileDamaged from error
    body = memoryview(content)[:-_SUM_BYTES]
    # Of nothing the checksum is zero.
    if not body or zlib.crc32(body) != int.from_bytes(content[-_SUM_BYTES:], "little"):
        raise PackedFileDamaged
    arrays: dict[str, NDArray[Any]] = {}
    start = _HEAD_BYTES
    for name, (kind, count) in json.loads(bytes(body[:_HEAD_BYTES])).items():
        arrays[name] = np.frombuffer(content, kind, count, start)
        start += arrays[name].nbytes + -arrays[name].nbytes % _ALIGNED
    return arrays
