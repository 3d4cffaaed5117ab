"""Words of captions with their places, and what words are compared by."""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

# Letters are followed by combining marks, which Python does not count as letters.
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_LETTER = rf"[^\W\d_][{_MARKS}]*"
_WORD = re.compile(
    rf"(?P<word>(?:{_LETTER})+(?:['\u2019](?:{_LETTER})+)*)|(?P<other>[^\W_](?:[\w{_MARKS}])*)"
)
_APOSTROPHES = str.maketrans("\u2019\u2018\u02bc", "'''")
_OPENING = " \t\r\n\"'\u201c\u201d\u2018\u2019()["
_SENTENCE_ENDS = (".", "!", "?", ":", ";")
LONGEST_WORD = 40


class CaptionWord(NamedTuple):
    """A run of letters, with apostrophes inside: its slice, and its key."""

    start: int
    end: int
    key: str


def word_key(text: str) -> str:
    """What spellings of a word are compared by: lower case, composed, a straight apostrophe."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", text.translate(_APOSTROPHES)).lower()


def words_of(text: str) -> Iterator[CaptionWord]:
    """Words of a caption in order; what begins with a digit ("4x4", "2nd") is none.

    >>> [word.key for word in words_of("The dog's high-pitched 2nd BARK")]
    ['the', "dog's", 'high', 'pitched', 'bark']
    """
    end = 0
    for match in _WORD.finditer(text):
        if match["word"] is None:
            end = match.end()
            continue
        # "mp3" and "x2" are no words either: what follows or precedes at once is a digit.
        glued = match.start() == end != 0 or text[match.end() : match.end() + 1].isdigit()
        end = match.end()
        if not glued:
            yield CaptionWord(match.start(), match.end(), word_key(match["word"]))


def text_key(text: str) -> str:
    """What whole captions are compared by: words and numbers alone, lower case.

    >>> text_key("A dog barks, twice.")
    'a dog barks twice'
    """
    return " ".join(word_key(match.group()) for match in _WORD.finditer(text))


def begins_sentence(text: str, start: int) -> bool:
    """Whether a word at this place has its capital because a sentence begins there."""
    before = text[max(start - 8, 0) : start].rstrip(_OPENING)
    return before.endswith(_SENTENCE_ENDS) or (start <= 8 and not before)


def word_set(text: str) -> frozenset[str]:
    """Words of a list that is written as a text."""
    return frozenset(text.split())


FUNCTION_WORDS = word_set(
    """
    a an the and or as while when then than with in on at of to from by for into onto over is
    are was were be been being it its their his her they some there that this which who has have
    had
    """
)


def with_case_of(replacement: str, original: str) -> str:
    """Write a replacement with the capitals of the original.

    >>> with_case_of("motorcycle", "Motorcyle")
    'Motorcycle'
    """
    if len(original) > 1 and original.isupper():
        return replacement.upper()
    if original[:1].isupper():
        return replacement[:1].upper() + replacement[1:]
    return replacement
