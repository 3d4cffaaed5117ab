"""English dictionary words, and the regular forms that they make.

The words of every part of speech and their irregular forms are those of spaCy's lemmatizer, which
has them from WordNet; of nouns it also has single named things (places, people, makers), which the
project's own WordNet leaves out: so these are told from common nouns.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from scoring.text.parser import load_pipeline
from scoring.text.wordnet import load_wordnet

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
    """Words by part of speech, irregular forms, and nouns that are the name of one thing."""

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
