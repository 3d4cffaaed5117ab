"""Captions as plain arrays: packed strings, and word n-grams of a whole corpus.

An n-gram is the pair of its prefix and its last word, so that each order is
one sorted array of 64-bit keys: finding the n-grams of a thousand captions
among those of five thousand takes a few milliseconds and no Python loop.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

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


def ranges(starts: Ints, counts: Ints) -> Ints:
    """Consecutive numbers from each start, as many as its count, one range after another.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    numbers: Ints = np.repeat(starts, counts) + within
    return numbers


def rows_of(sizes: Ints, places: Ints) -> Ints:
    """Rows of a table in which clip i has ``sizes[i]``, of the clips at these places."""
    starts = np.cumsum(sizes) - sizes
    return ranges(starts[places], sizes[places])


def intern(words: Iterable[str], ids: dict[str, int]) -> Ints:
    """Number words by first appearance, adding the new ones to ``ids``."""
    return np.array([ids.setdefault(word, len(ids)) for word in words], np.int64)


ORDER = 4
_BASE = 1 << 24  # above any number of distinct words; leaves 39 bits for the prefix

Tokens = Sequence[str]


@dataclass(frozen=True, slots=True)
class Bag:
    """The n-grams of captions, counted: one entry per caption and distinct n-gram.

    ``owner`` is the caption, ``order`` is n - 1, ``gram`` the number of the
    n-gram in the index (``index.size`` or more where the index lacks it). The
    entries of a caption stand in order of first appearance, so that a sum over
    them does not depend on the other captions. ``lengths`` has the words of
    each caption.
    """

    owner: Ints
    order: Ints
    gram: Ints
    count: Ints
    lengths: Ints


@dataclass(frozen=True, slots=True)
class NumberedWords:
    """Captions as the numbers of their words in a row, and how many each has."""

    words: Ints
    lengths: Ints

    def part(self, first: int, last: int) -> "NumberedWords":
        """Those of the captions from one place to before another."""
        start, length = self.lengths[:first].sum(), self.lengths[first:last]
        return NumberedWords(self.words[start : start + length.sum()], length)


@dataclass(frozen=True)
class NgramIndex:
    """Every 1- to 4-gram of the references; ``keys[n - 1]`` is sorted."""

    words: tuple[str, ...]
    keys: tuple[Ints, ...]

    @cached_property
    def offsets(self) -> Ints:
        """First n-gram number of each order, and the total."""
        return np.concatenate([[0], np.cumsum([keys.size for keys in self.keys])])

    @property
    def size(self) -> int:
        """Number of distinct n-grams of all orders."""
        return int(self.offsets[-1])

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def bag(self, captions: Sequence[Tokens]) -> Bag:
        """Count the n-grams of captions."""
        return self.count(_number(captions, dict(self._ids)))

    def count(self, captions: NumberedWords) -> Bag:
        """Count the n-grams of captions whose words have this index's numbers, or higher ones."""
        words, lengths = captions.words, captions.lengths
        caption = np.repeat(np.arange(lengths.size), lengths)
        prefix = np.zeros(words.size, np.int64)
        owners, orders, grams = [], [], []
        beyond = self.size
        for n, (at, last) in enumerate(_places(words, lengths)):
            prefix[at] = rank = _rank(prefix[at] * _BASE + last, self.keys[n])
            extra = rank - self.keys[n].size
            grams.append(np.where(extra < 0, rank + self.offsets[n], extra + beyond))
            beyond += int(extra.max(initial=-1)) + 1
            owners.append(caption[at])
            orders.append(np.full(at.size, n))
        owner, order, gram = map(np.concatenate, (owners, orders, grams))
        _, first, count = np.unique(owner * beyond + gram, return_index=True, return_counts=True)
        entries = np.argsort(first)
        first = first[entries]
        return Bag(owner[first], order[first], gram[first], count[entries], lengths)

    def text(self, gram: int) -> str:
        """Words of an n-gram of the index, joined by spaces."""
        order = int(np.searchsorted(self.offsets, gram, side="right")) - 1
        rank = gram - int(self.offsets[order])
        words: list[str] = []
        for keys in reversed(self.keys[: order + 1]):
            rank, word = divmod(int(keys[rank]), _BASE)
            words.append(self.words[word])
        return " ".join(reversed(words))

    def dump(self) -> dict[str, NDArray[Any]]:
        """Turn the index into arrays."""
        packed, lengths = pack_strings(self.words)
        keys = {f"keys_{n}": keys for n, keys in enumerate(self.keys)}
        return {"words": packed, "word_lengths": lengths, **keys}

    @classmethod
    def load(cls, arrays: Mapping[str, NDArray[Any]]) -> "NgramIndex":
        """Read what ``dump`` wrote."""
        words = unpack_strings(arrays["words"], arrays["word_lengths"])
        return cls(tuple(words), tuple(arrays[f"keys_{n}"] for n in range(ORDER)))


def index_ngrams(captions: Iterable[Tokens]) -> tuple[NgramIndex, NumberedWords]:
    """Index every n-gram of captions, and number their words as the index does."""
    ids: dict[str, int] = {}
    numbered = _number(captions, ids)
    keys = []
    prefix = np.zeros(numbered.words.size, np.int64)
    for at, last in _places(numbered.words, numbered.lengths):
        every = prefix[at] * _BASE + last
        ordered = np.sort(every)
        keys.append(ordered[np.diff(ordered, prepend=-1) > 0])
        # Looked up, as an inverse of np.unique takes three times the memory of all words.
        prefix[at] = np.searchsorted(keys[-1], every)
    return NgramIndex(tuple(ids), tuple(keys)), numbered


def _number(captions: Iterable[Tokens], ids: dict[str, int]) -> NumberedWords:
    """Number the words of captions, adding the new ones to ``ids``; each caption is read once."""
    lengths: list[int] = []

    def measured() -> Iterator[Tokens]:
        for caption in captions:
            lengths.append(len(caption))
            yield caption

    words = intern(chain.from_iterable(measured()), ids)
    return NumberedWords(words, np.array(lengths, np.int64))


def _places(words: Ints, lengths: Ints) -> Iterator[tuple[Ints, Ints]]:
    """For each order where an n-gram starts, and its last word."""
    room = np.repeat(np.cumsum(lengths), lengths) - np.arange(words.size)
    for n in range(ORDER):
        at = np.flatnonzero(room > n)
        yield at, words[at + n]


def _rank(keys: Ints, known: Ints) -> Ints:
    """Find keys in a sorted array; number those that it lacks from its size on."""
    ranks = np.searchsorted(known, keys)
    missing = np.ones(keys.size, np.bool_)
    if known.size:
        missing = known[np.minimum(ranks, known.size - 1)] != keys
    ranks[missing] = known.size + np.unique(keys[missing], return_inverse=True)[1]
    return ranks
