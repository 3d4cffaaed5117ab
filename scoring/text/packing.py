"""Strings and ragged lists as plain arrays, for files that are read without pickle."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
S = TypeVar("S", str, list[str], list[float], list[tuple[str, ...]])


def pack_strings(strings: Sequence[str]) -> tuple[Bytes, Ints]:
    """Join strings to UTF-8 bytes, with the length of each in characters.

    Any text is kept as it is: line ends, NUL, lone surrogates.
    """
    text = "".join(strings).encode("utf-8", "surrogatepass")
    lengths = np.fromiter(map(len, strings), np.int64, len(strings))
    return np.frombuffer(text, np.uint8), lengths


def unpack_strings(packed: Bytes, lengths: Ints) -> list[str]:
    """Read what ``pack_strings`` wrote."""
    return split(packed.tobytes().decode("utf-8", "surrogatepass"), lengths)


def split(sequence: S, lengths: Ints) -> list[S]:
    """Cut a sequence into consecutive pieces of the given lengths."""
    ends: list[int] = np.cumsum(lengths).tolist()
    return [sequence[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def intern(words: Iterable[str], ids: dict[str, int]) -> Ints:
    """Give words numbers by first appearance, adding the new ones to ``ids``."""
    return np.array([ids.setdefault(word, len(ids)) for word in words], np.int64)
