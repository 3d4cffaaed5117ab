"""All the matches that METEOR's four matchers find between a caption and references.

Everything is looked up from the candidate's side: a *unit* is a word or a
phrase of the paraphrase table, and a unit's relation says which units of the
references it matches, and how. A relation is worked out once for each unit.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from scoring.metrics.meteor.alignment import (
    BACKWARD,
    EXACT,
    FORWARD,
    STEM,
    SYNONYM,
    TICK_EVERY,
    Match,
    Tick,
    go_on,
)
from scoring.metrics.meteor.lexicon import Lexicon
from scoring.metrics.meteor.paraphrases import MAX_WORDS, ParaphraseTable
from scoring.text.porter2 import stem

Words = tuple[str, ...]
# Unit of the references -> (kind of match, place in the paraphrase table).
Relation = Mapping[str, Sequence[tuple[int, int]]]


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


@dataclass(frozen=True, eq=False, slots=True)
class ClipReferences:
    """The references of a clip, with the places (reference, start, length) of each unit."""

    sentences: tuple[Sentence, ...]
    places: Mapping[str, Sequence[tuple[int, int, int]]]


def _put_in_order(
    matches_by_reference: Sequence[list[Match]],
    candidate: Sentence,
    clip: ClipReferences,
    tick: Tick,
) -> None:
    """Sort the matches with each reference, and keep the exact ones where it is the candidate."""
    for sentence, matches in zip(clip.sentences, matches_by_reference, strict=True):
        if len(sentence.words) >= TICK_EVERY:
            tick()
        if _equal(sentence.words, candidate.words):
            matches[:] = [match for match in matches if match[1] == EXACT]
        matches.sort()


class Matcher:
    """The four matchers against the words and phrases of one set of references."""

    def __init__(
        self, lexicon: Lexicon, table: ParaphraseTable, references: Iterable[Sequence[Words]]
    ) -> None:
        self._lexicon = lexicon
        self._table = table
        self._relations: dict[str, Relation] = {}
        self._by_key: dict[int, list[str]] = defaultdict(list)
        self._by_stem: dict[int, list[str]] = defaultdict(list)
        self._by_synset: dict[str, list[str]] = defaultdict(list)
        self.clips = tuple(self._clip(sentences) for sentences in references)
        vocabulary = {
            word for clip in self.clips for sentence in clip.sentences for word in sentence.words
        }
        for word in sorted(vocabulary):
            self._by_key[java_hash(word)].append(word)
            self._by_stem[java_hash(stem(word))].append(word)
            for synset in lexicon.synsets(word):
                self._by_synset[synset].append(word)

    def sentence(self, words: Words) -> Sentence:
        """Wrap a caption's words."""
        functions = self._lexicon.function_words
        return Sentence(words, tuple([word in functions for word in words]))

    def matches(
        self, candidate: Sentence, clip: ClipReferences, tick: Tick = go_on
    ) -> list[list[Match]]:
        """List the matches with each reference in METEOR's order.

        Equal sentences get exact matches only. ``tick`` is called every few words.
        """
        out: list[list[Match]] = [[] for _ in clip.sentences]
        places = clip.places
        for at, span, unit in self._units(candidate.words):
            if at % TICK_EVERY == TICK_EVERY - 1:
                tick()
            relation = self._relation(unit)
            for target in relation.keys() & places.keys():
                for kind, place in relation[target]:
                    for number, start, length in places[target]:
                        if kind < FORWARD:
                            match = (start, kind, at, 0, 0, length, at, span)
                        elif kind == FORWARD:
                            match = (start, kind, length, place, at, length, at, span)
                        else:
                            match = (start, kind, at, span, place, length, at, span)
                        out[number].append(match)
        _put_in_order(out, candidate, clip, tick)
        return out

    def _clip(self, references: Sequence[Words]) -> ClipReferences:
        places: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
        for number, words in enumerate(references):
            for start, word in enumerate(words):
                places[word].append((number, start, 1))
            for start, length, phrase in self._table.phrases_in(words):
                places[phrase].append((number, start, length))
        return ClipReferences(tuple(map(self.sentence, references)), dict(places))

    def _units(self, words: Words) -> Iterator[tuple[int, int, str]]:
        numbers_of = self._table.numbers
        for at, word in enumerate(words):
            yield at, 1, word
            numbers = numbers_of(word)
            if not numbers:
                continue
            phrase = word
            for span, following in enumerate(words[at + 1 : at + MAX_WORDS], 2):
                phrase = f"{phrase} {following}"
                if phrase in numbers:
                    yield at, span, phrase

    def _relation(self, unit: str) -> Relation:
        relation = self._relations.get(unit)
        if relation is None:
            relation = self._relations[unit] = self._relate(unit)
        return relation

    def _relate(self, unit: str) -> Relation:
        out: dict[str, list[tuple[int, int]]] = defaultdict(list)
        if " " not in unit:
            same = self._by_key.get(java_hash(unit), ())
            for word in same:
                out[word].append((EXACT, 0))
            stems = self._by_stem.get(java_hash(stem(unit)), ())
            for kind, words in ((STEM, stems), (SYNONYM, self._synonyms(unit))):
                for word in words:
                    if word not in same:
                        out[word].append((kind, 0))
        for phrase, links in self._table.links(unit).items():
            out[phrase] += [(BACKWARD if back else FORWARD, place) for back, place in links]
        return dict(out)

    def _synonyms(self, word: str) -> set[str]:
        return {
            other
            for synset in self._lexicon.synsets(word)
            for other in self._by_synset.get(synset, ())
        }
