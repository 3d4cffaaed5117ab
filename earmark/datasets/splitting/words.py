"""Words of clips, and of units of a split, clips that stay together: how many a part has."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from earmark.models.fluency.vocabulary import normalise

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
        rows = [sorted(places[word] for word in words_of) for words_of in sets]
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


@dataclass(frozen=True)
class Units:
    """Units, and how many clips of each have what a column stands for.

    Column 0 is "a clip", which every clip is; then come the words of two clips or more, and
    then the names that several clips have. Of unit i, ``columns[starts[i]:starts[i + 1]]`` are
    those that its clips have, rising, and ``clips`` beside them says how many clips.
    """

    starts: Integers
    columns: Integers
    clips: Integers
    words: int
    names: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def totals(self) -> Integers:
        """Clips with each column."""
        width = 1 + self.words + self.names
        return np.bincount(self.columns, self.clips, minlength=width).astype(np.int64)

    def counts(self, assignment: Integers, parts: int) -> Integers:
        """Clips with each column in each part, (parts, columns), of an assignment of units."""
        width = 1 + self.words + self.names
        owners = np.repeat(assignment, np.diff(self.starts))
        keys = owners * width + self.columns
        return (
            np.bincount(keys, self.clips, minlength=parts * width)
            .reshape(parts, width)
            .astype(np.int64)
        )


def units_of(words: ClipWords, groups: Integers, namesakes: Sequence[Sequence[int]]) -> Units:
    """Units of clips by the group of each clip; ``namesakes`` are clips that must not meet."""
    repeated = np.flatnonzero(words.frequencies > 1)
    column_of = np.full(len(words.words), -1, dtype=np.int64)
    column_of[repeated] = 1 + np.arange(len(repeated))
    columns = column_of[words.entries]
    kept = columns > 0
    width = 1 + len(repeated) + len(namesakes)
    named = [(clip, 1 + len(repeated) + at) for at, same in enumerate(namesakes) for clip in same]
    extra = np.array(named, dtype=np.int64).reshape(-1, 2)
    owners = np.concatenate([groups, groups[words.owners[kept]], groups[extra[:, 0]]])
    places = np.concatenate([np.zeros_like(groups), columns[kept], extra[:, 1]])
    keys, clips = np.unique(owners * width + places, return_counts=True)
    starts = np.searchsorted(keys, width * np.arange(groups.max() + 2))
    return Units(starts, keys % width, clips, len(repeated), len(namesakes))
