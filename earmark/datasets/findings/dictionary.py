"""English words: whether a word is spelt well, and which words it may have been meant to be.

British and American spellings are both known. The list with frequencies is pyspellchecker's
(made of film subtitles); WordNet adds the British forms that it lacks, AudioSet the names of
sounds. The list has names, too: they are what no dictionary has as a common word.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import itemgetter

from rapidfuzz import process
from rapidfuzz.distance import OSA
from spellchecker import SpellChecker

from earmark.datasets.findings.words import LONGEST_WORD, word_set, words_of
from earmark.metrics.cb.vocabulary import load_classes
from earmark.text.parser import load_pipeline
from earmark.text.wordnet import load_wordnet

_NOUN, _VERB, _ADJECTIVE, _ADVERB = "noun", "verb", "adj", "adv"
# Undone endings, what stands there without them, and of which words.
_ENDINGS = (
    *(("s", "", (_NOUN, _VERB)), ("es", "", (_NOUN, _VERB)), ("ies", "y", (_NOUN, _VERB))),
    *(("men", "man", (_NOUN,)), ("ly", "", (_ADJECTIVE,)), ("ly", "le", (_ADJECTIVE,))),
    *(("ily", "y", (_ADJECTIVE,)), ("ally", "", (_ADJECTIVE,))),
    *((f"i{of}", "y", kinds) for of, kinds in (("ed", (_VERB,)), ("er", (_ADJECTIVE, _VERB)))),
    *(("iest", "y", (_ADJECTIVE,)), ("ying", "ie", (_VERB,))),
)
# Before these a final e goes, and the last letter may double.
_CHANGING = (
    *(("ing", (_VERB,)), ("ed", (_VERB,)), ("er", (_VERB, _ADJECTIVE))),
    ("est", (_ADJECTIVE,)),
)
_HISSING = re.compile(r"(s|x|z|ch|sh|[^o]o)$")
_KEEPS_E = re.compile(r"(ee|oe|ye|nge|^be)$")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")
# One vowel letter and one consonant that doubles; with nothing but consonants before: a syllable.
_DOUBLES = re.compile(r"(^|[^aeiou]|qu)[aeiouy][^aeiouwxyh]$")
_SYLLABLE = re.compile(r"^([^aeiouy]*|[^aeiouy]*qu)[aeiouy][^aeiouwxyh]$")
_SHORTEST_PART = 4
_DERIVING = (
    *("y", "ing", "ed", "er", "ers", "ish", "less", "like", "able", "ness", "ful", "s"),
    *("out", "up", "off", "down", "over", "back"),
)


@dataclass(frozen=True, slots=True)
class EnglishWords:
    """Words by part of speech, irregular forms, and nouns that are the name of one thing.

    They are those of spaCy's lemmatizer, which has them from WordNet; of nouns it also has single
    named things (places, people, makers), which the project's own WordNet leaves out: so these are
    told from common nouns.
    """

    words: Mapping[str, frozenset[str]]
    irregular: frozenset[str]
    function_words: frozenset[str]
    named: frozenset[str]

    def has(self, word: str) -> bool:
        """Whether a word is a common one, as it stands or in an irregular form."""
        if word in self.irregular or word in self.function_words:
            return True
        return word not in self.named and any(word in words for words in self.words.values())

    def makes(self, word: str, frequency: Mapping[str, int]) -> bool:
        """Whether a common word makes this one by a regular ending, rightly spelt.

        Whether a longer stem doubles its last letter depends on its stress: ``frequency`` is asked
        which of the two ways is used.
        """
        return any(self._regular(word)) or any(self._changed(word, frequency))

    def derives(self, word: str) -> bool:
        """Whether a word is made of common ones: "lawnmower", "crunchy", a "gusting" wind."""
        cuts = range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1)
        nouns = (_NOUN,)
        if any(self._of(word[:at], nouns) and self._of(word[at:], nouns) for at in cuts):
            return True
        bases = (word.removesuffix(ending) for ending in _DERIVING if word.endswith(ending))
        return any(self.has(base) or self.has(f"{base}e") for base in bases)

    def _of(self, word: str, kinds: tuple[str, ...]) -> bool:
        return word not in self.named and any(word in self.words[kind] for kind in kinds)

    def _regular(self, word: str) -> Iterator[bool]:
        for ending, instead, kinds in _ENDINGS:
            base = word.removesuffix(ending) + instead
            if word.endswith(ending) and len(base) > 1 and self._of(base, kinds):
                yield _fits(base, ending)

    def _changed(self, word: str, frequency: Mapping[str, int]) -> Iterator[bool]:
        for ending, kinds in _CHANGING:
            stem = word.removesuffix(ending)
            if not word.endswith(ending) or len(stem) < 2:
                continue
            if self._of(f"{stem}e", kinds):
                yield True
            if self._of(stem, kinds) and (stem[-1] != "e" or _KEEPS_E.search(stem)):
                doubled = f"{stem}{stem[-1]}{ending}"
                yield not _SYLLABLE.search(stem) and not _rather(doubled, word, stem, frequency)
            if stem[-1] == stem[-2] and self._of(stem[:-1], kinds):
                single = f"{stem[:-1]}{ending}"
                yield not _rather(single, word, stem[:-1], frequency)
            if stem.endswith("ck") and self._of(stem[:-1], kinds):
                yield True


def _fits(base: str, ending: str) -> bool:
    """Whether an ending is the one that this word takes."""
    if ending == "s":
        return not (_HISSING.search(base) or _CONSONANT_Y.search(base)) or base.endswith("o")
    if ending == "es":
        return bool(_HISSING.search(base))
    if ending.startswith("i"):
        return bool(_CONSONANT_Y.search(base))
    return True


def _rather(other: str, word: str, base: str, frequency: Mapping[str, int]) -> bool:
    """Whether the other one of two ways, with one last letter or two, is that of this word."""
    doubled = len(word) > len(other)
    if doubled and not _DOUBLES.search(base):
        return True
    if doubled and _SYLLABLE.search(base):
        return False
    return other in frequency and word not in frequency


@cache
def load_english_words() -> EnglishWords:
    """Read the tables, once per process; raises ``ParserMissing``."""
    from spacy.lang.en.stop_words import STOP_WORDS

    tables = load_pipeline().get_pipe("lemmatizer").lookups
    index, exceptions = tables.get_table("lemma_index"), tables.get_table("lemma_exc")
    words = {kind: frozenset(index[kind]) for kind in (_NOUN, _VERB, _ADJECTIVE, _ADVERB)}
    others = words[_VERB] | words[_ADJECTIVE] | words[_ADVERB] | STOP_WORDS
    wordnet = load_wordnet()
    return EnglishWords(
        words=words,
        irregular=frozenset(form for kind in words for form in exceptions[kind]),
        function_words=frozenset(STOP_WORDS),
        named=frozenset(
            noun for noun in words[_NOUN] if noun not in others and not wordnet.has(noun, "n")
        ),
    )


# Words of captions that no dictionary has; mostly imitations of sounds.
_FIELD_WORDS = word_set(
    """
    airhorn airhorns bloop blooping bloops boing boinging boinking boinks brr brrr clackety
    clicket clickety clinky clippity cloppity clunky echoey fro gurgly hovercraft humanlike
    jackhammering kaboom kerplunk machinelike meh mic mics pitter plonk plunk plunky psst putt
    quacky racecar racecars rc reverb revs ribbit ribbiting ribbits sputtery squeaky staticky
    submachine swooshy synth synths talkie talkies thud thuddy thunk thunks tinkly tock tocking
    tocks tweety ululating vroom vrooming vrooms walkie walkies warbly whirr whirring whirrs
    whooshy windchime windchimes yip zap zipper
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
# So many times as often as a word that no dictionary has: that one is a slip.
_FAR_MORE = 30
_RARE = 100
# Shorter ones are parts of words and cries; of single named things this many letters do.
_SHORTEST_NAME = 4
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
    bare = bare_word(word)
    known = any(one in _frequencies() for one in (word, bare))
    return (known or is_common(bare) or bare in load_english_words().named) and not _slip_of(bare)


def bare_word(word: str) -> str:
    """A word without accents and the ending of a possessive."""
    return _POSSESSIVE.sub("", _without_accents(word))


@cache
def is_common(word: str) -> bool:
    """Whether a word names or imitates a sound, or is one of a dictionary in a regular form.

    >>> [is_common(word) for word in ("dog", "running", "runing", "fallling", "london", "windex")]
    [True, True, False, False, False, False]
    """
    if word in _FIELD_WORDS or word in _sound_names():
        return True
    wordnet, lexicon = load_wordnet(), load_english_words()
    if wordnet.has(word, "n") or wordnet.has(word, "v"):
        return True
    return lexicon.has(word) or lexicon.makes(word, _frequencies())


@cache
def is_proper(word: str) -> bool:
    """Whether a word is known, and not as a common one: names of people, places and products.

    >>> [is_proper(word) for word in ("windex", "london", "lawnmower", "blorptone")]
    [True, True, False, False]
    """
    lexicon = load_english_words()
    if is_common(word) or len(word) < _SHORTEST_NAME:
        return False
    if word in lexicon.named:
        return True
    known = word in _frequencies() and len(word) > _SHORTEST_NAME and not word.endswith("ing")
    return known and not lexicon.derives(word) and not _prefixed(word)


def _prefixed(word: str) -> bool:
    rest = (word.removeprefix(prefix) for prefix in _PREFIXES if word.startswith(prefix))
    return any(is_common(one) for one in rest)


def _slip_of(word: str) -> bool:
    """Whether a rare word is a far more frequent one with a letter doubled or dropped ("fromm").

    A word of a dictionary is one too if hardly anybody uses it ("ful", "veery").
    """
    if word in _FIELD_WORDS or word in _sound_names():
        return False
    doubled = (word[:at] + word[at - 1 :] for at in range(1, len(word) + 1))
    single = (word[:at] + word[at + 1 :] for at in range(1, len(word)) if word[at - 1] == word[at])
    likely = max(frequency(one) for one in (*doubled, *single))
    if is_common(word):
        return frequency(word) < _RARE and likely >= _COMMON
    return likely >= max(_FAR_MORE * frequency(word), 1)


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
    change), among these those of the same letters (also common ones that double one), then those
    more frequent in the set (``used``), then in English. Two words written as one are one
    change away.
    """
    if not 2 <= len(word) <= LONGEST_WORD:
        return ()
    farthest = next(changes for letters, changes in _CHANGES if len(word) >= letters)
    near = process.extract(word, _words(), scorer=OSA.distance, score_cutoff=farthest, limit=None)
    suggested = [
        (int(distance), not _alike(one, word, used), -used.get(one, 0), -frequency(one), one)
        for one, distance, _ in near
        if one != word
    ]
    suggested += _splits(word, used)
    return tuple(one for *_, one in sorted(suggested)[:MOST_SUGGESTIONS])


def _alike(one: str, word: str, used: Mapping[str, int]) -> bool:
    """Whether a word has the same letters, or is a common one and has a letter once or twice."""
    if sorted(one) == sorted(word):
        return True
    common = one in used or frequency(one) >= _COMMON
    return common and [*map(itemgetter(0), groupby(one))] == [*map(itemgetter(0), groupby(word))]


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
