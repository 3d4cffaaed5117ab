"""METEOR's English paraphrase table, packed into one file when a machine first needs it.

The table has 5.3 million pairs (phrase, paraphrase) of up to seven words. A pair matches in two
ways: phrase in the reference and paraphrase in the candidate (a *forward* match), or the other
way round (*backward*). Packed, phrases of both sides are *nodes* of a tree of words, and a node
has the nodes of its paraphrases, in the order of the table. That is smaller than the gzip file,
exact, and takes no time to read, as it is mapped into memory.
"""

import gzip
import logging
import os
import shutil
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from earmark.cache_folder import remove, replacing, user_cache
from earmark.metrics.meteor.files import paraphrase_path
from earmark.packed_file import PackedFileDamaged, mapped, write_packed
from earmark.text.arrays import ranges

logger = logging.getLogger(__name__)

MAX_WORDS = 7
_BLOCK = 1 << 22
_PREFIX = "meteor-paraphrases-"
_CURRENT = f"{_PREFIX}2-"  # another number when the file changes
_PARENT = np.uint64(32)

Ints = NDArray[np.int64]
Pairs = Iterable[tuple[Sequence[bytes], Sequence[bytes]]]


class Phrases(NamedTuple):
    """Phrases of the table in sentences: node, sentence, first word and words of each."""

    node: Ints
    sentence: Ints
    start: Ints
    length: Ints


class ParaphraseLinks(NamedTuple):
    """Pairs of the table between a candidate's nodes and references': one entry each.

    ``place`` orders the pairs of one phrase; ``backward`` says that the phrase is the candidate's.
    """

    candidate: Ints
    reference: Ints
    place: Ints
    backward: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ParaphraseTable:
    """The table as a tree of words, and the paraphrases of its nodes.

    ``words`` are sorted; the first nodes are they, in this order. Every later node adds a word
    to an earlier one: ``keys``, sorted, have the earlier node in the upper 32 bits and the word
    in the lower. The node ``phrases[p]``, which are sorted, has the paraphrases
    ``targets[starts[p]:starts[p + 1]]``.
    """

    words: NDArray[np.bytes_]
    keys: NDArray[np.uint64]
    phrases: NDArray[np.uint32]
    starts: NDArray[np.uint32]
    targets: NDArray[np.uint32]

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.words) + len(self.keys)

    def phrases_in(self, sentences: Sequence[Sequence[str]]) -> Phrases:
        """Phrases of up to ``MAX_WORDS`` words, the shortest first; some only begin one."""
        lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
        ends = np.cumsum(lengths)
        sentence = np.repeat(np.arange(len(sentences)), lengths)
        words = self._word_numbers(list(chain.from_iterable(sentences)))
        at = np.flatnonzero(words >= 0)
        node = words[at]
        reached = [(node, at)]
        for length in range(1, MAX_WORDS):
            going_on = at + length < ends[sentence[at]]
            at, node = at[going_on], node[going_on]
            node = self._children(node, words[at + length])
            at, node = at[node >= 0], node[node >= 0]
            reached.append((node, at))
        first = (ends - lengths)[sentence]
        nodes, starts = (np.concatenate(column) for column in zip(*reached, strict=True))
        sizes = np.repeat(np.arange(1, MAX_WORDS + 1), [len(node) for node, _ in reached])
        return Phrases(nodes, sentence[starts], starts - first[starts], sizes)

    def _word_numbers(self, words: Sequence[str]) -> Ints:
        """Number of each word, -1 where the table does not have it."""
        known: dict[str, int] = dict.fromkeys(words, -1)
        # To numpy a text is the same with or without zeros at its end; no word has one.
        texts = [word for word in known if "\0" not in word]
        wanted = np.array([word.encode("utf-8", "surrogatepass") for word in texts], np.bytes_)
        places, listed = _found(self.words, wanted)
        known.update(zip(texts, np.where(listed, places, -1).tolist(), strict=True))
        return np.fromiter(map(known.__getitem__, words), np.int64, len(words))

    def _children(self, nodes: Ints, words: Ints) -> Ints:
        """Node that each node and word make together, -1 where there is none."""
        # A word that the table lacks, -1, makes a key that it lacks, too.
        keys = nodes.astype(np.uint64) << _PARENT | words.astype(np.uint32)
        places, known = _found(self.keys, keys)
        return np.where(known, places + len(self.words), -1)

    def links(self, candidates: Ints, references: Ints) -> ParaphraseLinks:
        """All pairs between two sets of nodes, each sorted and without repetition."""
        phrase, partner, place = self._pairs_of(references, candidates)
        other, target, later = self._pairs_of(candidates, references)
        return ParaphraseLinks(
            np.concatenate([partner, other]),
            np.concatenate([phrase, target]),
            np.concatenate([place, later]),
            np.arange(len(phrase) + len(other)) >= len(phrase),
        )

    def _pairs_of(self, phrases: Ints, paraphrases: Ints) -> tuple[Ints, Ints, Ints]:
        """Phrase, paraphrase and place of the pairs whose sides are among these nodes."""
        # Numbers of another type would make numpy convert the whole table.
        places, known = _found(self.phrases, phrases.astype(np.uint32))
        phrases, places = phrases[known], places[known]
        first, stop = (self.starts[places + step].astype(np.int64) for step in (0, 1))
        counts = stop - first
        place = ranges(first, counts)
        partner = self.targets[place]
        wanted = np.zeros(self.nodes, np.bool_)
        wanted[paraphrases] = True
        kept = np.flatnonzero(wanted[partner])
        return np.repeat(phrases, counts)[kept], partner[kept].astype(np.int64), place[kept]


def _found(entries: NDArray[Any], wanted: NDArray[Any]) -> tuple[Ints, NDArray[np.bool_]]:
    """Place of each wanted value among sorted entries, and whether it is there."""
    places = entries.searchsorted(wanted)
    known = places < len(entries)
    known[known] = entries[places[known]] == wanted[known]
    return places, known


def read_pairs(path: Path) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """Stream a table as blocks of parallel lists (phrases, paraphrases).

    The gzip file has three lines for each pair: probability (which METEOR does not
    use), phrase, paraphrase.
    """
    with gzip.open(path, "rb") as file:
        rest = b""
        while block := file.read(_BLOCK):
            lines = (rest + block).split(b"\n")
            whole = (len(lines) - 1) // 3 * 3
            yield lines[1:whole:3], lines[2:whole:3]
            rest = b"\n".join(lines[whole:])


def pack_pairs(pairs: Pairs) -> ParaphraseTable:
    """Lay pairs out as a table."""
    numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
    sides: tuple[list[NDArray[np.int32]], ...] = ([], [])
    for block in pairs:
        for side, texts in zip(sides, block, strict=True):
            side.append(np.fromiter(map(numbers.__getitem__, texts), np.int32, len(texts)))
    phrase, paraphrase = (np.concatenate([*side, np.zeros(0, np.int32)]) for side in sides)
    words, written = _written(numbers)
    # Of the real table, three hundred megabytes.
    numbers.clear()
    keys, nodes = _tree(len(words), written)
    sources = nodes[phrase]
    order = np.argsort(sources, kind="stable")
    phrases, sizes = np.unique(sources, return_counts=True)
    return ParaphraseTable(
        words,
        keys,
        phrases.astype(np.uint32),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32),
        nodes[paraphrase[order]].astype(np.uint32),
    )


def _written(phrases: Iterable[bytes]) -> tuple[NDArray[np.bytes_], NDArray[np.int32]]:
    """Words of phrases, sorted, and the phrases in their numbers: -1 ends each."""
    numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
    end = numbers[b"\n"]
    rest = iter(phrases)
    # A line break, as a word of its own, ends each phrase. In blocks, as to have all words apart
    # at the same time would take a gigabyte.
    blocks = iter(lambda: b" \n ".join([*islice(rest, 4096), b""]).split(b" ")[:-1], [])
    written = np.fromiter(map(numbers.__getitem__, chain.from_iterable(blocks)), np.int32)
    words = np.array(list(numbers)[end + 1 :], np.bytes_)
    order = np.argsort(words)
    ranks = np.concatenate([[-1], np.argsort(order)]).astype(np.int32)
    return words[order], ranks[written]


def _tree(words: int, written: NDArray[np.int32]) -> tuple[NDArray[np.uint64], Ints]:
    """Keys of the tree that has these phrases, and the node of each."""
    ends = np.flatnonzero(written < 0)
    starts = np.concatenate([[0], ends + 1])[:-1]
    node, keys = written[starts].astype(np.int64), []
    for length in range(1, int((ends - starts).max(initial=1))):
        longer = np.flatnonzero(ends - starts > length)
        together = node[longer] << 32 | written[starts[longer] + length]
        distinct, inverse = np.unique(together, return_inverse=True)
        node[longer] = words + inverse
        words += len(distinct)
        keys.append(distinct.astype(np.uint64))
    return np.concatenate([*keys, np.zeros(0, np.uint64)]), node


_open_tables: dict[Path, ParaphraseTable] = {}
_opening = threading.Lock()


def paraphrase_table(folder: Path | None) -> ParaphraseTable:
    """METEOR's table, opened by the first call in a process.

    That maps its file in ``folder``, by default the user's cache folder, and builds it (seconds)
    where there is none or a damaged one. Any number of processes may do this at once. A process
    that cannot write it has it in its own memory. Raises ``MeteorFilesMissing``.
    """
    source = paraphrase_path()
    with _opening:
        table = _open_tables.get(source)
        if table is None:
            table = _open_tables[source] = _opened(source, folder)
        return table


def _opened(source: Path, folder: Path | None) -> ParaphraseTable:
    table = None
    try:
        path = (folder or user_cache()) / f"{_CURRENT}{_identity(source)}.bin"
        try:
            return ParaphraseTable(**mapped(path))
        except (FileNotFoundError, PackedFileDamaged):
            table = pack_pairs(read_pairs(source))
        with replacing(path) as part:
            write_packed(part, vars(table))
            # Nothing in it is secret, and another user of the folder need not pack it again.
            part.chmod(0o644)
        _remove_former(path.parent)
        return ParaphraseTable(**mapped(path))
    # A user without a home is a RuntimeError.
    except (OSError, RuntimeError, PackedFileDamaged):
        logger.warning("METEOR's paraphrases are in memory: no file can be kept", exc_info=True)
    return table or pack_pairs(read_pairs(source))


def _identity(source: Path) -> str:
    """Identity of a table, from the end of its gzip file: checksum and size of the content."""
    with source.open("rb") as file:
        file.seek(-8, os.SEEK_END)
        return file.read().hex()


def _remove_former(folder: Path) -> None:
    """Remove the files and folders of layouts that no version writes any more."""
    for path in folder.glob(f"{_PREFIX}*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif not path.name.startswith(_CURRENT):
            remove(path)
