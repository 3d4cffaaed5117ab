"""Formulas of agreement over tables of counts; all take many tables at once.

A table counts words by the label of one person (rows) and of another (columns); any
number of dimensions may stand before these two. What is not defined is NaN.
"""

from collections.abc import Sequence

import numpy as np

from annotation.agreement.captions import Caption, labels_shared
from earmark.statistics import Floats


def _ratio(above: Floats, below: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(below > 0, above / np.where(below > 0, below, 1), np.nan))


def observed(tables: Floats) -> Floats:
    """The share of words that both call the same."""
    return _ratio(np.trace(tables, axis1=-2, axis2=-1), tables.sum(axis=(-2, -1)))


def kappa(tables: Floats) -> Floats:
    """Cohen's kappa: (observed - expected) / (1 - expected) agreement.

    Not defined where there is no word, or where both use one and the same label
    for all words, so that agreement is certain. Source: Cohen (1960).
    """
    words = tables.sum(axis=(-2, -1))
    by_chance = (tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1)
    expected = _ratio(by_chance, words**2)
    # Counts are whole, so that certain agreement is found without rounding.
    certain = by_chance >= words**2
    return _ratio(observed(tables) - expected, np.where(certain, 0.0, 1 - expected))


def without_both(tables: Floats, label: int) -> Floats:
    """Leave out the words that both give this label."""
    left = tables.copy()
    left[..., label, label] = 0
    return left


def without_either(tables: Floats, label: int) -> Floats:
    """Leave out the words that either gives this label."""
    left = without_both(tables, label)
    left[..., label, :] = 0
    left[..., :, label] = 0
    return left


def label_f1(tables: Floats) -> Floats:
    """F1 of every label over words, with either person as the truth (it is the same)."""
    both = np.diagonal(tables, axis1=-2, axis2=-1)
    return _ratio(2 * both, tables.sum(axis=-1) + tables.sum(axis=-2))


def span_f1(counts: Floats) -> Floats:
    """F1 of spans from counts of those that both, one and the other have (last axis)."""
    return _ratio(2 * counts[..., 0], counts[..., 1] + counts[..., 2])


def alpha(tables: Floats) -> Floats:
    """Krippendorff's alpha for nominal data from tables of coincidences.

    Not defined where every label is the same. Source: Krippendorff (2004), 11.3.
    """
    values = tables.sum(axis=-1)
    total = values.sum(axis=-1)
    differ = total - np.trace(tables, axis1=-2, axis2=-1)
    by_chance = total**2 - (values**2).sum(axis=-1)
    return 1 - _ratio((total - 1) * differ, by_chance)


def ordinal_alpha(tables: Floats) -> Floats:
    """Krippendorff's alpha for values in the order of the table's rows.

    Two values are as far apart as there are values between their middles. Not defined where
    every value is the same. Source: Krippendorff (2004), 11.3.
    """
    values = tables.sum(axis=-1)
    total = values.sum(axis=-1)
    middles = values.cumsum(axis=-1) - values / 2
    distances = (middles[..., :, None] - middles[..., None, :]) ** 2
    differ = (tables * distances).sum(axis=(-2, -1))
    by_chance = (values[..., :, None] * values[..., None, :] * distances).sum(axis=(-2, -1))
    return 1 - _ratio((total - 1) * differ, by_chance)


def word_counts(captions: Sequence[Caption], one: str, other: str, names: Sequence[str]) -> Floats:
    """Count words by what ``one`` (rows) and ``other`` (columns) call them, caption by caption."""
    place = {name: number for number, name in enumerate(names)}
    counts = np.zeros((len(captions), len(names), len(names)))
    for number, caption in enumerate(captions):
        both = zip(caption.labellings[one].labels, caption.labellings[other].labels, strict=True)
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


def span_counts(captions: Sequence[Caption], one: str, other: str) -> Floats:
    """Count spans that both have, that ``one`` and that ``other`` has: captions x 3."""
    counts = np.zeros((len(captions), 3))
    for number, caption in enumerate(captions):
        first, second = caption.labellings[one].spans, caption.labellings[other].spans
        counts[number] = len(first & second), len(first), len(second)
    return counts


def coincidences(captions: Sequence[Caption], names: Sequence[str]) -> Floats:
    """Count Krippendorff's coincidences of labels, caption by caption.

    Each word that m people labelled gives every ordered pair of their labels
    1 / (m - 1); words of captions that one person labelled give nothing. Source:
    Krippendorff, Content Analysis (2004), section 11.3.
    """
    place = {name: number for number, name in enumerate(names)}
    counts = np.zeros((len(captions), len(names), len(names)))
    for number, caption in enumerate(captions):
        people = len(caption.labellings)
        if people < 2:
            continue
        votes = np.zeros((len(caption.words), len(names)))
        for labelling in caption.labellings.values():
            votes[np.arange(len(votes)), [place[label] for label in labelling.labels]] += 1
        counts[number] = (votes.T @ votes - np.diag(votes.sum(axis=0))) / (people - 1)
    return counts
