"""Cutting lists: so many rows are read or written at once, as databases take only so many."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

AT_ONCE = 500
_Row = TypeVar("_Row")


def in_batches(rows: Sequence[_Row], size: int = AT_ONCE) -> Iterator[Sequence[_Row]]:
    """Cut a list into parts of ``size`` rows, the last of which may be shorter."""
    return (rows[start : start + size] for start in range(0, len(rows), size))
