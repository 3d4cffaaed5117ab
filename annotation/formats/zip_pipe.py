"""What a zip is written to that is sent while it is made."""

import io
from typing import Any


class ZipPipe(io.RawIOBase):
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
