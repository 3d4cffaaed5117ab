"""Words of clips: what a word is, which clips have it, and how many of each part."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scoring.models.fluency.vocabulary import normalise

Integers = NDArray[np.int64]


def caption_words(caption: str) -> list[str]:
    """Words of a caption in order: lower case, punctuation removed, cut at white space.

    >>> caption_words("A walkie-talkie, far off, isn't on.")
    ['a', 'walkietalkie', 'far', 'off', 'isnt', 'on']
    """
    return normalise(caption).split()


@dataclass(frozen=True)
class ClipWords:
    """Words of a data set, sorted, and which of them each clip has.

    The words of clip i are ``entries[starts[i]:starts[i + 1]]``, as rising places in ``words``;
    a clip has a word once, however many of its captions say it.
    """

    words: tuple[str, ...]
    starts: Integers
    entries: Integers

    @classmethod
    def of(cls, clips: Iterable[Sequence[str]]) -> "ClipWords":
        """Words of clips, each given by its captions."""
        sets = [{word for text in captions for word in caption_words(text)} for captions in clips]
        words = tuple(sorted(set().union(*sets)))
        places = {word: place for place, word in enumerate(words)}
        rows = [sorted(places[word] for word in found) for found in sets]
        starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        entries = np.array([place for row in rows for place in row], dtype=np.int64)
        return cls(words, starts, entries)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def owners(self) -> Integers:
        """The clip of each entry."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.starts))

    @cached_property
    def frequencies(self) -> Integers:
        """How many clips have each word."""
        return np.bincount(self.entries, minlength=len(self.words)).astype(np.int64)

    def counts(self, assignment: Integers, parts: int) -> Integers:
        """Clips with each word in each part, (parts, words), by the part of each clip."""
        width = len(self.words)
        keys = assignment[self.owners] * width + self.entries
        return np.bincount(keys, minlength=parts * width).reshape(parts, width).astype(np.int64)
