"""Phrases of a caption, by patterns of parts of speech.

Every word of a parse has a class, a letter; a pattern is a regular expression
over the letters of a caption. What may not stand in a phrase ends it, so that
phrases never go beyond a conjunction, "while", "as", "with" or a clause: a noun
after a verb begins the next phrase.
"""

import re
from dataclasses import dataclass

from scoring.errors import ScoringError
from scoring.text.parse import Parse, ParsedToken

# Raised when a rule below changes: it stands in signatures.
VERSION = 1


@dataclass(frozen=True, slots=True)
class WordClass:
    """Words that count as one kind; the first class in ``WORD_CLASSES`` that has a word wins.

    A word belongs where it is one of ``words``, or where its part of speech is
    one of ``parts`` and, if ``lemmas`` are given, its lemma is one of them.
    ``letter`` "" means that the word is passed over. ``example`` is a caption
    in which ``word`` is of this class.
    """

    letter: str
    what: str
    example: str
    word: str
    parts: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PhraseReading:
    """A way to take phrases: all matches of ``pattern``, from left to right.

    ``example`` is a caption with the phrases that it has.
    """

    pattern: re.Pattern[str]
    what: str
    example: tuple[str, tuple[str, ...]]


_MODALS = ("can", "could", "may", "might", "must", "shall", "should", "will", "would")
_AUXILIARIES = ("be", "have", "do", "get", *_MODALS)

WORD_CLASSES: tuple[WordClass, ...] = (
    WordClass(
        "",
        "a hyphen inside a word",
        "The clip-clop of a horse",
        "-",
        words=("-", "\N{HYPHEN}", "\N{NON-BREAKING HYPHEN}"),
    ),
    WordClass(
        "|", "while, as, with", "Rain falls as a dog barks", "as", words=("while", "as", "with")
    ),
    WordClass("|", "a conjunction", "A dog barks and a cat meows", "and", parts=("CCONJ", "SCONJ")),
    WordClass("", "an adverb", "A dog is loudly barking", "loudly", parts=("ADV",)),
    WordClass(
        "", "an auxiliary", "A dog is loudly barking", "is", parts=("AUX",), lemmas=_AUXILIARIES
    ),
    WordClass(
        "N",
        "a noun, or a word for a sound that is no part of the sentence",
        "A small dog barks",
        "dog",
        parts=("NOUN", "PROPN", "INTJ"),
    ),
    # What is tagged as an auxiliary and is none ("a man talking followed by a dog") is a verb.
    WordClass("V", "a verb", "A small dog is barking", "barking", parts=("VERB", "AUX")),
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
        re.compile("A*N+V*|V+"),
        "nouns with the adjectives before and the verbs after them; verbs without a noun before",
        (_EXAMPLE, ("small dog barks", "runs", "gravel", "cats meowing")),
    ),
    "clause": PhraseReading(
        re.compile("[ANVPD]+"),
        "all between two splits, without articles, pronouns, numbers and particles",
        (_EXAMPLE, ("small dog barks", "runs on gravel", "cats meowing")),
    ),
    "word": PhraseReading(
        re.compile("[NV]"),
        "every noun and every verb by itself",
        (_EXAMPLE, ("dog", "barks", "runs", "gravel", "cats", "meowing")),
    ),
}
_UNSPOKEN = "D"  # may stand inside a phrase, but is no part of its text


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
    """Distinct phrases of a caption in order, lower-case, with single spaces."""
    words = [(letter, token.word) for token in parse if (letter := letter_of(token))]
    letters = "".join(letter for letter, _ in words)
    texts = (
        " ".join(word for letter, word in words[slice(*match.span())] if letter != _UNSPOKEN)
        for match in reading.pattern.finditer(letters)
    )
    return tuple(dict.fromkeys(text for text in texts if text))


def letter_of(token: ParsedToken) -> str:
    """Letter of a word's class; a word that is in none ends a phrase."""
    for one in WORD_CLASSES:
        if token.word in one.words:
            return one.letter
        if token.pos in one.parts and (not one.lemmas or token.lemma in one.lemmas):
            return one.letter
    return "|"
