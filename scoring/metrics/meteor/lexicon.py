"""METEOR's English word lists: function words and WordNet 3.0 synonym sets."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from scoring.metrics.meteor.files import pack, read_lists, unpack
from scoring.metrics.meteor.shelves import Glossary, ShelvedGlossary, Shelves

# WordNet's "morphy" endings, in METEOR's order, with no regard to part of speech.
_ENDINGS = (
    *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh")),
    *(("men", "man"), ("ies", "y"), ("s", ""), ("ies", "y"), ("es", "e"), ("es", "")),
    *(("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    *(("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
)
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Lexicon:
    """Synonym sets by word and irregular base forms, as METEOR 1.5 looks them up.

    ``synsets_text`` maps a lemma to its synset offsets, separated by spaces;
    ``bases_text`` maps an irregular form to its base forms, separated by spaces.
    """

    function_words: frozenset[str]
    synsets_text: Glossary
    bases_text: Glossary
    _synsets: dict[str, frozenset[str]] = field(default_factory=dict, repr=False)

    def synsets(self, word: str) -> frozenset[str]:
        """Synsets of a word as written and of its base form."""
        synsets = self._synsets.get(word)
        if synsets is None:
            synsets = self._of_lemma(word).union(*map(self._of_lemma, self._bases_of(word)))
            self._synsets[word] = synsets
        return synsets

    def _of_lemma(self, lemma: str) -> frozenset[str]:
        text = self.synsets_text.get(lemma)
        return frozenset(text.split()) if text else _NONE

    def _bases_of(self, word: str) -> Iterable[str]:
        irregular = self.bases_text.get(word)
        return irregular.split() if irregular is not None else (self._regular_base(word),)

    def _regular_base(self, word: str) -> str:
        """Undo the first ending that leads to a word of the dictionary; "" if none does."""
        if len(word) <= 2 or word.endswith("ss"):
            return word
        for ending, replacement in _ENDINGS:
            if word.endswith(ending):
                base = word[: -len(ending)] + replacement
                if base in self.synsets_text:
                    return base
        return ""

    @classmethod
    def load(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Lexicon":
        """Read what ``dump_lexicon`` wrote."""
        words = unpack(np.asarray(arrays["function_words"], np.uint8), 1)
        known = unpack(np.asarray(arrays["known_synsets"], np.uint8), 1)
        return cls(
            frozenset(words),
            ShelvedGlossary(Shelves.load("synsets", arrays)),
            ShelvedGlossary(Shelves.load("bases", arrays)),
            {
                word: frozenset(synsets.split())
                for word, _, synsets in (line.partition(" ") for line in known)
            },
        )


@dataclass(frozen=True)
class _Lists:
    """The lists as METEOR ships them, turned into dictionaries."""

    function_words: frozenset[str]
    synsets: dict[str, str]
    bases: dict[str, str]


@cache
def _read() -> _Lists:
    function_words, synsets, exceptions = read_lists(
        "function/english.words", "synonym/english.synsets", "synonym/english.exceptions"
    )
    bases: dict[str, str] = {}
    for base, forms in zip(exceptions[0::2], exceptions[1::2], strict=False):
        for form in forms.split():
            bases[form] = f"{bases[form]} {base}" if form in bases else base
    return _Lists(
        function_words=frozenset(word for word in function_words if word),
        synsets=dict(zip(synsets[0::2], synsets[1::2], strict=False)),
        bases=bases,
    )


@cache
def load_lexicon() -> Lexicon:
    """Read the lists, once per process; raise ``MeteorFilesMissing`` where they are not."""
    lists = _read()
    return Lexicon(lists.function_words, lists.synsets, lists.bases)


def dump_lexicon(words: Iterable[str]) -> dict[str, NDArray[np.generic]]:
    """Lay the lists out so that a later process reads only what it needs of them.

    The synsets of ``words`` are looked up now.
    """
    lists, lexicon = _read(), load_lexicon()
    known = [" ".join((word, *sorted(lexicon.synsets(word)))) for word in words]
    return {
        "known_synsets": pack(known),
        "function_words": pack(sorted(lists.function_words)),
        **ShelvedGlossary.build(lists.synsets).shelves.dump("synsets"),
        **ShelvedGlossary.build(lists.bases).shelves.dump("bases"),
    }
