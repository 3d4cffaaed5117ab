"""Synthetic fluency errors.

Source: Zhou et al., FENSE, ICASSP 2022, section 3.2. Their program repeats or
cuts a little differently from the names of its classes; where a detector has
to agree with theirs, the errors here are made as theirs, as noted at the function.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from earmark.models.fluency.vocabulary import CLASSES, ERROR

TAILS = (
    "in the",
    "of a",
    "and",
    "and a",
    "and a series of",
    "followed by",
    "as",
    "with",
    "a",
    "by a",
    "on the",
    "and then",
)
CONNECTORS = ("and", "followed by", "while", "before", "after", "as", "with")

# The chance of each error where its turn comes, and of a second turn.
_CHANCES = (0.2, 0.4, 0.1, 0.1, 0.15)
_SECOND = 0.9

_LEMMA = "follow by"
_SPLIT = r"and|follow(?:ed)? by|while|before|after|as|with"
_AT_WORDS = re.compile(rf"\b(?:{_SPLIT})\b")
_ANYWHERE = re.compile(_SPLIT)

Rng = np.random.Generator
Labels = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TaggedWords:
    """A clean caption as the detector sees it: its words, and their part of speech.

    ``lemmas`` says that the words are lemmas, so "followed" is "follow".
    """

    words: tuple[str, ...]
    pos: tuple[str, ...]
    lemmas: bool = False

    @property
    def text(self) -> str:
        """The words with single spaces between."""
        return " ".join(self.words)


@dataclass(frozen=True, slots=True)
class ErrorStyle:
    """How far the errors follow the original program, in shares from 0 to 1.

    ``cut``: of the captions to lose a conjunction or a verb, those that lose
    their last word instead. ``inside``: of the captions to be split, those
    that are split inside words too ("pass" at "as").
    """

    cut: float = 0.75
    inside: float = 0.3


@dataclass(slots=True)
class Draft:
    """A caption on its way to an error; ``clean`` stays what it was."""

    clean: TaggedWords
    words: list[str]
    pos: list[str]


def alter(
    caption: TaggedWords, rng: Rng, *, style: ErrorStyle | None = None
) -> tuple[str, Labels] | None:
    """Make one or two errors in a caption; the text and its six labels, or None.

    Two turns (with probability .9, else one); in each, every kind of error
    has its chance in the order of the classes, until one is made. None where
    no error was made or where nothing changed in the end.
    """
    draft = Draft(caption, list(caption.words), list(caption.pos))
    labels = [0] * len(CLASSES)
    for _ in range(2 if rng.random() < _SECOND else 1):
        error = _one_error(draft, rng, style or ErrorStyle())
        if error is not None:
            labels[error] = labels[ERROR] = 1
    if draft.words == list(caption.words) or not draft.words:
        return None
    return " ".join(draft.words), tuple(labels)


def _one_error(draft: Draft, rng: Rng, style: ErrorStyle) -> int | None:
    for kind, (chance, make) in enumerate(zip(_CHANCES, RULES, strict=True)):
        if rng.random() < chance and make(draft, rng, style):
            return kind
    return None


def add_tail(draft: Draft, rng: Rng, style: ErrorStyle) -> bool:
    """Append the beginning of something that never comes."""
    _append(draft, _connector_form(TAILS[rng.integers(len(TAILS))], draft.clean, rng).split())
    return True


def repeat_event(draft: Draft, rng: Rng, style: ErrorStyle) -> bool:
    """Append a connector and one part of the clean caption again, lightly altered.

    The original program also splits inside words; ``style.inside`` is how often.
    """
    pattern = _ANYWHERE if rng.random() < style.inside else _AT_WORDS
    parts = [part.split() for part in pattern.split(draft.clean.text)]
    parts = [part for part in parts if part]
    if not parts:
        return False
    part = slightly_varied(parts[rng.integers(len(parts))], rng)
    connector = CONNECTORS[rng.integers(len(CONNECTORS) - 1)]  # never "with"
    _append(draft, [*_connector_form(connector, draft.clean, rng).split(), *part])
    return True


def slightly_varied(words: list[str], rng: Rng) -> list[str]:
    """Words as they are (half the time), or with an "a" or "be" more or less."""
    choice = rng.random()
    if choice < 0.5:
        return words
    if choice < 0.75:
        return [word for word in words if word != "a"] or words
    if "be" in words:
        return [word for word in words if word != "be"] or words
    return [*words[:-1], "a", words[-1]]


def repeat_adv(draft: Draft, rng: Rng, style: ErrorStyle) -> bool:
    """Repeat an adverb, at the end or where it stands."""
    places = [i for i, pos in enumerate(draft.pos) if pos == "ADV"]
    if not places:
        return False
    place = places[rng.integers(len(places))]
    target = len(draft.words) if rng.random() < 0.5 else place
    draft.words.insert(target, draft.words[place])
    draft.pos.insert(target, "ADV")
    return True


def remove_conj(draft: Draft, rng: Rng, style: ErrorStyle) -> bool:
    """Drop a conjunction; in the share ``style.cut``, the last word instead."""
    return _remove(draft, ("CCONJ", "SCONJ"), rng, style)


def remove_verb(draft: Draft, rng: Rng, style: ErrorStyle) -> bool:
    """Drop a verb; in the share ``style.cut``, the last word instead."""
    return _remove(draft, ("VERB",), rng, style)


ErrorRule = Callable[[Draft, Rng, ErrorStyle], bool]
RULES: tuple[ErrorRule, ...] = (add_tail, repeat_event, repeat_adv, remove_conj, remove_verb)


def _remove(draft: Draft, kinds: tuple[str, ...], rng: Rng, style: ErrorStyle) -> bool:
    """Drop one word; the original program looks for ``kinds`` but cuts the end."""
    places = [i for i, pos in enumerate(draft.pos) if pos in kinds]
    if not places or len(draft.words) < 2:
        return False
    place = places[rng.integers(len(places))]
    if rng.random() < style.cut:
        place = len(draft.words) - 1
    del draft.words[place], draft.pos[place]
    return True


def _append(draft: Draft, words: list[str]) -> None:
    draft.words += words
    draft.pos += ["X"] * len(words)


def _connector_form(connector: str, clean: TaggedWords, rng: Rng) -> str:
    """Write "follow by" among lemmas, and half the time elsewhere, as systems do too."""
    if connector == "followed by" and (clean.lemmas or rng.random() < 0.5):
        return _LEMMA
    return connector
