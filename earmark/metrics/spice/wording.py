"""Wording that grammar alone does not tell, from a table: asides, denials, adjectives, lemmas.

The table is ``earmark/resources/scene_graphs/wording.tsv``; its head says what each kind means.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from earmark.text.parser import Parse, ParsedToken

TABLE = Path(__file__).parents[2] / "resources" / "scene_graphs" / "wording.tsv"
NO_THING, NOT_VERB = "no ", "not "
_WITHIN_NOUN = {"amod", "compound", "det", "nmod", "nummod", "poss", "advmod"}

Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wording:
    """The table by kind; phrases are tuples of lower-case words."""

    asides: frozenset[Phrase]
    no_thing: frozenset[Phrase]
    not_verb: frozenset[Phrase]
    adjectives: frozenset[Phrase]
    things: frozenset[Phrase]
    lemmas: dict[str, str]


@dataclass(frozen=True, slots=True)
class Marked:
    """Tokens of a caption by index: those that say nothing of their own, and what is denied."""

    silent: frozenset[int]
    denied: frozenset[int]


NOTHING_MARKED = Marked(frozenset(), frozenset())


@cache
def load_wording() -> Wording:
    """Read the table."""
    rows = [
        line.split("\t")
        for line in TABLE.read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]

    def phrases(kind: str) -> frozenset[Phrase]:
        return frozenset(tuple(row[1].split()) for row in rows if row[0] == kind)

    lemmas = {row[1]: row[2] for row in rows if row[0] == "lemma"}
    return Wording(
        phrases("aside"),
        phrases("no-thing"),
        phrases("not-verb"),
        phrases("adjective"),
        phrases("thing"),
        lemmas,
    )


def is_adjective(word: str) -> bool:
    """Whether a word in -ing describes and is no progressive: "the noise is deafening"."""
    return (word,) in load_wording().adjectives


def names_thing(word: str) -> bool:
    """Whether a word in -ing names a thing and is no participle: "a brick building"."""
    return (word,) in load_wording().things


def with_lemmas(parse: Parse) -> Parse:
    """The parse with the lemmas of verbs put right."""
    lemmas = load_wording().lemmas
    return tuple(
        replace(token, lemma=lemmas.get(token.lemma, token.lemma)) if token.tag[0] == "V" else token
        for token in parse
    )


def marked(tokens: Sequence[ParsedToken]) -> Marked:
    """Find asides and denials in a parse."""
    wording = load_wording()
    silent = {i for start, end in _found(tokens, wording.asides) for i in range(start, end)}
    denied: set[int] = set()
    for start, end in _found(tokens, wording.no_thing):
        noun = _noun_from(tokens, end)
        if noun is not None and noun not in silent:
            denied.add(noun)
            silent |= set(range(start, end))
    for start, end in _found(tokens, wording.not_verb):
        head = tokens[end - 1].head
        if tokens[head].tag.startswith("V") and not silent & set(range(start, end)):
            denied.add(head)
    return Marked(frozenset(silent), frozenset(denied))


def _found(tokens: Sequence[ParsedToken], phrases: frozenset[Phrase]) -> Iterator[tuple[int, int]]:
    """Places of phrases as (start, end), from the left, the longest at each place."""
    longest = max(map(len, phrases))
    words = tuple(token.word for token in tokens)
    start = 0
    while start < len(words):
        lengths = range(min(longest, len(words) - start), 0, -1)
        length = next((n for n in lengths if words[start : start + n] in phrases), 0)
        if length:
            yield start, start + length
        start += max(1, length)


def _noun_from(tokens: Sequence[ParsedToken], start: int) -> int | None:
    """The noun whose phrase begins at a token; None where another word comes first."""
    for i in range(start, len(tokens)):
        token = tokens[i]
        if token.tag.startswith("NN") and token.dep not in _WITHIN_NOUN:
            return i
        if token.dep not in _WITHIN_NOUN:
            return None
    return None
