"""All the matches that METEOR's four matchers find between captions and their references.

Words and phrases are *units*, which are numbered. What a unit of the captions matches is found
first; then the units of many captions are joined with those of their clips' references, in arrays.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from earmark.metrics.meteor.alignment import BACKWARD, EXACT, FORWARD, STEM, SYNONYM, Match
from earmark.metrics.meteor.lexicon import Lexicon
from earmark.metrics.meteor.paraphrases import ParaphraseTable
from earmark.metrics.meteor.statistics import highest_scores
from earmark.text.arrays import ranges
from earmark.text.porter2 import stem

Words = tuple[str, ...]
Ints = NDArray[np.int64]
Numbers = NDArray[np.signedinteger[Any]]
# As many clips are indexed at a time: a hundred thousand at once would take gigabytes.
_INDEXED = 2000


@lru_cache(maxsize=1 << 16)
def java_hash(word: str) -> int:
    """Java's hash of a string: METEOR takes words with the same hash for equal."""
    value = 0
    units = word.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        value = (value * 31 + (high << 8 | low)) & 0xFFFFFFFF
    return value


def _equal(left: Words, right: Words) -> bool:
    """Whether METEOR takes two captions for the same."""
    return left == right or (
        len(left) == len(right)
        and all(java_hash(one) == java_hash(other) for one, other in zip(left, right, strict=True))
    )


@dataclass(frozen=True, eq=False, slots=True)
class Sentence:
    """A caption's words, and which of them are function words."""

    words: Words
    function: tuple[bool, ...]


class UnitPlaces(NamedTuple):
    """Where units stand: each with its sentence, first word and number of words."""

    unit: Numbers
    sentence: Numbers
    start: Numbers
    length: Numbers

    def at(self, rows: Ints) -> "UnitPlaces":
        """These of them."""
        return UnitPlaces(*(column[rows].astype(np.int64) for column in self))


class Relations(NamedTuple):
    """What units match, in order: unit, unit of the references, kind, place in the table."""

    unit: Ints
    target: Ints
    kind: Ints
    place: Ints

    def at(self, rows: Ints) -> "Relations":
        """These of them."""
        return Relations(*(column[rows] for column in self))


@dataclass(frozen=True, eq=False, slots=True)
class FoundMatches:
    """Matches of captions with references: each caption with all of its clip, in turn.

    Pair p has ``rows[starts[p]:starts[p + 1]]``, and no alignment that scores more than
    ``bounds[p]``.
    """

    rows: Ints
    starts: Sequence[int]
    bounds: Sequence[float]

    def of_pair(self, pair: int) -> list[Match]:
        """Matches of a pair in METEOR's order."""
        rows = self.rows[self.starts[pair] : self.starts[pair + 1]].tolist()
        return sorted(map(tuple, rows))


class Matcher:
    """The four matchers against the words and phrases of one set of references."""

    def __init__(
        self, lexicon: Lexicon, table: ParaphraseTable, references: Iterable[Sequence[Words]]
    ) -> None:
        self._lexicon = lexicon
        self._table = table
        self._ways: dict[str, list[tuple[int, int]]] = {}
        self._by_key: dict[int, list[int]] = defaultdict(list)
        self._by_stem: dict[int, list[int]] = defaultdict(list)
        self._by_synset: dict[str, list[int]] = defaultdict(list)
        self.clips = tuple(tuple(map(self.sentence, clip)) for clip in references)
        sentences = [sentence.words for clip in self.clips for sentence in clip]
        vocabulary = _numbered(sentences)
        for word, number in vocabulary.items():
            self._by_key[java_hash(word)].append(number)
            self._by_stem[java_hash(stem(word))].append(number)
            for synset in lexicon.synsets(word):
                self._by_synset[synset].append(number)
        self._words = len(vocabulary)
        self._all_units = self._words + table.nodes
        self._first = np.cumsum([0, *map(len, self.clips)])
        blocks = range(0, len(self.clips) or 1, _INDEXED)
        keys, told = zip(*(self._indexed(vocabulary, first) for first in blocks), strict=True)
        self._keys: Ints = np.concatenate(keys)
        self._told = UnitPlaces(*map(np.concatenate, zip(*told, strict=True)))

    def _indexed(self, vocabulary: Mapping[str, int], first: int) -> tuple[Ints, UnitPlaces]:
        """Units of the references from a clip on, in order of clip and unit, and these as keys."""
        clips = self.clips[first : first + _INDEXED]
        sentences = [sentence.words for clip in clips for sentence in clip]
        units = _units(sentences, vocabulary, self._table)
        clip = first + np.repeat(np.arange(len(clips)), [len(clip) for clip in clips])
        keys = clip[units.sentence] * self._all_units + units.unit
        order = np.argsort(keys, kind="stable")
        units = units._replace(sentence=units.sentence + self._first[first])
        return keys[order], UnitPlaces(*(column[order].astype(np.int32) for column in units))

    def sentence(self, words: Words) -> Sentence:
        """Wrap a caption's words."""
        functions = self._lexicon.function_words
        return Sentence(words, tuple([word in functions for word in words]))

    def matches(self, captions: Sequence[Sentence], clips: Sequence[int]) -> FoundMatches:
        """Find the matches of each caption with the references of its clip."""
        sentences = [caption.words for caption in captions]
        words = _numbered(sentences)
        said = _units(sentences, words, self._table)
        relations = self._relations(words, said, clips)
        unit, relation = _equal_pairs(relations.unit, said.unit)
        clip = np.array(clips, np.int64)[said.sentence[unit]]
        wanted = clip * self._all_units + relations.target[relation]
        found, told = _equal_pairs(self._keys, wanted)
        return self._laid_out(
            captions,
            clips,
            said.at(unit[found]),
            relations.at(relation[found]),
            self._told.at(told),
        )

    def _relations(
        self, words: Mapping[str, int], said: UnitPlaces, clips: Sequence[int]
    ) -> Relations:
        """What the words and phrases of captions match in any of these clips, in order of units."""
        ways = [self._ways_of(word) for word in words]
        word = np.repeat(np.arange(len(words)), list(map(len, ways)))
        target, kind = np.array(list(chain.from_iterable(ways)), np.int64).reshape(-1, 2).T
        nodes = np.unique(said.unit[said.unit >= len(words)]) - len(words)
        links = self._table.links(nodes, self._nodes_of(clips))
        order = np.argsort(links.candidate, kind="stable")
        return Relations(
            np.concatenate([word, len(words) + links.candidate[order]]),
            np.concatenate([target, self._words + links.reference[order]]),
            np.concatenate([kind, np.where(links.backward[order], BACKWARD, FORWARD)]),
            np.concatenate([np.zeros(len(word), np.int64), links.place[order]]),
        )

    def _nodes_of(self, clips: Sequence[int]) -> Ints:
        """Nodes of the table in the references of clips, sorted."""
        begin = np.array(clips, np.int64) * self._all_units
        first, end = (
            self._keys.searchsorted(begin + offset) for offset in (self._words, self._all_units)
        )
        nodes: Ints = np.unique(self._told.unit[ranges(first, end - first)]) - self._words
        return nodes

    def _ways_of(self, word: str) -> list[tuple[int, int]]:
        """Words of the references that a word matches by form, stem or synonym, and how."""
        ways = self._ways.get(word)
        if ways is None:
            same = self._by_key.get(java_hash(word), ())
            stems = self._by_stem.get(java_hash(stem(word)), ())
            synonyms = {
                other
                for synset in self._lexicon.synsets(word)
                for other in self._by_synset.get(synset, ())
            }
            ways = [(other, EXACT) for other in same]
            ways += [(other, STEM) for other in stems if other not in same]
            ways += [(other, SYNONYM) for other in synonyms if other not in same]
            self._ways[word] = ways
        return ways

    def _laid_out(
        self,
        captions: Sequence[Sentence],
        clips: Sequence[int],
        said: UnitPlaces,
        relations: Relations,
        told: UnitPlaces,
    ) -> FoundMatches:
        """Sort matches, each with its caption's unit and that of the references, into pairs.

        Equal sentences have exact matches only.
        """
        first = self._first[clips]
        base = np.cumsum([0, *(len(self.clips[clip]) for clip in clips)])
        pair = base[said.sentence] + told.sentence - first[said.sentence]
        both = [
            (caption, reference)
            for caption, clip in zip(captions, clips, strict=True)
            for reference in self.clips[clip]
        ]
        equal = np.array([_equal(one.words, other.words) for one, other in both], np.bool_)
        kept = np.flatnonzero(~equal[pair] | (relations.kind == EXACT))
        kept = kept[np.argsort(pair[kept], kind="stable")]
        pair, said, told, relations = pair[kept], said.at(kept), told.at(kept), relations.at(kept)
        return FoundMatches(
            _rows(said, relations, told),
            np.searchsorted(pair, np.arange(len(both) + 1)).tolist(),
            highest_scores(
                pair,
                relations.kind,
                (said.start, said.length, [caption.function for caption, _ in both]),
                (told.start, told.length, [reference.function for _, reference in both]),
            ).tolist(),
        )


def _rows(said: UnitPlaces, relations: Relations, told: UnitPlaces) -> Ints:
    """The matches of ``alignment.Match``, shape (matches, 8)."""
    kind, place = relations.kind, relations.place
    forward, backward = kind == FORWARD, kind == BACKWARD
    ordered = (
        np.where(forward, told.length, said.start),
        np.where(forward, place, np.where(backward, said.length, 0)),
        np.where(forward, said.start, place),
    )
    rows = (told.start, kind, *ordered, told.length, said.start, said.length)
    return np.stack(rows, axis=1)


def _numbered(sentences: Iterable[Words]) -> dict[str, int]:
    """Number of each distinct word, in order of appearance."""
    return {word: n for n, word in enumerate(dict.fromkeys(chain.from_iterable(sentences)))}


def _units(
    sentences: Sequence[Words], words: Mapping[str, int], table: ParaphraseTable
) -> UnitPlaces:
    """Where units stand: words as they are numbered, after them the nodes of the table."""
    sizes = np.array([len(sentence) for sentence in sentences], np.int64)
    unit = [words[word] for sentence in sentences for word in sentence]
    phrases = table.phrases_in(sentences)
    return UnitPlaces(
        np.concatenate([np.array(unit, np.int64), len(words) + phrases.node]),
        np.concatenate([np.repeat(np.arange(len(sizes)), sizes), phrases.sentence]),
        np.concatenate([ranges(np.zeros_like(sizes), sizes), phrases.start]),
        np.concatenate([np.ones(len(unit), np.int64), phrases.length]),
    )


def _equal_pairs(keys: Ints, wanted: Ints) -> tuple[Ints, Ints]:
    """Every (place in ``wanted``, place in ``keys``) with equal values; ``keys`` are sorted."""
    first = keys.searchsorted(wanted)
    counts = keys.searchsorted(wanted, side="right") - first
    return np.repeat(np.arange(len(wanted)), counts), ranges(first, counts)
