"""A zip that is sent while it is made."""

import io
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

_EPOCH = (1980, 1, 1, 0, 0, 0)
_PIECE = 1 << 18


class _Pipe(io.RawIOBase):
    """What a zip is written to, to be handed on piece by piece."""

    def __init__(self) -> None:
        self._held = bytearray()

    def writable(self) -> bool:
        """A zip may be written to it."""
        return True

    def write(self, data: Any) -> int:
        """Hold what is written until it is taken."""
        self._held += data
        return len(data)

    def taken(self) -> bytes:
        """What was written since it was asked last."""
        data = bytes(self._held)
        self._held.clear()
        return data


class SentZip:
    """A zip that is handed on piece by piece; the same content gives the same bytes."""

    def __init__(self) -> None:
        self._pipe = _Pipe()
        self._archive = zipfile.ZipFile(self._pipe, "w", zipfile.ZIP_DEFLATED)

    def member(
        self, name: str, content: Iterable[bytes], *, packed: bool = True
    ) -> Iterator[bytes]:
        """Add a file of this content."""
        info = zipfile.ZipInfo(name, _EPOCH)
        info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        with self._archive.open(info, "w", force_zip64=True) as file:
            for piece in content:
                file.write(piece)
                yield self._pipe.taken()
        yield self._pipe.taken()

    def end(self) -> bytes:
        """The list of its files, which comes last."""
        self._archive.close()
        return self._pipe.taken()


def pieces_of_file(path: Path) -> Iterator[bytes]:
    """The content of a file."""
    with path.open("rb") as source:
        while piece := source.read(_PIECE):
            yield piece
