"""The sound events that captions are searched for: AudioSet's classes.

The file is resources/audioset/classes.tsv: id, name, parents and restrictions
of each class, in the ontology's order.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

from earmark.metrics.cb.meanings import is_noun, is_object, meaning, sound_nouns
from earmark.text.wordnet import WordNet, load_wordnet

CLASSES = Path(__file__).resolve().parents[2] / "resources" / "audioset" / "classes.tsv"
Words = tuple[str, ...]
# "Human group actions": the class of what many people do together.
GROUP = "/t/dd00012"
# They say that there is a sound, but not which.
GENERIC = frozenset({"sound", "noise"})

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
    class; ``related`` maps a synset to the class that it names, for other words.
    Abstract and blacklisted classes stand in neither. ``events`` says which
    class each one counts as, ``above`` which classes lie above it, by every
    parent. ``shared`` has the sounds of several sources.
    """

    classes: dict[str, SoundClass]
    exact: dict[Words, str]
    related: dict[int, str]
    events: dict[str, str]
    above: dict[str, frozenset[str]]
    shared: frozenset[str]
    longest: int


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
    """Index the names of the classes by their words and by what they mean."""
    classes = load_classes()
    above = {id_: classes_above(id_) for id_ in classes}
    usable = [one for one in classes.values() if not one.restrictions]
    usable.sort(key=lambda one: "(" in one.name)
    named = [(words, one.id) for one in usable for words in _alternatives(one.name)]
    meanings = _Meanings(classes, above, senses)
    exact = _exact(named, classes, senses)
    related = meanings.related(named)
    shared = frozenset(id_ for id_ in classes if meanings.has_several_sources(id_))
    events = {id_: meanings.counted_as(id_, depth, related, shared) for id_ in classes}
    return Vocabulary(classes, exact, related, events, above, shared, max(map(len, exact)))


@cache
def classes_above(class_id: str) -> frozenset[str]:
    """Ids of all classes that a class stands below, through each of its parents."""
    parents = load_classes()[class_id].parents
    return frozenset(parents).union(*map(classes_above, parents))


def _exact(
    named: Sequence[tuple[Words, str]], classes: dict[str, SoundClass], senses: int
) -> dict[Words, str]:
    """Map lemmas of names to classes.

    Where several classes have the same name the first wins, after those that
    need no note in parentheses to tell them apart. A name as it stands comes
    before one that only becomes it, which then is the same ("Hum" and "Humming").
    In a name of two words the last one may be a verb derived ("bird song", birds sing,
    singing birds).
    """
    wordnet = load_wordnet()
    exact: dict[Words, str] = {}
    for words, id_ in named:
        if "(" not in classes[id_].name:
            exact.setdefault(words, id_)
    for words, id_ in named:
        for lemmas in product(*(_lemmas(word, wordnet) for word in words)):
            exact.setdefault(lemmas, id_)
    for words, id_ in named:
        if len(words) == 2:
            before, last = _lemmas(words[0], wordnet)[0], _lemmas(words[1], wordnet)[0]
            noun = meaning(last, "n", senses)
            for verb in () if noun is None else _verbs_of(noun, words):
                for lemma in wordnet.lemmas(verb):
                    exact.setdefault((before, lemma), id_)
                    exact.setdefault((lemma, before), id_)
    for (word,) in [words for words in exact if len(words) == 1]:
        *_, lemma = _lemmas(word, wordnet)
        exact[(word,)] = exact.get((lemma,), exact[(word,)])
    return exact


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


class _Meanings:
    """What the names of the classes mean, and what follows from it."""

    def __init__(
        self, classes: dict[str, SoundClass], above: dict[str, frozenset[str]], senses: int
    ) -> None:
        self.classes = classes
        self.above = above
        self.senses = senses
        self._nouns: dict[str, dict[Words, int]] = {}

    def nouns(self, class_id: str) -> dict[Words, int]:
        """Nouns that the class's names are.

        Of a name's meanings, an object below what a class above it means goes first: an
        organ that is an instrument.
        """
        known = self._nouns.get(class_id)
        if known is not None:
            return known
        wordnet, by_word = load_wordnet(), {}
        higher = frozenset(n for up in self.above[class_id] for n in self.nouns(up).values())
        for words in _alternatives(self.classes[class_id].name):
            joined = "_".join(_lemmas(word, wordnet)[0] for word in words)
            for one in wordnet.senses(joined, "n"):
                if is_object(one) and wordnet.is_under(one, higher):
                    by_word[words] = one
                    break
            else:
                first = meaning(joined, "n", self.senses)
                if first is not None:
                    by_word[words] = first
        self._nouns[class_id] = by_word
        return by_word

    def related(self, named: Sequence[tuple[Words, str]]) -> dict[int, str]:
        """Map synsets to the classes that they name: those of names, then verbs derived.

        A name with a note in parentheses needs it, so that other words do not reach it;
        nor do they reach one of noise in general.
        """
        named = [
            (words, id_)
            for words, id_ in named
            if "(" not in self.classes[id_].name and GENERIC.isdisjoint(words)
        ]
        own = [pair for words, id_ in named for pair in self._meant(words, id_)]
        acts = list(self._acts(named))
        ways: dict[int, str] = {}
        for synset, id_ in (*own, *acts):
            ways.setdefault(synset, id_)
        for words, id_ in named:
            noun = self.nouns(id_).get(words)
            if noun is not None and not is_object(noun):
                for synset in _verbs_of(noun, words):
                    ways.setdefault(synset, id_)
        for synset, id_ in acts:
            for noun in sound_nouns(synset):
                ways.setdefault(noun, id_)
        return ways

    def _meant(self, words: Words, class_id: str) -> Iterator[tuple[int, str]]:
        """The noun that a name is and, unless an object, the verb; of "-ing" one of the two."""
        noun = self.nouns(class_id).get(words)
        if noun is not None:
            yield noun, class_id
        if len(words) > 1 or (noun is not None and is_object(noun)):
            return
        *_, lemma = lemmas = _lemmas(words[0], load_wordnet())
        verb = meaning(lemma, "v", self.senses)
        if verb is not None and (noun is None or len(lemmas) == 1):
            yield verb, class_id

    def _acts(self, named: Sequence[tuple[Words, str]]) -> Iterator[tuple[int, str]]:
        """What several children do by their names ("man speaking") is their parent's act."""
        doers: dict[str, set[str]] = defaultdict(set)
        for words, id_ in named:
            if len(words) == 2 and words[1].endswith("ing"):
                doers[load_wordnet().verb_base(words[1])].add(id_)
        for verb, ids in doers.items():
            parents = {self.classes[id_].parents[0] for id_ in ids}
            if len(ids) > 1 and len(parents) == 1:
                yield from product(load_wordnet().senses(verb, "v", self.senses), parents)

    def has_several_sources(self, class_id: str) -> bool:
        """Whether a sound has several parents; that a group makes it is no other source."""
        parents = [one for one in self.classes[class_id].parents if one != GROUP]
        return len(parents) > 1 and not self._is_object(class_id)

    def _is_object(self, class_id: str) -> bool:
        return any(map(is_object, self.nouns(class_id).values()))

    def counted_as(
        self, class_id: str, depth: int, related: dict[int, str], shared: frozenset[str]
    ) -> str:
        """The lowest object at or above a class; without any, its ancestor at ``depth``.

        Sounds of several sources stay what they are; an abstract class is no event.
        """
        if GROUP in self.classes[class_id].parents[:1]:
            class_id = self._of_each(class_id, related)
        if class_id in shared:
            return class_id
        chain = [class_id]
        while parents := self.classes[chain[-1]].parents:
            chain.append(parents[0])
        chain.reverse()
        objects = (place for place, one in enumerate(chain) if self._is_object(one))
        rest = chain[min(max(depth, *objects, 0), len(chain) - 1) :]
        return next((one for one in rest if not self.classes[one].restrictions), class_id)

    def _of_each(self, class_id: str, related: dict[int, str]) -> str:
        """What a group does together is what each of them does: applause is clapping."""
        for noun in self.nouns(class_id).values():
            for synset in (noun, *load_wordnet().hypernyms(noun)):
                if related.get(synset, class_id) != class_id:
                    return related[synset]
        return class_id


def _verbs_of(noun: int, words: Words) -> Iterator[int]:
    """Verbs derived from a noun; of a name in "-ing" only those that are its verb."""
    wordnet = load_wordnet()
    verb = wordnet.verb_base(words[0]) if words[-1].endswith("ing") else None
    for one in wordnet.derived(noun):
        if not is_noun(one) and (verb is None or verb in wordnet.lemmas(one)):
            yield one
