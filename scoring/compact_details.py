"""Details of many clips in little memory."""

import json
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, overload

from scoring.json_values import json_bytes

# Clips that are packed together, and made anew together where one of them is read.
_BLOCK = 100
_FAST = 1  # of zlib's levels: the best one takes a tenth less and five times as long


class CompactDetails(Sequence[Mapping[str, Any]]):
    """Details as compressed JSON, a fiftieth of what the objects would take; read like a list.

    >>> details = CompactDetails()
    >>> details.extend([{"matched": ["dog"]}, {"matched": []}])
    >>> len(details), details[1], details[:1]
    (2, {'matched': []}, [{'matched': ['dog']}])
    """

    def __init__(self) -> None:
        self._packed: list[bytes] = []
        # Of each block the place of its first clip, and of what comes after the last.
        self._starts = [0]
        self._read: tuple[int, list[Mapping[str, Any]]] = (-1, [])

    def extend(self, details: Iterable[Mapping[str, Any]]) -> None:
        """Add the details of more clips, which are JSON-ready."""
        rows = iter(details)
        while block := list(islice(rows, _BLOCK)):
            self._packed.append(zlib.compress(json_bytes(block), _FAST))
            self._starts.append(self._starts[-1] + len(block))

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, place: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> list[Mapping[str, Any]]: ...

    def __getitem__(self, place: int | slice) -> Mapping[str, Any] | list[Mapping[str, Any]]:
        if isinstance(place, slice):
            return [self[at] for at in range(*place.indices(len(self)))]
        at = range(len(self))[place]  # IndexError as a list has it
        block = bisect_right(self._starts, at) - 1
        number, rows = self._read
        if number != block:
            rows = json.loads(zlib.decompress(self._packed[block]))
            self._read = block, rows
        return rows[at - self._starts[block]]
