"""Counting the descriptors of captions: pure functions on labelled captions."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from earmark.models.descriptors import spans_of

Measure = Literal["captions", "words", "spans"]
MEASURES: dict[Measure, str] = {
    "captions": "Captions with the descriptor",
    "words": "Words",
    "spans": "Spans",
}
MOST_EXAMPLES = 3

# A caption's number of words, and of each span its label, text and number of words.
LabelledCaption: TypeAlias = tuple[int, tuple[tuple[str, str, int], ...]]


@dataclass(frozen=True, slots=True)
class TextCount:
    """One text of spans with a label: how many spans, and clips (from 1) that have it."""

    text: str
    spans: int
    clips: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DescriptorCount:
    """One label over a set of captions; ``texts`` by text, the most frequent first."""

    captions: int
    words: int
    spans: int
    texts: Mapping[str, TextCount]

    def of(self, measure: Measure) -> int:
        """One of the three counts."""
        return {"captions": self.captions, "words": self.words, "spans": self.spans}[measure]

    def top(self, number: int) -> list[TextCount]:
        """The most frequent texts."""
        return list(self.texts.values())[:number]


NONE = DescriptorCount(0, 0, 0, {})


@dataclass(frozen=True, slots=True, eq=False)
class ClipCounts:
    """The same counts clip by clip, shape (clips, measures) in the order of ``MEASURES``.

    ``labels`` are those of each label that occurs, ``wholes`` what they are shares of.
    Equal to itself alone, so that what is computed of it can be kept for it.
    """

    wholes: NDArray[np.int32]
    labels: Mapping[str, NDArray[np.int32]]


@dataclass(frozen=True, slots=True)
class WordCounts:
    """A set of captions: how many captions, words and spans, and each label that occurs.

    ``clips`` has the counts clip by clip, from which the others follow.
    """

    captions: int
    words: int
    spans: int
    labels: Mapping[str, DescriptorCount]
    clips: ClipCounts = field(compare=False, repr=False)

    def total(self, measure: Measure) -> int:
        """The total of which the counts of a measure are shares."""
        return {"captions": self.captions, "words": self.words, "spans": self.spans}[measure]

    def label(self, name: str) -> DescriptorCount:
        """A label's counts, zeros where no caption has it."""
        return self.labels.get(name, NONE)

    def share(self, name: str, measure: Measure) -> float | None:
        """A label's share of all captions, words or spans, 0 to 1; None over none."""
        total = self.total(measure)
        return self.label(name).of(measure) / total if total else None


def labelled_caption(words: Iterable[Mapping[str, Any]]) -> LabelledCaption:
    """Join labelled words, as ACES's details have them, to spans; words outside are counted."""
    rows = [(str(word["text"]), str(word["label"])) for word in words]
    spans = spans_of([text for text, _ in rows], [label for _, label in rows])
    return len(rows), tuple((one.label, one.text, one.last - one.first + 1) for one in spans)


def slim_captions(clip: Any) -> LabelledCaption:
    """Keep of ACES's details what is counted of the caption."""
    return labelled_caption(clip["words"])


def slim_references(clip: Any) -> tuple[LabelledCaption, ...]:
    """Keep what is counted of each reference."""
    return tuple(map(labelled_caption, clip["references"]))


def clip_counts_of(captions: Sequence[tuple[int, LabelledCaption]]) -> ClipCounts:
    """Count labelled captions clip by clip; each comes with the number of its clip, from 1."""
    clips = max((number for number, _ in captions), default=0)

    def zeros() -> list[list[int]]:
        return [[0] * len(MEASURES) for _ in range(clips)]

    wholes = zeros()
    labels: defaultdict[str, list[list[int]]] = defaultdict(zeros)
    for number, (length, spans) in captions:
        whole = wholes[number - 1]
        whole[:] = whole[0] + 1, whole[1] + length, whole[2] + len(spans)
        for label in {label for label, _, _ in spans}:
            labels[label][number - 1][0] += 1
        for label, _, size in spans:
            row = labels[label][number - 1]
            row[1:] = row[1] + size, row[2] + 1
    return ClipCounts(_table(wholes), {name: _table(rows) for name, rows in labels.items()})


def _table(rows: list[list[int]]) -> NDArray[np.int32]:
    return np.array(rows, np.int32).reshape(-1, len(MEASURES))


def counts_of(numbered: Iterable[tuple[int, LabelledCaption]]) -> WordCounts:
    """Count labelled captions; each comes with the number of its clip, from 1."""
    captions = list(numbered)
    texts: dict[str, Counter[str]] = {}
    where: dict[tuple[str, str], list[int]] = {}
    for number, (_, spans_found) in captions:
        for label, text, _ in spans_found:
            texts.setdefault(label, Counter())[text] += 1
            clips = where.setdefault((label, text), [])
            if number not in clips and len(clips) < MOST_EXAMPLES:
                clips.append(number)
    counts = clip_counts_of(captions)
    labels = {}
    for label, counted in sorted(texts.items()):
        having, words, spans = counts.labels[label].sum(axis=0).tolist()
        ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
        tally = {text: TextCount(text, count, tuple(where[label, text])) for text, count in ordered}
        labels[label] = DescriptorCount(having, words, spans, tally)
    total, words, spans = counts.wholes.sum(axis=0).tolist()
    return WordCounts(total, words, spans, labels, counts)
