"""WordNet 3.0's nouns and verbs: senses, synonyms, hypernyms, derivations.

They are read from resources/wordnet/relations.tsv.gz, which derive_wordnet.py in the
same folder writes and describes. A line is taken apart when it is asked for: a run looks at
some thousand of 240,000.
"""

import gzip
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

Pos = Literal["n", "v"]
IDENTITY = "wordnet-3.0"
RELATIONS = Path(__file__).resolve().parents[1] / "resources" / "wordnet" / "relations.tsv.gz"

_VERB_ENDINGS = (
    *(("ies", "y"), ("es", "e"), ("es", ""), ("s", "")),
    *(("ed", "e"), ("ed", "")),
)
_BARE_FIRST = (("ing", ""), ("ing", "e"))
_NOUN_ENDINGS = (
    *(("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("xes", "x")),
    *(("es", "e"), ("s", "")),
)
# One vowel between consonants: such a stem doubles its last letter before "-ing".
_DOUBLING = re.compile(r"(^|[^aeiou])[aeiouy][^aeiouwxy]$")


@dataclass(frozen=True, slots=True)
class WordNet:
    """Synsets by number, from 0: the lines of both tables of the file."""

    _synsets: Sequence[str] = field(repr=False)
    _senses: Sequence[str] = field(repr=False)
    _known: dict[tuple[str, Pos], tuple[int, ...]] = field(default_factory=dict, repr=False)
    _under: dict[tuple[int, frozenset[int]], bool] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self._synsets)

    def lemmas(self, synset: int) -> tuple[str, ...]:
        """Lemmas of a synset, lower-case, with "_" between words."""
        return tuple(self._column(synset, 2).split(" "))

    def hypernyms(self, synset: int) -> tuple[int, ...]:
        """Synsets directly above one."""
        return tuple(map(int, self._column(synset, 0).split()))

    def derived(self, synset: int) -> tuple[int, ...]:
        """Nouns and verbs derived from one of its lemmas in this sense, or they from it."""
        return tuple(map(int, self._column(synset, 1).split()))

    def _column(self, synset: int, column: int) -> str:
        return self._synsets[synset].split("\t")[column]

    def senses(self, lemma: str, pos: Pos, limit: int | None = None) -> tuple[int, ...]:
        """First synsets of a lemma, most frequent sense first; none where WordNet lacks it."""
        key = (lemma, pos)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._looked_up(f"{lemma}\t{pos}\t")
        return known[:limit]

    def has(self, lemma: str, pos: Pos) -> bool:
        """Whether there is such a noun or verb."""
        return bool(self.senses(lemma, pos))

    def _looked_up(self, start: str) -> tuple[int, ...]:
        place = bisect_left(self._senses, start)
        line = self._senses[place] if place < len(self._senses) else ""
        return tuple(map(int, line[len(start) :].split())) if line.startswith(start) else ()

    def is_under(self, synset: int, roots: frozenset[int]) -> bool:
        """Whether a synset is one of the roots or, at any height, below one."""
        known = self._under.get((synset, roots))
        if known is None:
            known = synset in roots or any(self.is_under(h, roots) for h in self.hypernyms(synset))
            self._under[synset, roots] = known
        return known

    def noun_base(self, word: str) -> str:
        """Undo a regular plural; a word that is no plural of a noun stays.

        >>> load_wordnet().noun_base("dishes"), load_wordnet().noun_base("glass")
        ('dish', 'glass')
        """
        if word.endswith("ss"):
            return word
        return next(self._bases(word, _NOUN_ENDINGS, "n"), word)

    def verb_base(self, word: str) -> str:
        """Undo a regular ending of a verb, also with a doubled consonant; others stay.

        Before "-ing" the stem as it stands goes first ("sing", not "singe", which makes
        "singeing"), but not where it would have doubled ("hope" makes "hoping", "hop" does not).

        >>> load_wordnet().verb_base("humming"), load_wordnet().verb_base("ring")
        ('hum', 'ring')
        >>> load_wordnet().verb_base("singing"), load_wordnet().verb_base("hoping")
        ('sing', 'hope')
        """
        endings: Sequence[tuple[str, str]] = _VERB_ENDINGS
        if word.endswith("ing"):
            doubles = _DOUBLING.search(word.removesuffix("ing"))
            endings = _BARE_FIRST[::-1] if doubles else _BARE_FIRST
        return next(self._bases(word, endings, "v"), word)

    def _bases(self, word: str, endings: Iterable[tuple[str, str]], pos: Pos) -> Iterator[str]:
        for ending, replacement in endings:
            if not word.endswith(ending):
                continue
            stem = word[: -len(ending)] + replacement
            if len(stem) > 1 and self.has(stem, pos):
                yield stem
            doubled = pos == "v" and len(stem) > 2 and stem[-1] == stem[-2]
            if doubled and self.has(stem[:-1], pos):
                yield stem[:-1]


@cache
def load_wordnet() -> WordNet:
    """Read the relations, once per process."""
    with gzip.open(RELATIONS, "rt", encoding="ascii") as file:
        synsets, _, senses = file.read().partition("\n\n")
    return WordNet(synsets.split("\n"), senses.splitlines())
