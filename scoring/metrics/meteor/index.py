"""METEOR's paraphrase table laid out so that a few references need not read all of it.

To reduce the table for some references takes seconds, as all 61 MB are unpacked
(``paraphrases.reduce_table``). An index has the pairs by the hash of either
side, in files that are mapped and not read: milliseconds for one clip. It gives
the same pairs; every hash that fits is checked against the text.

The table lists all paraphrases of a phrase one after another, so that a phrase
is written once, for its *run* of pairs. Were it not so, there would be more runs
and nothing would be wrong.
"""

import contextlib
import logging
import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from scoring.metrics.meteor.index_files import (
    ARRAYS,
    BREAK,
    PARAPHRASES,
    PREFIX,
    RUNS,
    Hashes,
    IndexDamaged,
    build,
    verify,
)
from scoring.metrics.meteor.paraphrases import (
    ParaphraseTable,
    TableLink,
    group_links,
    wanted_ngrams,
)

logger = logging.getLogger(__name__)

_LAYOUT = 1  # raised when the files change

Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ParaphraseIndex:
    """The table by the hash of either side; all of it is mapped, none of it held.

    Run r has the phrase that ends, with its line break, at byte ``run_ends[r]`` of
    ``runs`` and the pairs from place ``run_starts[r]`` to ``run_starts[r + 1]``.
    The paraphrase of place p ends at ``paraphrase_ends[p]`` of ``paraphrases``.
    ``*_hash`` are sorted, ``*_order`` says whose they are.
    """

    runs: mmap.mmap
    paraphrases: mmap.mmap
    run_starts: Ints
    run_ends: Ints
    run_hash: Hashes
    run_order: Ints
    paraphrase_ends: Ints
    paraphrase_hash: Hashes
    paraphrase_order: Ints

    def reduce(self, sentences: Sequence[Sequence[str]]) -> ParaphraseTable:
        """Give what ``reduce_table`` gives for these references."""
        links: list[TableLink] = []
        for ngram in wanted_ngrams(sentences):
            links += self._forward(ngram)
            links += self._backward(ngram)
        return group_links(links)

    def _forward(self, ngram: bytes) -> Iterator[TableLink]:
        """List the pairs whose phrase is the n-gram."""
        for run in _with_hash(self.run_hash, self.run_order, ngram).tolist():
            if _line(self.runs, self.run_ends, run) != ngram:
                continue
            first, stop = int(self.run_starts[run]), int(self.run_starts[run + 1])
            begin = int(self.paraphrase_ends[first - 1]) if first else 0
            end = int(self.paraphrase_ends[stop - 1]) - 1
            for place, partner in enumerate(self.paraphrases[begin:end].split(BREAK), first):
                yield partner, ngram, place, False

    def _backward(self, ngram: bytes) -> Iterator[TableLink]:
        """List the pairs whose paraphrase is the n-gram."""
        places = _with_hash(self.paraphrase_hash, self.paraphrase_order, ngram)
        runs = np.searchsorted(self.run_starts, places, side="right") - 1
        for place, run in zip(places.tolist(), runs.tolist(), strict=True):
            if _line(self.paraphrases, self.paraphrase_ends, place) == ngram:
                yield _line(self.runs, self.run_ends, run), ngram, place, True


def _with_hash(hashes: Hashes, order: Ints, text: bytes) -> Ints:
    """Give the numbers of the lines that may be a text."""
    # A number of another type would make numpy convert all hashes.
    wanted = np.uint32(crc32(text))
    return order[hashes.searchsorted(wanted) : hashes.searchsorted(wanted, side="right")]


def _line(text: mmap.mmap, ends: Ints, number: int) -> bytes:
    begin = int(ends[number - 1]) if number else 0
    return text[begin : int(ends[number]) - 1]


def index_for(table: Path, folder: Path) -> ParaphraseIndex | None:
    """Open the index of a table below ``folder``; build it (seconds) where there is none.

    Opening reads all 163 MB once, to see that they are as they were written: 0.05 s
    where the system has them in memory. Any number of processes may do this at
    once. None where it cannot be written; a process tries that once, and says why
    in the log.
    """
    return _opened(folder / f"{PREFIX}{_LAYOUT}-{_identity(table)}", table)


def reduce_by(
    table: Path, folder: Path, sentences: Sequence[Sequence[str]]
) -> ParaphraseTable | None:
    """Give what ``reduce_table`` gives for these references; None where no index can."""
    index = index_for(table, folder)
    if index is None:
        return None
    try:
        return index.reduce(sentences)
    except (IndexError, ValueError):
        # Damaged after it was opened: the next to ask opens it anew, which finds that out.
        # A UnicodeError is a ValueError.
        logger.warning("The index of METEOR's paraphrases in %s is damaged", folder, exc_info=True)
        _opened.cache_clear()
        return None


@lru_cache(maxsize=4)
def _opened(path: Path, table: Path) -> ParaphraseIndex | None:
    with contextlib.suppress(IndexDamaged):
        return _open(path)
    try:
        build(table, path)
        return _open(path)
    except (OSError, IndexDamaged):
        logger.warning("No index of METEOR's paraphrases in %s", path, exc_info=True)
        return None


def _identity(table: Path) -> str:
    """Tell tables apart by what gzip ends with: checksum and size of the content."""
    with table.open("rb") as file:
        file.seek(-8, 2)
        return file.read().hex()


def _open(path: Path) -> ParaphraseIndex:
    verify(path)
    try:
        arrays = {name: np.load(path / f"{name}.npy", mmap_mode="r") for name in ARRAYS}
        return ParaphraseIndex(_mapped(path / RUNS), _mapped(path / PARAPHRASES), **arrays)
    except (OSError, ValueError, AttributeError) as error:
        raise IndexDamaged from error


def _mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
