"""Errors of captioning systems beyond those of the original program.

Words out of order, doubled, inserted or missing, lists without a conjunction, ends cut
off, and events that come again in other forms of the same words. A rule takes a
caption and returns its altered words, or None where it has nothing to change.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from earmark.models.fluency.vocabulary import CLASSES, ERROR
from earmark.text.porter2 import stem
from earmark.train.fluency.synthetic_errors import CONNECTORS, Labels, Rng, TaggedWords

Forms = Mapping[str, tuple[str, ...]]
Words = list[str]
T = TypeVar("T")

_LEAST_FORMS = 5  # a form that is seen less often is mostly a mistake of the tagger
_LONGEST_EVENT = 9
_FUNCTION_WORDS = (
    *("a", "an", "the", "in", "on", "by", "of", "with", "and", "as", "to", "at"),
    *("it", "from", "into", "while", "then", "over", "for"),
)
_FUNCTIONS = frozenset(("DET", "ADP", "CCONJ", "SCONJ", "AUX", "PART", "PRON"))
_AFTER_VERBS = frozenset(("ADP", "ADV", "PART"))
_CONTENT = frozenset(("VERB", "NOUN", "ADV", "ADJ"))
_JOINTS = frozenset((*" ".join(CONNECTORS).split(), "follow", "then", "follows"))
_AFTERTHOUGHTS = (
    *("in the background", "in the distance", "nearby", "again", "several times", "loudly"),
    *("in the", "in a", "and a", "over"),
)


@dataclass(frozen=True, slots=True)
class ErrorMaterial:
    """What errors are made of: a caption, one of another clip, other forms of words."""

    caption: TaggedWords
    other: TaggedWords
    forms: Forms


def word_forms(captions: Iterable[TaggedWords]) -> Forms:
    """Other forms of each verb and noun: words with the same stem that captions have often."""
    counts = Counter(
        word
        for caption in captions
        for word, pos in zip(caption.words, caption.pos, strict=True)
        if pos in ("VERB", "NOUN")
    )
    families: dict[str, list[str]] = defaultdict(list)
    for word, count in sorted(counts.items()):
        if count >= _LEAST_FORMS:
            families[stem(word)].append(word)
    return {
        word: tuple(other for other in family if other != word)
        for family in families.values()
        if len(family) > 1
        for word in family
    }


def event_parts(caption: TaggedWords) -> list[list[int]]:
    """Places of the words of each event: what stands between connectors."""
    parts: list[list[int]] = [[]]
    for place, word in enumerate(caption.words):
        if word in _JOINTS:
            parts.append([])
        else:
            parts[-1].append(place)
    return [part for part in parts if part]


def shuffle(material: ErrorMaterial, rng: Rng) -> Words | None:
    """Put all words in any order."""
    words = material.caption.words
    return [words[i] for i in rng.permutation(len(words))]


def shuffle_some(material: ErrorMaterial, rng: Rng) -> Words | None:
    """Put three to five words that stand together in any order."""
    words = list(material.caption.words)
    size = min(len(words), int(rng.integers(3, 6)))
    start = int(rng.integers(len(words) - size + 1))
    part = words[start : start + size]
    words[start : start + size] = [part[i] for i in rng.permutation(size)]
    return words


def swap(material: ErrorMaterial, rng: Rng) -> Words | None:
    """Exchange two neighbours."""
    words = list(material.caption.words)
    if len(words) < 2:
        return None
    place = int(rng.integers(len(words) - 1))
    words[place], words[place + 1] = words[place + 1], words[place]
    return words


def move(material: ErrorMaterial, rng: Rng) -> Words | None:
    """Move a word to another place."""
    words = list(material.caption.words)
    word = words.pop(int(rng.integers(len(words))))
    words.insert(int(rng.integers(len(words) + 1)), word)
    return words


def insert(material: ErrorMaterial, rng: Rng) -> Words | None:
    """Insert a function word where none belongs."""
    words = list(material.caption.words)
    words.insert(int(rng.integers(len(words))), _choice(_FUNCTION_WORDS, rng))
    return words


def double(material: ErrorMaterial, rng: Rng) -> Words | None:
    """Say one to three words twice in a row."""
    words = list(material.caption.words)
    size = min(len(words), int(rng.integers(1, 4)))
    end = int(rng.integers(size, len(words) + 1))
    return words[:end] + words[end - size : end] + words[end:]


def double_joined(material: ErrorMaterial, rng: Rng) -> Words | None:
    """Say a word twice with "and" between, the second time perhaps in another form."""
    place = _place(material.caption, _CONTENT, rng)
    if place is None:
        return None
    words = list(material.caption.words)
    again = _other_form(words[place], material.forms, 0.3, rng)
    return [*words[: place + 1], "and", again, *words[place + 1 :]]


def repeat_inflected(material: ErrorMaterial, rng: Rng) -> Words | None:
    """Tell an event again in other forms of its words, up to three times."""
    parts = [part for part in event_parts(material.caption) if len(part) <= _LONGEST_EVENT]
    if not parts:
        return None
    start, end = (part := parts[rng.integers(len(parts))])[0], part[-1] + 1
    caption = material.caption
    target = end if rng.random() < 0.5 else len(caption.words)
    added: Words = []
    for _ in range(1 if rng.random() < 0.85 else int(rng.integers(2, 4))):
        added += _choice((*CONNECTORS[:-1], "and", "and then", "then"), rng).split()
        added += [_other_form(word, material.forms, 0.45, rng) for word in caption.words[start:end]]
    if rng.random() < 0.35:
        added += _choice(_AFTERTHOUGHTS, rng).split()
    return [*caption.words[:target], *added, *caption.words[target:]]


def drop_verb(material: ErrorMaterial, rng: Rng) -> Words | None:
    """Drop a verb after an auxiliary, or before what belongs to it: "a car (drives) by"."""
    words, pos = material.caption.words, material.caption.pos
    places = [
        i
        for i in range(1, len(words) - 1)
        if pos[i] == "VERB" and (pos[i - 1] == "AUX" or pos[i + 1] in _AFTER_VERBS)
    ]
    if not places:
        return None
    place = _choice(places, rng)
    return [*words[:place], *words[place + 1 :]]


def drop_function_word(material: ErrorMaterial, rng: Rng) -> Words | None:
    """Drop a preposition, determiner, conjunction or particle."""
    return _drop(material.caption, frozenset(("ADP", "DET", "PART", "CCONJ", "SCONJ")), rng)


def cut_end(material: ErrorMaterial, rng: Rng) -> Words | None:
    """Break off after a function word, or before the last word."""
    caption = material.caption
    places = [
        i
        for i, pos in enumerate(caption.pos[:-1])
        if i and (pos in _FUNCTIONS or (pos == "ADJ" and caption.pos[i + 1] == "NOUN"))
    ]
    if places and rng.random() < 0.7:
        return list(caption.words[: _choice(places, rng) + 1])
    return list(caption.words[:-1]) if len(caption.words) > 2 else None


def run_on(material: ErrorMaterial, rng: Rng) -> Words | None:
    """List events of two clips one after the other, with nothing between."""
    parts = [
        [caption.words[i] for i in part]
        for caption in (material.caption, material.other)
        for part in event_parts(caption)
    ]
    if len(parts) < 2:
        return None
    order = rng.permutation(len(parts))[: int(rng.integers(2, 5))]
    return [word for i in order for word in parts[i]]


def wrong_form(material: ErrorMaterial, rng: Rng) -> Words | None:
    """Write another form for the participle after "followed by" or an auxiliary."""
    words, pos = list(material.caption.words), material.caption.pos
    places = [
        i
        for i, word in enumerate(words)
        if word.endswith("ing")
        and ("followed" in words[max(0, i - 5) : i] or (i and pos[i - 1] == "AUX"))
    ]
    if not places:
        return None
    place = _choice(places, rng)
    forms = material.forms.get(words[place], ())
    finite = [form for form in forms if not form.endswith("ing")]
    if not finite:
        return None
    words[place] = _choice(finite, rng)
    return words


ErrorMaker = Callable[[ErrorMaterial, Rng], Words | None]

# Rule, the class it teaches beside ``error`` (None: none of the five), and its share.
MAKERS: tuple[tuple[ErrorMaker, str | None, float], ...] = (
    (shuffle, None, 0.12),
    (shuffle_some, None, 0.07),
    (swap, None, 0.09),
    (move, None, 0.04),
    (insert, None, 0.09),
    (double, "repeat_event", 0.07),
    (double_joined, "repeat_event", 0.07),
    (repeat_inflected, "repeat_event", 0.19),
    (drop_verb, "remove_verb", 0.06),
    (drop_function_word, "remove_conj", 0.02),
    (cut_end, "add_tail", 0.07),
    (run_on, "remove_conj", 0.07),
    (wrong_form, None, 0.04),
)
_SHARES = np.array([share for _, _, share in MAKERS])


def system_error(material: ErrorMaterial, rng: Rng) -> tuple[str, str, Labels] | None:
    """Make one error by a rule drawn by the shares; None where the rule has nothing to do.

    The text, what it was made from, and its six labels.
    """
    make, taught, _ = MAKERS[rng.choice(len(MAKERS), p=_SHARES / _SHARES.sum())]
    words = make(material, rng)
    if not words or tuple(words) == material.caption.words:
        return None
    labels = [0] * len(CLASSES)
    labels[ERROR] = 1
    if taught is not None:
        labels[CLASSES.index(taught)] = 1
    source = material.caption.text
    if make is run_on:
        source = f"{source} {material.other.text}"
    return " ".join(words), source, tuple(labels)


def _choice(items: Sequence[T], rng: Rng) -> T:
    return items[int(rng.integers(len(items)))]


def _place(caption: TaggedWords, kinds: frozenset[str], rng: Rng) -> int | None:
    places = [i for i, pos in enumerate(caption.pos) if pos in kinds]
    return _choice(places, rng) if places else None


def _drop(caption: TaggedWords, kinds: frozenset[str], rng: Rng) -> Words | None:
    """Drop one word of these kinds, not the last."""
    place = _place(TaggedWords(caption.words[:-1], caption.pos[:-1]), kinds, rng)
    if place is None:
        return None
    return [*caption.words[:place], *caption.words[place + 1 :]]


def _other_form(word: str, forms: Forms, chance: float, rng: Rng) -> str:
    """Another form of a word, with a chance; the word itself where it has no other."""
    others = forms.get(word)
    return _choice(others, rng) if others and rng.random() < chance else word
