"""Counts per caption, of which every measure is made; sums of them are all that resampling needs.

Shapes: captions x labels x labels, in the order of ``names``.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from annotation.agreement.captions import Caption, labels_shared

Counts = NDArray[np.float64]


def word_counts(captions: Sequence[Caption], one: str, other: str, names: Sequence[str]) -> Counts:
    """Count words by what ``one`` (rows) and ``other`` (columns) call them, caption by caption."""
    place = {name: number for number, name in enumerate(names)}
    counts = np.zeros((len(captions), len(names), len(names)))
    for number, caption in enumerate(captions):
        both = zip(caption.said[one].labels, caption.said[other].labels, strict=True)
        for a, b in both:
            counts[number, place[a], place[b]] += 1
    return counts


def either_counts(captions: Sequence[Caption], names: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Count the words that one person calls this and another that, whoever they are.

    The same in rows and columns; a word counts once in a cell however many say so.
    """
    place = {name: number for number, name in enumerate(names)}
    counts = np.zeros((len(names), len(names)), dtype=int)
    for caption in captions:
        for word in range(len(caption.words)):
            for a, b in labels_shared(caption, word):
                counts[place[a], place[b]] += 1
                if a != b:
                    counts[place[b], place[a]] += 1
    return tuple(tuple(int(count) for count in row) for row in counts)


def span_counts(captions: Sequence[Caption], one: str, other: str) -> Counts:
    """Count spans that both have, that ``one`` and that ``other`` has: captions x 3."""
    counts = np.zeros((len(captions), 3))
    for number, caption in enumerate(captions):
        first, second = caption.said[one].spans, caption.said[other].spans
        counts[number] = len(first & second), len(first), len(second)
    return counts


def coincidences(captions: Sequence[Caption], names: Sequence[str]) -> Counts:
    """Count Krippendorff's coincidences of labels, caption by caption.

    Each word that m people labelled gives every ordered pair of their labels
    1 / (m - 1); words of captions that one person labelled give nothing. Source:
    Krippendorff, Content Analysis (2004), section 11.3.
    """
    place = {name: number for number, name in enumerate(names)}
    counts = np.zeros((len(captions), len(names), len(names)))
    for number, caption in enumerate(captions):
        people = len(caption.said)
        if people < 2:
            continue
        votes = np.zeros((len(caption.words), len(names)))
        for labelling in caption.said.values():
            votes[np.arange(len(votes)), [place[label] for label in labelling.labels]] += 1
        counts[number] = (votes.T @ votes - np.diag(votes.sum(axis=0))) / (people - 1)
    return counts
