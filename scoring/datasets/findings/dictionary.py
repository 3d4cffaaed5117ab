"""English words: whether a word is spelt well, and which words it may have been meant to be.

British and American spellings are both known. The list with frequencies is pyspellchecker's
(made of film subtitles, checked against dictionaries); WordNet adds the British forms that it
lacks, AudioSet the names of sounds.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache

from rapidfuzz import process
from rapidfuzz.distance import OSA
from spellchecker import SpellChecker

from scoring.datasets.findings.words import LONGEST_WORD, word_set, words_of
from scoring.metrics.cb.vocabulary import load_classes
from scoring.text.wordnet import load_wordnet

# Words of captions that no dictionary has; mostly imitations of sounds.
_FIELD_WORDS = word_set(
    """
    airhorn airhorns boing boinging boinking boinks brr brrr clackety clicket clickety clinky
    clippity cloppity clunky echoey gurgly hovercraft humanlike jackhammering kaboom kerplunk
    machinelike meh pitter plonk plunk plunky psst putt quacky racecar racecars rc revs ribbit
    ribbiting ribbits sputtery squeaky staticky submachine swooshy talkie talkies thud thuddy
    thunk thunks tinkly tock tocking tocks tweety ululating vroom vrooming vrooms walkie walkies
    warbly whirr whirring whirrs whooshy windchime windchimes yip zap zipper
    """
)
# What stands before a hyphen and is no word by itself: "multi-toned".
_PREFIXES = word_set(
    """
    anti bi co counter de ex extra hyper inter mega micro mid mini multi non over poly post pre
    pro pseudo quasi re self semi sub super tri ultra un under uni
    """
)
MOST_SUGGESTIONS = 5
# Changes by word length: of short words too many lie within two.
_CHANGES = ((10, 3), (5, 2), (2, 1))
_COMMON = 20_000
_POSSESSIVE = re.compile(r"'s?$")


@cache
def _frequencies() -> Mapping[str, int]:
    return SpellChecker(distance=1).word_frequency.dictionary


@cache
def _words() -> list[str]:
    """The list without what has an apostrophe: what may be suggested."""
    return [word for word in _frequencies() if word.isalpha()]


@cache
def _sound_names() -> frozenset[str]:
    return frozenset(word.key for one in load_classes().values() for word in words_of(one.name))


@cache
def is_english(word: str) -> bool:
    """Whether a word (a key of ``words_of``) is an English one, also as a possessive.

    >>> [is_english(word) for word in ("colour", "color", "dog's", "continous")]
    [True, True, True, False]
    """
    if len(word) > LONGEST_WORD:
        return False
    bare = _POSSESSIVE.sub("", _without_accents(word))
    return any(one in _frequencies() for one in (word, bare)) or is_sound_or_lemma(bare)


def is_sound_or_lemma(word: str) -> bool:
    """Whether a word names or imitates a sound, or is a noun or a verb of WordNet in any form."""
    if word in _FIELD_WORDS or word in _sound_names():
        return True
    wordnet = load_wordnet()
    noun, verb = wordnet.noun_base(word), wordnet.verb_base(word)
    return wordnet.has(noun, "n") or wordnet.has(verb, "v")


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFKD", word)
    return "".join(char for char in parts if not unicodedata.combining(char))


def is_prefix(word: str) -> bool:
    """Whether a word may stand before a hyphen: "multi", "semi"."""
    return word in _PREFIXES


def frequency(word: str) -> int:
    """How often a word stands in the subtitles that the list was made of; 0 where it lacks it."""
    return _frequencies().get(word, 0)


def suggestions(word: str, used: Mapping[str, int]) -> tuple[str, ...]:
    """Words that a misspelt one may have been meant to be, likely ones first.

    Those fewer changes away come first (a letter more, less, other, or two exchanged: one
    change), among these those of the same letters, then those more frequent in the set
    (``used``), then in English. Two words written as one are one change away.
    """
    if not 2 <= len(word) <= LONGEST_WORD:
        return ()
    farthest = next(changes for letters, changes in _CHANGES if len(word) >= letters)
    near = process.extract(word, _words(), scorer=OSA.distance, score_cutoff=farthest, limit=None)
    letters = sorted(word)
    found = [
        (int(distance), sorted(one) != letters, -used.get(one, 0), -frequency(one), one)
        for one, distance, _ in near
    ]
    found += _splits(word, used)
    return tuple(one for *_, one in sorted(found)[:MOST_SUGGESTIONS])


def _splits(word: str, used: Mapping[str, int]) -> list[tuple[int, bool, int, int, str]]:
    """Two common words that were written as one ("alot"), ranked as one change away."""
    parts = ((word[:at], word[at:]) for at in range(1, len(word)))
    return [
        (1, True, -min(used.get(first, 0), used.get(second, 0)), -rarer, f"{first} {second}")
        for first, second in parts
        if (rarer := min(frequency(first), frequency(second))) >= _COMMON
        and (len(first) > 1 or first in "ai")
        and len(second) > 1
    ]
