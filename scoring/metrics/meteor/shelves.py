"""Sorted lines of which a run needs few, kept as text and split shelf by shelf.

METEOR's word lists have some 150,000 lines each and a system's captions touch
hundreds of them: to put all in a dictionary would take longer than to score.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scoring.metrics.meteor.files import pack, unpack

_PREFIX = 3
_SEPARATOR = "\t"


class Glossary(Protocol):
    """A word list with a text for each word; a dictionary is one."""

    def get(self, word: str, /) -> str | None:
        """Entry of the word, None where it is not listed."""

    def __contains__(self, word: object, /) -> bool:
        """Whether the word is listed."""


@dataclass(frozen=True, eq=False)
class Shelves:
    """Lines in order, on shelves of neighbours: shelf k has the lines ``starts[k]`` and on.

    ``ends[k]`` is where shelf k's bytes end in ``text``, with its last line break.
    """

    names: Mapping[str, int]
    starts: Sequence[int]
    ends: Sequence[int]
    text: bytes

    @classmethod
    def build(cls, lines: Sequence[str], name: Callable[[str], str]) -> "Shelves":
        """Shelve lines without line breaks; those of one name must be neighbours."""
        names: dict[str, int] = {}
        starts, ends, parts = [0], [0], []
        for shelf, group in groupby(lines, name):
            shelved = list(group)
            part = ("\n".join(shelved) + "\n").encode("utf-8", "surrogatepass")
            names[shelf] = len(names)
            starts.append(starts[-1] + len(shelved))
            ends.append(ends[-1] + len(part))
            parts.append(part)
        return cls(names, starts, ends, b"".join(parts))

    def lines(self, name: str) -> tuple[int, list[str]]:
        """Number of a shelf's first line, and its lines; none where there is no such shelf."""
        shelf = self.names.get(name)
        if shelf is None:
            return 0, []
        part = self.text[self.ends[shelf] : self.ends[shelf + 1] - 1]
        return self.starts[shelf], part.decode("utf-8", "surrogatepass").split("\n")

    def dump(self, prefix: str) -> dict[str, NDArray[np.generic]]:
        """Turn the shelves into arrays whose names start with ``prefix``."""
        return {
            f"{prefix}_names": pack(tuple(self.names)),
            f"{prefix}_starts": np.array(self.starts, np.int32),
            f"{prefix}_ends": np.array(self.ends, np.int64),
            f"{prefix}_text": np.frombuffer(self.text, np.uint8),
        }

    @classmethod
    def load(cls, prefix: str, arrays: Mapping[str, NDArray[np.generic]]) -> "Shelves":
        """Read what ``dump`` wrote."""
        starts: list[int] = arrays[f"{prefix}_starts"].tolist()
        names = unpack(np.asarray(arrays[f"{prefix}_names"], np.uint8), len(starts) - 1)
        return cls(
            names={name: number for number, name in enumerate(names)},
            starts=starts,
            ends=arrays[f"{prefix}_ends"].tolist(),
            text=arrays[f"{prefix}_text"].tobytes(),
        )


@dataclass(frozen=True, eq=False)
class ShelvedGlossary:
    """A word list on shelves of words that begin alike, each opened when first needed."""

    shelves: Shelves
    _open: dict[str, dict[str, str]] = field(default_factory=dict, repr=False)

    @classmethod
    def build(cls, entries: Mapping[str, str]) -> "ShelvedGlossary":
        """Shelve a word list without tabs or line breaks."""
        lines = [word + _SEPARATOR + entries[word] for word in sorted(entries)]
        return cls(Shelves.build(lines, lambda line: _shelf_of(line.partition(_SEPARATOR)[0])))

    def get(self, word: str, /) -> str | None:
        """Entry of the word, None where it is not listed."""
        name = _shelf_of(word)
        entries = self._open.get(name)
        if entries is None:
            lines = self.shelves.lines(name)[1]
            entries = self._open[name] = {
                entry: text for entry, _, text in (line.partition(_SEPARATOR) for line in lines)
            }
        return entries.get(word)

    def __contains__(self, word: object, /) -> bool:
        """Whether the word is listed."""
        return isinstance(word, str) and self.get(word) is not None


def _shelf_of(word: str) -> str:
    return word[:_PREFIX]
