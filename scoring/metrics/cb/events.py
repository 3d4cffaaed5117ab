"""Sound events that a caption mentions.

A word or a sequence of words that is a class's name gives the class. One that
leads to a name only through a first-order synonym or hypernym gives the class's
parent. A word for a sound that leads nowhere is an event of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import Literal

from scoring.metrics.cb.vocabulary import SoundClass, Vocabulary
from scoring.text.parse import Parse, ParsedToken
from scoring.text.wordnet import Pos, load_wordnet

# Of the rules by which events are found, here, in vocabulary.py and in what of scoring/text they
# use. Raised with every change after which a caption may have other events; it stands in every
# signature, so that scores by different rules are told apart.
VERSION = 2

Match = Literal["class", "parent", "unmatched"]

# (lemma, part of speech, place among its senses): a word is one for a sound where one of its first
# senses is one of these, or below one.
_SOUNDS: tuple[tuple[str, Pos, int], ...] = (
    ("sound", "n", 1),  # what is heard
    ("sound", "n", 3),  # an event that is heard
    ("voice", "n", 1),
    ("utterance", "n", 0),
    ("sound", "v", 1),  # give off a sound
    ("utter", "v", 1),
    ("talk", "v", 0),
    ("talk", "v", 1),
    ("talk", "v", 2),
    ("laugh", "v", 0),
    ("cry", "v", 1),
)
# Says that there is a sound, but not which.
_GENERIC = frozenset({"sound"})
_PARTS: dict[str, Pos] = {"NOUN": "n", "PROPN": "n", "VERB": "v"}
# "a man is speaking" has the words of "man speaking".
_PASSED_OVER = frozenset({"AUX", "DET", "PUNCT", "SPACE"})


@dataclass(frozen=True, slots=True)
class SoundEvent:
    """One mention of a sound event.

    ``key`` says which event it is: a class's id or, where no class matches,
    "?" and the lemma. ``words`` are the caption's, lower-case.
    """

    key: str
    match: Match
    words: str


def event_name(key: str, classes: dict[str, SoundClass]) -> str:
    """Name of an event for a person to read."""
    return key[1:] if key.startswith("?") else classes[key].name


def find_events(parse: Parse, vocabulary: Vocabulary, *, senses: int) -> tuple[SoundEvent, ...]:
    """Find the events of a caption, in the order of their words.

    Longer names go first, and a word serves one event. An event mentioned
    twice is there twice.
    """
    tokens = [token for token in parse if token.pos not in _PASSED_OVER]
    search = _Search(tokens, vocabulary, senses)
    search.names()
    search.related_pairs()
    search.single_words()
    return tuple(event for _, event in sorted(search.found.items()))


class _Search:
    """Events of one caption while they are looked for; ``found`` maps first tokens to events."""

    def __init__(self, tokens: Sequence[ParsedToken], vocabulary: Vocabulary, senses: int) -> None:
        self.tokens = tokens
        self.vocabulary = vocabulary
        self.senses = senses
        self.forms = [_forms(token) for token in tokens]
        self.found: dict[int, SoundEvent] = {}
        self._taken: set[int] = set()

    def names(self) -> None:
        """Look for names of classes, the longest first."""
        for length in range(min(self.vocabulary.longest, len(self.tokens)), 0, -1):
            for start in self._free(length):
                if length == 1 and self.tokens[start].pos not in _PARTS:
                    continue
                class_id = self._named(start, length)
                if class_id is not None:
                    self._add(start, length, self.vocabulary.truncated(class_id), "class")

    def related_pairs(self) -> None:
        """Look for names of two words with another word for the last one ("man talking")."""
        for start in self._free(2):
            for before in self.forms[start]:
                class_id = self._related(self.tokens[start + 1], (before,))
                if class_id is not None:
                    parent = self.vocabulary.parent(class_id) or class_id
                    self._add(start, 2, parent, "parent")
                    break

    def single_words(self) -> None:
        """Look at the words left: related to a name, or words for a sound."""
        for start in self._free(1):
            class_id = self._related(self.tokens[start], ())
            parent = None if class_id is None else self.vocabulary.parent(class_id)
            if parent is not None:
                self._add(start, 1, parent, "parent")
            elif lemma := _sound_lemma(self.tokens[start], self.senses):
                self._add(start, 1, f"?{lemma}", "unmatched")

    def _free(self, length: int) -> Iterator[int]:
        """Starts of sequences in which no word belongs to an event yet."""
        for start in range(len(self.tokens) - length + 1):
            if self._taken.isdisjoint(range(start, start + length)):
                yield start

    def _named(self, start: int, length: int) -> str | None:
        for lemmas in product(*self.forms[start : start + length]):
            if lemmas in self.vocabulary.exact:
                return self.vocabulary.exact[lemmas]
        return None

    def _related(self, token: ParsedToken, before: tuple[str, ...]) -> str | None:
        for lemma, pos in _readings(token):
            for synset in load_wordnet().first_order(lemma, pos, self.senses):
                if (before, synset) in self.vocabulary.senses:
                    return self.vocabulary.senses[before, synset]
        return None

    def _add(self, start: int, length: int, key: str, match: Match) -> None:
        words = " ".join(token.word for token in self.tokens[start : start + length])
        self.found[start] = SoundEvent(key, match, words)
        self._taken.update(range(start, start + length))


def _forms(token: ParsedToken) -> tuple[str, ...]:
    """Forms that a word may have in a name: its lemma, itself, and a verb it comes from."""
    verb = [load_wordnet().verb_base(token.word)] if token.word.endswith("ing") else []
    return tuple(dict.fromkeys([token.lemma, token.word, *verb]))


def _readings(token: ParsedToken) -> tuple[tuple[str, Pos], ...]:
    """Read a word as what it is and a noun in "-ing" also as its verb."""
    pos = _PARTS.get(token.pos)
    if pos is None:
        return ()
    if pos == "n" and token.word.endswith("ing"):
        return ((token.lemma, "n"), (load_wordnet().verb_base(token.word), "v"))
    return ((token.lemma, pos),)


def _sound_lemma(token: ParsedToken, senses: int) -> str | None:
    """Lemma of a word for a sound, the verb's where it is one; None for other words."""
    for lemma, pos in reversed(_readings(token)):
        if lemma not in _GENERIC and _is_sound(lemma, pos, senses):
            return lemma
    return None


@lru_cache(maxsize=65_536)
def _is_sound(lemma: str, pos: Pos, senses: int) -> bool:
    wordnet, roots = load_wordnet(), _sound_roots()
    return any(wordnet.is_under(one, roots) for one in wordnet.senses(lemma, pos, senses))


@cache
def _sound_roots() -> frozenset[int]:
    return frozenset(load_wordnet().senses(lemma, pos)[place] for lemma, pos, place in _SOUNDS)
