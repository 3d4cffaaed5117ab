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
import json
import logging
import mmap
import shutil
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from scoring.metrics.meteor.paraphrases import (
    ParaphraseTable,
    TableLink,
    group_links,
    read_pairs,
    wanted_ngrams,
)

logger = logging.getLogger(__name__)

_LAYOUT = 1  # raised when the files change
BREAK = b"\n"
RUNS, PARAPHRASES = "runs.txt", "paraphrases.txt"
ARRAYS = (
    *("run_starts", "run_ends", "run_hash", "run_order"),
    *("paraphrase_ends", "paraphrase_hash", "paraphrase_order"),
)
PREFIX = "meteor-paraphrases-"
_SUMS = "checksums.json"
_FILES = frozenset({RUNS, PARAPHRASES, *(f"{name}.npy" for name in ARRAYS)})
_PART = ".part"
_BLOCK = 1 << 20
# To build takes seconds: what is so old was left by a process that was killed.
_LEFT_SECONDS = 24 * 3600

Ints = NDArray[np.int32]
Hashes = NDArray[np.uint32]


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
        """The same table as by ``reduce_table`` for these references."""
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
    """Numbers of the lines that may be a text."""
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
    """The same table as by ``reduce_table`` for these references; None without an index."""
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
    """Identity of a table, from the end of its gzip file: checksum and size of the content."""
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


class IndexDamaged(Exception):
    """An index that does not have the files, or the bytes, that it was written with."""


def verify(folder: Path) -> None:
    """Read every file of an index once; raises ``IndexDamaged`` where one is not as written."""
    try:
        sums = json.loads((folder / _SUMS).read_text(encoding="utf-8"))
        # By our own names and not by those in the file, which may be damaged too.
        whole = sums == {name: _checksum(folder / name) for name in _FILES}
    except (OSError, ValueError) as error:
        raise IndexDamaged from error
    if not whole:
        raise IndexDamaged


def _checksum(path: Path) -> list[int]:
    """Size and CRC-32 of a file."""
    size = checksum = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            size += len(block)
            checksum = zlib.crc32(block, checksum)
    return [size, checksum]


def build(table: Path, path: Path) -> None:
    """Write an index so that it is either whole or absent, in place of a damaged one.

    Raises ``OSError`` where that cannot be done.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(dir=path.parent, prefix=PREFIX, suffix=_PART))
    try:
        _sweep(part)
        _write(table, part)
        sums = {name: _checksum(part / name) for name in sorted(_FILES)}
        (part / _SUMS).write_text(json.dumps(sums), encoding="utf-8")
        _put(part, path)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _sweep(mine: Path) -> None:
    """Remove what processes that were killed left of theirs, by the clock of the file system."""
    now = mine.stat().st_mtime
    for other in mine.parent.glob(f"{PREFIX}*{_PART}"):
        # Another process may sweep at the same time.
        with contextlib.suppress(OSError):
            if now - other.stat().st_mtime > _LEFT_SECONDS:
                shutil.rmtree(other, ignore_errors=True)


def _put(part: Path, path: Path) -> None:
    with contextlib.suppress(OSError):
        part.rename(path)
        return
    # One is there: another process was faster, whose index is the same, or it is damaged.
    try:
        verify(path)
    except IndexDamaged:
        shutil.rmtree(path, ignore_errors=True)
        with contextlib.suppress(OSError):
            part.rename(path)


def _write(table: Path, folder: Path) -> None:
    with (folder / RUNS).open("wb") as runs, (folder / PARAPHRASES).open("wb") as paraphrases:
        layout = _Layout(runs, paraphrases)
        for phrases, others in read_pairs(table):
            layout.add(phrases, others)
    for name, array in layout.arrays().items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


class _Layout:
    """Lengths and hashes gathered while the table is read; the text is written at once."""

    def __init__(self, runs: BinaryIO, paraphrases: BinaryIO) -> None:
        self._runs, self._paraphrases = runs, paraphrases
        self._last: bytes | None = None
        self._pairs = 0
        self._run_starts: list[int] = []
        self._run_lengths: list[int] = []
        self._run_hash: list[int] = []
        self._lengths: list[NDArray[np.int64]] = []
        self._hash: list[Hashes] = []

    def add(self, phrases: list[bytes], paraphrases: list[bytes]) -> None:
        """Add pairs that follow those added before."""
        if not phrases:
            return
        before = [self._last, *phrases[:-1]]
        pairs = zip(before, phrases, strict=True)
        new = [at for at, (last, phrase) in enumerate(pairs) if phrase != last]
        for at in new:
            self._run_starts.append(self._pairs + at)
            self._run_lengths.append(len(phrases[at]) + 1)
            self._run_hash.append(crc32(phrases[at]))
            self._runs.write(phrases[at] + BREAK)
        count = len(paraphrases)
        self._paraphrases.write(BREAK.join(paraphrases) + BREAK)
        self._lengths.append(np.fromiter(map(len, paraphrases), np.int64, count) + 1)
        self._hash.append(np.fromiter(map(crc32, paraphrases), np.uint32, count))
        self._last = phrases[-1]
        self._pairs += count

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Arrays of the index."""
        run_hash = np.array(self._run_hash, np.uint32)
        run_order = np.argsort(run_hash, kind="stable").astype(np.int32)
        hashes = np.concatenate([*self._hash, np.zeros(0, np.uint32)])
        order = np.argsort(hashes, kind="stable").astype(np.int32)
        lengths = np.concatenate([*self._lengths, np.zeros(0, np.int64)])
        return {
            "run_starts": np.array([*self._run_starts, self._pairs], np.int32),
            "run_ends": np.cumsum(self._run_lengths, dtype=np.int64).astype(np.int32),
            "run_hash": run_hash[run_order],
            "run_order": run_order,
            "paraphrase_ends": np.cumsum(lengths).astype(np.int32),
            "paraphrase_hash": hashes[order],
            "paraphrase_order": order,
        }
