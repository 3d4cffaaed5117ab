"""Sound events that a caption mentions.

A word or a sequence of words that is a class's name gives the class. So does a word
that means the same, or something directly below. A word for a sound that leads nowhere
is an event of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

from earmark.metrics.cb.meanings import is_noun, is_physical, is_sound, meaning, sound_nouns
from earmark.metrics.cb.vocabulary import GENERIC, SoundClass, Vocabulary
from earmark.text.parser import Parse, ParsedToken
from earmark.text.wordnet import Pos, load_wordnet

# Of the rules by which events are found, in this package and in what of earmark/text they
# use. Raised with every change after which a caption may have other events; it stands in every
# signature, so that scores by different rules are told apart.
VERSION = 3

Match = Literal["class", "related", "unmatched"]

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
    search.single_words()
    return _told_once([event for _, event in sorted(search.found.items())], vocabulary)


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
                    self._add(start, length, self.vocabulary.events[class_id], "class")

    def single_words(self) -> None:
        """Look at the words left: related to a name, or words for a sound."""
        for start in self._free(1):
            meant = _meanings(self.tokens[start], self.senses)
            class_id = self._related(list(meant))
            if class_id is not None:
                self._add(start, 1, self.vocabulary.events[class_id], "related")
                continue
            sounds = [lemma for one, lemma in meant.items() if is_sound(one)]
            if sounds and sounds[0] not in GENERIC:
                self._add(start, 1, f"?{sounds[0]}", "unmatched")

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

    def _related(self, meant: Sequence[int]) -> str | None:
        """Class of a synonym, else of what is directly above: of sounds and physical things only.

        A root has no class above it, and says too little to be meant by another word.
        """
        nouns = (noun for one in meant if not is_noun(one) for noun in sound_nouns(one))
        same = [*nouns, *meant]
        higher = (
            up
            for one in same
            if is_sound(one) or is_physical(one)
            for up in load_wordnet().hypernyms(one)
        )
        for synset in (*same, *higher):
            class_id = self.vocabulary.related.get(synset)
            if class_id is not None and self.vocabulary.classes[class_id].parents:
                return class_id
        return None

    def _add(self, start: int, length: int, key: str, match: Match) -> None:
        words = " ".join(token.word for token in self.tokens[start : start + length])
        self.found[start] = SoundEvent(key, match, words)
        self._taken.update(range(start, start + length))


def _told_once(events: Sequence[SoundEvent], vocabulary: Vocabulary) -> tuple[SoundEvent, ...]:
    """Make one event of a class and one above it: a dog that growls, a vehicle that is a car.

    It is the lower one, but the source where the lower one is a sound of several.
    """
    keys = {event.key for event in events}
    instead: dict[str, str] = {}
    for key in sorted(keys & vocabulary.classes.keys()):
        higher = sorted(vocabulary.above[key] & keys)
        if key in vocabulary.shared:
            instead.update((key, one) for one in higher[:1])
        else:
            instead.update((one, key) for one in higher)

    def told(key: str) -> str:
        return told(instead[key]) if key in instead else key

    return tuple(replace(event, key=told(event.key)) for event in events)


def _forms(token: ParsedToken) -> tuple[str, ...]:
    """Forms that a word may have in a name: its lemma, itself, and a verb it comes from."""
    return tuple(dict.fromkeys([token.lemma, token.word, _verb(token)]))


def _verb(token: ParsedToken) -> str:
    """The verb that a word is a form of; by its ending, as the parser has "scrap" of "scraped"."""
    if token.word.endswith(("ing", "ed")):
        return load_wordnet().verb_base(token.word)
    return token.lemma


def _meanings(token: ParsedToken, senses: int) -> dict[int, str]:
    """What a noun or verb means, with the lemma: both where both are sounds ("bark", "barks").

    Parsers take verbs for nouns ("kids converse"): only what is physical stays a noun where
    the verb alone is a sound.
    """
    pos = _PARTS.get(token.pos)
    if pos is None:
        return {}
    lemmas: dict[Pos, str] = {"v": _verb(token), "n": token.lemma}
    both = {part: meaning(lemma, part, senses) for part, lemma in lemmas.items()}
    lemma_of = {one: lemmas[part] for part, one in both.items() if one is not None}
    own = both[pos]
    if own is None or all(map(is_sound, lemma_of)):
        return lemma_of
    if is_noun(own) and not is_physical(own):
        own = next(filter(is_sound, lemma_of), own)
    return {own: lemma_of[own]}
