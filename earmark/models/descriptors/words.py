"""Words of a caption, runs of words with one label, and the inventories of labels."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path

RESOURCES = Path(__file__).parents[2] / "resources" / "descriptors"

OUTSIDE = "O"  # the label of a word that describes nothing


@lru_cache(maxsize=1)
def inventories() -> dict[str, tuple[str, ...]]:
    """Shipped inventories by name, labels in their order, ``O`` last."""
    text = (RESOURCES / "inventory.json").read_text(encoding="utf-8")
    listed: dict[str, list[str]] = json.loads(text)["inventories"]
    return {name: tuple(labels) for name, labels in listed.items()}


_PUNCTUATION = re.compile(r"[^\w\s]")
_WRITTEN = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word without punctuation, lower-cased, and where it stands in the caption as written.

    ``start`` and ``end`` count code points, end exclusive; punctuation at the
    edges of the word is outside.
    """

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Span:
    """A run of words with the same label.

    ``first`` and ``last`` are indices of words, both inside. ``confidence`` is
    the mean of the words' probabilities, 0..1.
    """

    first: int
    last: int
    label: str
    text: str
    confidence: float


def words_of(caption: str) -> list[Word]:
    """Split a caption at white space, after everything but letters, digits, _ and space is removed.

    >>> [word.text for word in words_of("A bird's song - far off.")]
    ['a', 'birds', 'song', 'far', 'off']
    """
    words = []
    for written in _WRITTEN.finditer(caption):
        text = _PUNCTUATION.sub("", written.group())
        if text:
            bare = _edges(written.group())
            words.append(Word(text.lower(), written.start() + bare[0], written.start() + bare[1]))
    return words


def _edges(written: str) -> tuple[int, int]:
    """Positions of the first kept character and behind the last one."""
    places = [index for index, letter in enumerate(written) if not _PUNCTUATION.match(letter)]
    return places[0], places[-1] + 1


def spans_of(
    words: Sequence[str], labels: Sequence[str], confidences: Sequence[float] | None = None
) -> list[Span]:
    """Join neighbouring words with one label to spans; words outside are dropped.

    >>> spans_of(["a", "big", "dog", "barks"], ["O", "WHAT", "WHAT", "HOW"])[0].text
    'big dog'
    """
    spans = []
    place = 0
    sure = [1.0] * len(words) if confidences is None else confidences
    for label, run in groupby(labels):
        first, place = place, place + sum(1 for _ in run)
        if label != OUTSIDE:
            confidence = sum(sure[first:place]) / (place - first)
            spans.append(Span(first, place - 1, label, " ".join(words[first:place]), confidence))
    return spans
