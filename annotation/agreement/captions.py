"""What several people said of the words of captions, as plain values."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import combinations
from typing import Any

from annotation.spans import OUTSIDE, labels_of_words

Span = tuple[int, int, str]


def ordered(spans: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Give spans in an order that depends only on what they are.

    By first word, then by last word, then by label from Z to A. Where spans
    overlap, which only files bring in, the last one in this order gives the
    words their label; so nothing depends on the order in which they are stored.
    """
    by_label = sorted(spans, key=lambda span: str(span["label"]), reverse=True)
    return sorted(by_label, key=lambda span: (int(span["token_start"]), int(span["token_end"])))


def word_labels(spans: Iterable[Mapping[str, Any]], words: int) -> tuple[str, ...]:
    """Give one label per word, "O" where there is none, whatever the order of the spans."""
    return tuple(labels_of_words(ordered(spans), words))


def letter_order(caption: int, annotation: int) -> bytes:
    """Sort the annotations of a caption so that their order changes from caption to caption.

    It is the same at every look, and tells nothing of who made them.
    """
    return sha256(f"{caption}:{annotation}".encode()).digest()


@dataclass(frozen=True, slots=True)
class Labelling:
    """What one person said of a caption.

    ``labels`` has one label per word. ``spans`` is the set of (first word, last
    word inside, label) as they were drawn, spans that overlap included.
    """

    labels: tuple[str, ...]
    spans: frozenset[Span]

    @classmethod
    def of(cls, spans: Sequence[Mapping[str, Any]], words: int) -> "Labelling":
        """Read spans as Prodigy writes them."""
        return cls(
            labels=word_labels(spans, words),
            spans=frozenset(
                (int(span["token_start"]), int(span["token_end"]), str(span["label"]))
                for span in spans
            ),
        )


@dataclass(frozen=True, slots=True)
class Caption:
    """A caption with what people said of it, by person; ``at`` is when the last of them did.

    Read from a project, ``said`` is in the order of the letters of adjudication.
    """

    key: int | str
    words: tuple[str, ...]
    said: Mapping[str, Labelling]
    at: datetime | None = None

    def disputed(self) -> tuple[int, ...]:
        """Give the numbers of the words that not all label alike, from 0."""
        every = [labelling.labels for labelling in self.said.values()]
        return tuple(
            number for number, labels in enumerate(zip(*every, strict=True)) if len(set(labels)) > 1
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
    """Give the captions that both people labelled, in their order."""
    return [caption for caption in captions if one in caption.said and other in caption.said]


def pairs_of(captions: Iterable[Caption]) -> dict[tuple[str, str], int]:
    """Count the captions that each pair of people has in common; the pair's names are sorted."""
    counts: dict[tuple[str, str], int] = {}
    for caption in captions:
        people = sorted(caption.said)
        for at, one in enumerate(people):
            for other in people[at + 1 :]:
                counts[one, other] = counts.get((one, other), 0) + 1
    return dict(sorted(counts.items()))


def disputes_of(captions: Iterable[Caption]) -> list[Dispute]:
    """Give the captions on which people differ, the greatest share of disputed words first."""
    found = [Dispute(caption, words) for caption in captions if (words := caption.disputed())]
    return sorted(found, key=lambda dispute: (-dispute.share, -len(dispute.words)))


def where_said(
    captions: Iterable[Caption], one: str, other: str, a: str, b: str
) -> list[tuple[Caption, tuple[int, ...]]]:
    """Give the captions with words that ``one`` calls ``a`` and ``other`` calls ``b``."""
    found = []
    for caption in of_pair(captions, one, other):
        both = zip(caption.said[one].labels, caption.said[other].labels, strict=True)
        words = tuple(number for number, labels in enumerate(both) if labels == (a, b))
        if words:
            found.append((caption, words))
    return found


def labels_shared(caption: Caption, word: int) -> list[tuple[str, str]]:
    """Give each two labels that two different people give a word, once, in the order of A to Z."""
    said = Counter(labelling.labels[word] for labelling in caption.said.values())
    alike = [(label, label) for label, count in said.items() if count > 1]
    return alike + list(combinations(sorted(said), 2))


def where_either_said(
    captions: Iterable[Caption], a: str, b: str
) -> list[tuple[Caption, tuple[int, ...]]]:
    """Give the captions with words that one person calls ``a`` and another ``b``."""
    wanted, found = tuple(sorted((a, b))), []
    for caption in captions:
        words = range(len(caption.words))
        shared = tuple(word for word in words if wanted in labels_shared(caption, word))
        if shared:
            found.append((caption, shared))
    return found


def names_in(captions: Iterable[Caption]) -> set[str]:
    """Give every label that anyone used, "O" included."""
    used = {OUTSIDE}
    for caption in captions:
        for labelling in caption.said.values():
            used.update(labelling.labels)
            used.update(label for _, _, label in labelling.spans)
    return used
