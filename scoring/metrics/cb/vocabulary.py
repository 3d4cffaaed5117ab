"""The sound events that captions are searched for: AudioSet's classes.

The file is resources/audioset/classes.tsv: id, name, parents and restrictions
of each class, in the ontology's order.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

from scoring.text.wordnet import Pos, WordNet, load_wordnet

CLASSES = Path(__file__).resolve().parents[2] / "resources" / "audioset" / "classes.tsv"
Words = tuple[str, ...]

_IRREGULAR = {"wolves": "wolf", "mice": "mouse", "leaves": "leaf"}
_NOTE = re.compile(r"\s*\([^)]*\)")
_WORD = re.compile(r"[^\W_]+(?:['\-][^\W_]+)*")
_NO_NAMES = ("etc",)


@dataclass(frozen=True, slots=True)
class SoundClass:
    """A class of the ontology; the first of ``parents`` counts, none means a root."""

    id: str
    name: str
    parents: tuple[str, ...]
    restrictions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Classes, and the ways to find them in a caption.

    ``exact`` maps the lemmas of a name, or of one of its alternatives, to a
    class. ``senses`` maps (the words before the last one, a synset of the last
    one) to a class, for matches through synonyms and hypernyms; names of more
    than two words have none. Abstract and blacklisted classes stand in neither.
    ``depth`` is what deeper classes are cut to; roots have depth 0.
    """

    classes: dict[str, SoundClass]
    exact: dict[Words, str]
    senses: dict[tuple[Words, int], str]
    longest: int
    depth: int

    def truncated(self, class_id: str) -> str:
        """The class itself or, where it is too deep, its ancestor at ``depth``."""
        chain = [class_id]
        while parents := self.classes[chain[-1]].parents:
            chain.append(parents[0])
        return chain[max(len(chain) - 1 - self.depth, 0)]

    def parent(self, class_id: str) -> str | None:
        """Truncated parent of a class, or None for a root."""
        parents = self.classes[class_id].parents
        return self.truncated(parents[0]) if parents else None


@cache
def load_classes() -> dict[str, SoundClass]:
    """Read the ontology, in its order."""
    rows = [line.split("\t") for line in CLASSES.read_text(encoding="utf-8").splitlines()]
    return {
        id_: SoundClass(id_, name, tuple(parents.split()), tuple(restrictions.split()))
        for id_, name, parents, restrictions in rows
    }


@cache
def load_vocabulary(*, depth: int, senses: int) -> Vocabulary:
    """Index the names of the classes.

    Where several classes have the same name the first wins, after those that
    need no note in parentheses to tell them apart. A name as it stands comes
    before one that only becomes it ("Hum" before "Humming").
    """
    wordnet = load_wordnet()
    classes = load_classes()
    exact: dict[Words, str] = {}
    related: dict[tuple[Words, int], str] = {}
    usable = [one for one in classes.values() if not one.restrictions]
    usable.sort(key=lambda one: "(" in one.name)
    named = [(words, one.id) for one in usable for words in _alternatives(one.name)]
    for words, id_ in named:
        if "(" not in classes[id_].name:
            exact.setdefault(words, id_)
    for words, id_ in named:
        for lemmas in product(*(_lemmas(word, wordnet) for word in words)):
            exact.setdefault(lemmas, id_)
        for key in _senses(words, senses, wordnet):
            related.setdefault(key, id_)
    return Vocabulary(classes, exact, related, max(map(len, exact)), depth)


def _alternatives(name: str) -> Iterator[Words]:
    """Split "Splash, splatter" into its names; the whole is one as well."""
    plain = _NOTE.sub("", name).lower()
    whole = _split(plain)
    for part in plain.split(","):
        words = _split(re.sub(r"^\s*(and|or)\s", "", part))
        if words and words != _NO_NAMES:
            yield words
    if "," in plain and "etc" not in whole:
        yield whole


def _split(text: str) -> Words:
    return tuple(_WORD.findall(text))


def _lemmas(word: str, wordnet: WordNet) -> tuple[str, ...]:
    """Lemmas of a word of a name: as a noun and, for "-ing" and "-ed", as a verb."""
    noun = _IRREGULAR.get(word) or wordnet.noun_base(word)
    verb = wordnet.verb_base(word) if word.endswith(("ing", "ed")) else word
    return (noun,) if verb == word else tuple(dict.fromkeys((noun, verb)))


def _senses(words: Words, limit: int, wordnet: WordNet) -> Iterator[tuple[Words, int]]:
    """Synsets through which a name of one or two words is reached.

    A name of two words that WordNet has as one ("lawn mower") is reached so too.
    """
    joined = "_".join(_lemmas(word, wordnet)[0] for word in words)
    if len(words) > 1:
        yield from (((), synset) for synset in wordnet.senses(joined, "n", limit))
    if len(words) > 2:
        return
    for before in product(*(_lemmas(word, wordnet) for word in words[:-1])):
        for lemma, pos in _readings(words[-1], wordnet):
            yield from ((before, synset) for synset in wordnet.senses(lemma, pos, limit))


def _readings(word: str, wordnet: WordNet) -> tuple[tuple[str, Pos], ...]:
    """Read a word of a name as a noun and as a verb; "-ing" keeps the verb's own lemma."""
    noun, *verb = _lemmas(word, wordnet)
    return ((noun, "n"), (verb[0] if verb else noun, "v"))
