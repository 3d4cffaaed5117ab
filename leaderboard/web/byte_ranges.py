"""Parts of a file, as HTTP asks for them (RFC 9110, section 14)."""

import re
from dataclasses import dataclass

_ONE = re.compile(r"\s*(\d*)\s*-\s*(\d*)\s*", re.ASCII)
# No file has more digits; longer numbers would only be work.
_MOST_DIGITS = 19


class Unsatisfiable(Exception):
    """A part that begins behind the end."""


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Bytes from ``start`` up to and without ``end`` of a file of ``size``."""

    start: int
    end: int
    size: int

    def __len__(self) -> int:
        return self.end - self.start

    @property
    def header(self) -> str:
        """What Content-Range says."""
        return f"bytes {self.start}-{self.end - 1}/{self.size}"


def requested_range(header: str, size: int) -> ByteRange | None:
    """The one range that ``header`` requests; None stands for the whole file.

    What is no range of bytes is passed over, as the standard asks; so are several
    ranges at once, which no player needs and which can be asked for by the thousand.
    Raises ``Unsatisfiable``.
    """
    unit, _, rest = header.partition("=")
    found = _ONE.fullmatch(rest) if unit.strip().lower() == "bytes" else None
    if found is None or not any(found.groups()):
        return None
    first, last = (text[:_MOST_DIGITS] for text in found.groups())
    if not first:
        return _tail(int(last), size)
    start = int(first)
    end = min(int(last) + 1, size) if last else size
    if last and int(last) < start:
        return None
    if start >= size:
        raise Unsatisfiable
    return ByteRange(start, end, size)


def _tail(length: int, size: int) -> ByteRange:
    if not length or not size:
        raise Unsatisfiable
    return ByteRange(max(0, size - length), size, size)
