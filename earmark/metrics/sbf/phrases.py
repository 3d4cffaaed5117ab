"""Phrases of a caption, by patterns of parts of speech.

Every word of a parse has a class, a letter; a pattern is a regular expression
over the letters of a caption. Articles, auxiliaries and prepositional parts stay
in a phrase. What may not stand in one ends it, so that phrases never go beyond a
conjunction, "while", "as", "with" or a clause.
"""

import re
from dataclasses import dataclass

from earmark.errors import ScoringError
from earmark.text.parser import Parse, ParsedToken

# Raised when a rule below changes: it stands in signatures.
VERSION = 2


@dataclass(frozen=True, slots=True)
class WordClass:
    """Words that count as one kind; the first class in ``WORD_CLASSES`` that has a word wins.

    A word belongs where it is one of ``words`` (None: any word), and its part of
    speech is one of ``parts`` (none: any) and its tag one of ``tags`` (none: any).
    ``letter`` "" means that the word is passed over. ``example`` is a caption
    in which ``word`` is of this class.
    """

    letter: str
    what: str
    example: str
    word: str
    parts: tuple[str, ...] = ()
    words: frozenset[str] | None = None
    tags: tuple[str, ...] = ()

    def has(self, token: ParsedToken) -> bool:
        """Whether a word is of this class, as long as no class before has it."""
        return (
            (self.words is None or token.word in self.words)
            and (not self.parts or token.pos in self.parts)
            and (not self.tags or token.tag in self.tags)
        )


@dataclass(frozen=True, slots=True)
class PhraseReading:
    """A way to take phrases: all matches of ``pattern``, from left to right.

    Words whose letter is in ``unspoken`` may stand inside a phrase, but are no part
    of its text. ``example`` is a caption with the phrases that it has.
    """

    pattern: re.Pattern[str]
    unspoken: str
    what: str
    example: tuple[str, tuple[str, ...]]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FINITE = ("VBZ", "VBP", "VBD", "MD")
# Adverbs of direction: they belong to what follows or comes before ("out from the shore").
_DIRECTIONS = _words(
    "about across along apart around away back by down forth in inside near nearby off on out"
    " outside over past through together under up"
)

WORD_CLASSES: tuple[WordClass, ...] = (
    WordClass(
        "",
        "a hyphen inside a word",
        "The clip-clop of a horse",
        "-",
        words=_words("- \N{HYPHEN} \N{NON-BREAKING HYPHEN}"),
    ),
    WordClass(
        "|",
        "while, as, with, then and followed",
        "Rain falls as a dog barks",
        "as",
        words=_words("while as with then followed"),
    ),
    WordClass("|", "a conjunction", "A dog barks and a cat meows", "and", parts=("CCONJ", "SCONJ")),
    WordClass(
        "P",
        "an adverb of direction",
        "A car drives away",
        "away",
        parts=("ADV",),
        words=_DIRECTIONS,
    ),
    WordClass("", "any other adverb", "A dog is loudly barking", "loudly", parts=("ADV",)),
    WordClass("X", "an auxiliary", "A dog is loudly barking", "is", parts=("AUX",)),
    WordClass(
        "N",
        "a noun, or a word for a sound that is no part of the sentence",
        "A small dog barks",
        "dog",
        parts=("NOUN", "PROPN", "INTJ"),
    ),
    WordClass(
        "F", "a finite verb", "A man walks on gravel", "walks", parts=("VERB",), tags=_FINITE
    ),
    WordClass("V", "any other verb", "A small dog is barking", "barking", parts=("VERB",)),
    WordClass("A", "an adjective", "A small dog barks", "small", parts=("ADJ",)),
    WordClass("P", "any other preposition", "A man walks on gravel", "on", parts=("ADP",)),
    WordClass(
        "D",
        "an article, a pronoun, a number or a particle",
        "A small dog barks",
        "a",
        parts=("DET", "PRON", "NUM", "PART"),
    ),
    WordClass(
        "|",
        "a mark of punctuation and all else",
        "A dog barks, a cat meows",
        ",",
        parts=("PUNCT", "SYM", "SPACE", "X"),
    ),
)

_EXAMPLE = "A small dog barks loudly and runs on the gravel while two cats are meowing"

READINGS: dict[str, PhraseReading] = {
    "pattern": PhraseReading(
        # After its first verb a phrase ends where nouns before a finite verb begin a clause.
        re.compile("[PDAN]*(?:[VFX](?:(?!D*A*N+[FX])[PDANVFX])*)?"),
        "",
        "all between two splits, and between two clauses that nothing divides",
        (_EXAMPLE, ("a small dog barks", "runs on the gravel", "two cats are meowing")),
    ),
    "clause": PhraseReading(
        re.compile("[ANVFXPD]+"),
        "DX",
        "all between two splits, without articles, pronouns, numbers and auxiliaries",
        (_EXAMPLE, ("small dog barks", "runs on gravel", "cats meowing")),
    ),
    "word": PhraseReading(
        re.compile("[NVF]"),
        "",
        "every noun and every verb by itself",
        (_EXAMPLE, ("dog", "barks", "runs", "gravel", "cats", "meowing")),
    ),
}


class UnknownReading(ScoringError):
    """A way to take phrases that there is not."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is no way {name!r} to take phrases. Choose from: {', '.join(READINGS)}."
        )
        self.name = name


def find_reading(name: str) -> PhraseReading:
    """Look a reading up by name, or raise ``UnknownReading``."""
    try:
        return READINGS[name]
    except KeyError as error:
        raise UnknownReading(name) from error


def find_phrases(parse: Parse, reading: PhraseReading) -> tuple[str, ...]:
    """Distinct phrases of a caption in order, lower-case, with single spaces.

    A phrase has a noun or a verb: what only says where, how many or how is none.
    """
    words = [(letter, word) for letter, word in _lettered(parse) if letter]
    letters = "".join(letter for letter, _ in words)
    texts = (
        " ".join(
            word for letter, word in words[slice(*match.span())] if letter not in reading.unspoken
        )
        for match in reading.pattern.finditer(letters)
        if re.search("[NVFX]", match.group())
    )
    return tuple(dict.fromkeys(text for text in texts if text))


def _lettered(parse: Parse) -> list[tuple[str, str]]:
    """The letter and the text of every word; "followed by" divides as a conjunction does."""
    pairs: list[tuple[str, str]] = []
    for token in parse:
        after_followed = bool(pairs) and pairs[-1][1] == "followed"
        pairs.append(
            ("|" if after_followed and token.word == "by" else letter_of(token), token.word)
        )
    return pairs


def letter_of(token: ParsedToken) -> str:
    """Letter of a word's class; a word that is in none ends a phrase."""
    return next((one.letter for one in WORD_CLASSES if one.has(token)), "|")
