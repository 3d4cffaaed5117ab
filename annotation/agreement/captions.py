"""Captions with the labels of several people, as plain values."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import combinations
from typing import Any

from annotation.spans import OUTSIDE, labels_of_words, places_of, starts_of_words

Span = tuple[int, int, str]


def ordered(spans: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Spans in an order that depends only on what they are.

    By first word, then by last word, then by label from Z to A. Where spans
    overlap, which only files bring in, the last one in this order gives the
    words their label; so nothing depends on the order in which they are stored.
    """
    by_label = sorted(spans, key=lambda span: str(span["label"]), reverse=True)
    return sorted(by_label, key=lambda span: (int(span["token_start"]), int(span["token_end"])))


def word_labels(spans: Iterable[Mapping[str, Any]], words: int) -> tuple[str, ...]:
    """One label per word, "O" where there is none, whatever the order of the spans."""
    return tuple(labels_of_words(ordered(spans), words))


def word_starts(spans: Iterable[Mapping[str, Any]], words: int) -> tuple[bool, ...]:
    """Whether a span begins at each word, whatever the order of the spans."""
    return tuple(starts_of_words(ordered(spans), words))


def letter_order(caption: int, annotation: int) -> bytes:
    """Sort the annotations of a caption so that their order changes from caption to caption.

    It is the same at every look, and tells nothing of who made them.
    """
    return sha256(f"{caption}:{annotation}".encode()).digest()


@dataclass(frozen=True, slots=True)
class Labelling:
    """One person's labels of a caption.

    ``labels`` has one label per word. ``spans`` is the set of (first word, last
    word inside, label) as they were drawn, spans that overlap included.
    """

    labels: tuple[str, ...]
    spans: frozenset[Span]

    @classmethod
    def of(cls, spans: Sequence[Mapping[str, Any]], words: int) -> "Labelling":
        """Read spans as Prodigy writes them."""
        return cls(labels=word_labels(spans, words), spans=places_of(spans))


@dataclass(frozen=True, slots=True)
class Caption:
    """A caption with its labellings by person; ``at`` is when the last of them was made.

    Read from a project, ``labellings`` are in the order of the letters of adjudication.
    """

    key: int | str
    words: tuple[str, ...]
    labellings: Mapping[str, Labelling]
    at: datetime | None = None

    def disputed(self) -> tuple[int, ...]:
        """The numbers of the words that not all label alike, from 0."""
        labels_by_person = [labelling.labels for labelling in self.labellings.values()]
        return tuple(
            number
            for number, labels in enumerate(zip(*labels_by_person, strict=True))
            if len(set(labels)) > 1
        )


@dataclass(frozen=True, slots=True)
class Dispute:
    """A caption on which people differ; ``share`` is that of its words, 0 to 1."""

    caption: Caption
    words: tuple[int, ...]

    @property
    def share(self) -> float:
        """Share of the caption's words that are in dispute."""
        return len(self.words) / len(self.caption.words)


def of_pair(captions: Iterable[Caption], one: str, other: str) -> list[Caption]:
    """The captions that both people labelled, in their order."""
    return [
        caption for caption in captions if one in caption.labellings and other in caption.labellings
    ]


def pairs_of(captions: Iterable[Caption]) -> dict[tuple[str, str], int]:
    """Count the captions that each pair of people has in common; the pair's names are sorted."""
    counts: Counter[tuple[str, str]] = Counter()
    for caption in captions:
        counts.update(combinations(sorted(caption.labellings), 2))
    return dict(sorted(counts.items()))


def disputes_of(captions: Iterable[Caption]) -> list[Dispute]:
    """The captions on which people differ, the greatest share of disputed words first."""
    disputes = [Dispute(caption, words) for caption in captions if (words := caption.disputed())]
    return sorted(disputes, key=lambda dispute: (-dispute.share, -len(dispute.words)))


def where_said(
    captions: Iterable[Caption], one: str, other: str, a: str, b: str
) -> list[tuple[Caption, tuple[int, ...]]]:
    """The captions with words that ``one`` calls ``a`` and ``other`` calls ``b``."""
    matches = []
    for caption in of_pair(captions, one, other):
        both = zip(caption.labellings[one].labels, caption.labellings[other].labels, strict=True)
        words = tuple(number for number, labels in enumerate(both) if labels == (a, b))
        if words:
            matches.append((caption, words))
    return matches


def labels_shared(caption: Caption, word: int) -> list[tuple[str, str]]:
    """Each two labels that two different people give a word, once, in the order of A to Z."""
    counts = Counter(labelling.labels[word] for labelling in caption.labellings.values())
    alike = [(label, label) for label, count in counts.items() if count > 1]
    return alike + list(combinations(sorted(counts), 2))


def where_either_said(
    captions: Iterable[Caption], a: str, b: str
) -> list[tuple[Caption, tuple[int, ...]]]:
    """The captions with words that one person calls ``a`` and another ``b``."""
    wanted, matches = tuple(sorted((a, b))), []
    for caption in captions:
        words = range(len(caption.words))
        shared = tuple(word for word in words if wanted in labels_shared(caption, word))
        if shared:
            matches.append((caption, shared))
    return matches


def names_in(captions: Iterable[Caption]) -> set[str]:
    """Every label that anyone used, "O" included."""
    used = {OUTSIDE}
    for caption in captions:
        for labelling in caption.labellings.values():
            used.update(labelling.labels)
            used.update(label for _, _, label in labelling.spans)
    return used
