"""Writing the index of METEOR's paraphrase table, and telling whether it is as it was written."""

import contextlib
import json
import shutil
import tempfile
import zlib
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from scoring.metrics.meteor.paraphrases import read_pairs

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

Hashes = NDArray[np.uint32]


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
    """Give size and CRC-32 of a file."""
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
    """What is gathered while the table streams by: lengths and hashes, no text."""

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
        """Give the arrays of the index."""
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
