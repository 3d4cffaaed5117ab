"""METEOR's English word lists: function words and WordNet 3.0 synonym sets."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from earmark.metrics.meteor.files import read_lists

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
    synsets_text: Mapping[str, str]
    bases_text: Mapping[str, str]
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


@cache
def load_lexicon() -> Lexicon:
    """Read the lists, once per process; raise ``MeteorFilesMissing`` where they are not."""
    function_words, synsets, exceptions = read_lists(
        "function/english.words", "synonym/english.synsets", "synonym/english.exceptions"
    )
    bases: dict[str, str] = {}
    for base, forms in zip(exceptions[0::2], exceptions[1::2], strict=False):
        for form in forms.split():
            bases[form] = f"{bases[form]} {base}" if form in bases else base
    return Lexicon(
        function_words=frozenset(word for word in function_words if word),
        synsets_text=dict(zip(synsets[0::2], synsets[1::2], strict=False)),
        bases_text=bases,
    )
