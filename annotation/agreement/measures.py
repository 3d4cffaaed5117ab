"""The measures of agreement: definitions, values with bootstrap intervals, change over time."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

import numpy as np

from annotation.agreement.captions import Caption, of_pair
from annotation.agreement.tables import (
    alpha,
    coincidences,
    kappa,
    label_f1,
    observed,
    ordinal_alpha,
    span_counts,
    span_f1,
    without_both,
    without_either,
    word_counts,
)
from annotation.spans import OUTSIDE
from earmark.statistics import Floats, resample_weights

RESAMPLES = 2000
SEED = 20260301
_MIDDLE = (2.5, 97.5)
# Where more of the resamples than this have no value, an interval would speak for few of them.
_MOST_UNDEFINED = 0.05


def draws(captions: int, *, resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    """How often each caption is drawn in each resample: resamples x captions.

    Of no captions nothing is drawn: 0 x 0.
    """
    if not captions:
        return np.zeros((0, 0))
    weights = np.empty((resamples, captions))
    start = 0
    for rows in resample_weights(captions, resamples=resamples, seed=seed):
        weights[start : start + len(rows)] = rows
        start += len(rows)
    return weights


def totals(counts: Floats, weights: Floats) -> Floats:
    """Sum counts (captions first) as often as each caption was drawn, resample by resample."""
    return np.asarray(np.tensordot(weights, counts, axes=1))


def intervals(values: Floats) -> tuple[Floats, Floats]:
    """Bounds of the middle 95 % of resamples (first axis), NaN where too few have any."""
    unknown = np.isnan(values).mean(axis=0) > _MOST_UNDEFINED
    low, high = np.nanpercentile(np.where(unknown, 0.0, values), _MIDDLE, axis=0)
    return np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval over ``n`` words, spans or labels; None: not defined."""

    value: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Definition:
    """What a measure is. ``unit`` is what it counts."""

    name: str
    title: str
    unit: str
    text: str


KAPPA = Definition(
    "kappa",
    "Cohen's kappa",
    "words",
    "Agreement on the label of a word beyond chance, “no label” being one of the labels; "
    "all words of all captions in one table. 1 is full agreement, 0 is chance.",
)
KAPPA_EITHER = Definition(
    "kappa_either",
    "Cohen's kappa, words that either labels",
    "words",
    "The same without the words that both leave without a label.",
)
KAPPA_BOTH = Definition(
    "kappa_both",
    "Cohen's kappa, words that both label",
    "words",
    "The same on the words that both label: do they choose the same one?",
)
OBSERVED = Definition(
    "observed",
    "Observed agreement",
    "words",
    "Share of the words that both label alike or both leave without a label; chance included.",
)
SPAN_F1 = Definition(
    "span_f1",
    "F1 of exact spans",
    "spans",
    "Twice the spans that both drew, divided by the sum of the spans of each. Spans are the same "
    "if their first word, last word and label are.",
)
ALPHA = Definition(
    "alpha",
    "Krippendorff's alpha",
    "words",
    "Agreement beyond chance for any number of people, some of whom may be missing; nominal "
    "labels, “no label” being one of them. Of all people together, not only of this pair.",
)
LABEL_F1 = Definition(
    "label_f1",
    "F1 of the label",
    "words",
    "Twice the words that both give this label, divided by the sum of the words that each does.",
)
OF_PAIR = (KAPPA, KAPPA_EITHER, KAPPA_BOTH, OBSERVED, SPAN_F1)


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """How two people agree on one label: words that each gives it, and that both do."""

    name: str
    one: int
    other: int
    both: int
    f1: Estimate


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How two people agree. ``table``: words by labels of one (rows) and the other (columns)."""

    one: str
    other: str
    captions: int
    names: tuple[str, ...]
    measures: dict[str, Estimate]
    labels: tuple[LabelAgreement, ...]
    table: tuple[tuple[int, ...], ...]

    @property
    def kappa(self) -> Estimate:
        """The headline."""
        return self.measures[KAPPA.name]


def pair_agreement(
    captions: Sequence[Caption],
    one: str,
    other: str,
    names: Sequence[str],
    *,
    resamples: int = RESAMPLES,
) -> PairAgreement:
    """Measure how two people agree on the captions that both labelled.

    ``names`` are the labels in order; "O" must be among them. Raises
    ``KeyError`` for a label that is not.
    """
    shared = of_pair(captions, one, other)
    words, spans = word_counts(shared, one, other, names), span_counts(shared, one, other)
    weights = draws(len(shared), resamples=resamples)
    drawn = totals(words, weights), totals(spans, weights)
    whole = words.sum(axis=0), spans.sum(axis=0)
    table = whole[0]
    return PairAgreement(
        one=one,
        other=other,
        captions=len(shared),
        names=tuple(names),
        measures=_measures(whole, drawn, list(names).index(OUTSIDE)),
        labels=_labels(table, drawn[0], names),
        table=tuple(tuple(int(count) for count in row) for row in table),
    )


def _measures(
    whole: tuple[Floats, Floats], drawn: tuple[Floats, Floats], outside: int
) -> dict[str, Estimate]:
    either = without_both(whole[0], outside)
    both = without_either(whole[0], outside)
    either_drawn = without_both(drawn[0], outside)
    both_drawn = without_either(drawn[0], outside)
    return {
        KAPPA.name: _estimate(kappa, whole[0], drawn[0], whole[0].sum()),
        KAPPA_EITHER.name: _estimate(kappa, either, either_drawn, either.sum()),
        KAPPA_BOTH.name: _estimate(kappa, both, both_drawn, both.sum()),
        OBSERVED.name: _estimate(observed, whole[0], drawn[0], whole[0].sum()),
        SPAN_F1.name: _estimate(span_f1, whole[1], drawn[1], whole[1][1:].sum()),
    }


def _labels(table: Floats, drawn: Floats, names: Sequence[str]) -> tuple[LabelAgreement, ...]:
    values = label_f1(table)
    low, high = intervals(label_f1(drawn)) if len(drawn) else (values * np.nan, values * np.nan)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    return tuple(
        LabelAgreement(
            name=name,
            one=int(rows[at]),
            other=int(columns[at]),
            both=int(table[at, at]),
            f1=Estimate(
                known(values[at]), known(low[at]), known(high[at]), int(rows[at] + columns[at])
            ),
        )
        for at, name in enumerate(names)
    )


def pair_kappa(captions: Sequence[Caption], one: str, other: str, names: Sequence[str]) -> Estimate:
    """Cohen's kappa of two people alone, which is quicker than ``pair_agreement``."""
    words = word_counts(of_pair(captions, one, other), one, other, names)
    return estimated(kappa, words, words.sum())


def alpha_of_all(
    captions: Sequence[Caption], names: Sequence[str], *, resamples: int = RESAMPLES
) -> Estimate:
    """Krippendorff's alpha of everyone who labelled, with its interval.

    ``n`` counts the words that two people or more labelled.
    """
    several = [caption for caption in captions if len(caption.labellings) > 1]
    n = sum(len(caption.words) for caption in several)
    return estimated(alpha, coincidences(several, names), n, resamples=resamples)


def estimated(
    measure: Callable[[Floats], Floats], counts: Floats, n: float, *, resamples: int = RESAMPLES
) -> Estimate:
    """Measure counts (what is drawn first), with the interval over what is drawn."""
    drawn = totals(counts, draws(len(counts), resamples=resamples))
    return _estimate(measure, counts.sum(axis=0), drawn, n)


def estimated_by_clip(
    measure: Callable[[Floats], Floats], counts: Floats, n: int, *, resamples: int = RESAMPLES
) -> Estimate:
    """The same over clips; one alone tells nothing of how far others would differ."""
    estimate = estimated(measure, counts, n, resamples=resamples)
    return estimate if len(counts) > 1 else replace(estimate, low=None, high=None)


def _estimate(
    measure: Callable[[Floats], Floats], whole: Floats, drawn: Floats, n: float
) -> Estimate:
    value = known(measure(whole))
    if value is None or not len(drawn):
        return Estimate(value, None, None, int(n))
    low, high = intervals(measure(drawn))
    return Estimate(value, known(low), known(high), int(n))


def known(value: float | np.floating | Floats) -> float | None:
    """The value as a plain number, None where it is not finite."""
    number = float(value)
    return number if math.isfinite(number) else None


# Cohen's kappa as reported for pairs of people, by number of labels ("none" included).
LITERATURE = {13: (".794",), 10: (".808", ".836", ".839")}


STEP = 50


@dataclass(frozen=True, slots=True)
class Stretch:
    """Captions ``first`` to ``last`` (from 1) in the order of time, and how people agreed."""

    first: int
    last: int
    until: datetime | None
    agreement: Estimate


def trend_of(
    captions: Sequence[Caption],
    names: Sequence[str],
    *,
    pair: tuple[str, str] | None,
    step: int = STEP,
) -> list[Stretch]:
    """Agreement for every ``step`` captions, in the order in which they were finished.

    Kappa of the ``pair``, alpha of all where there is none. A rest of less than
    half a step joins the stretch before it, so that no point rests on a few.
    """
    timed = sorted(captions, key=lambda caption: (caption.at is None, caption.at, str(caption.key)))

    def measured(part: Sequence[Caption]) -> Estimate:
        return pair_kappa(part, *pair, names) if pair else alpha_of_all(part, names)

    starts = list(range(0, len(timed), step))
    if len(starts) > 1 and len(timed) - starts[-1] < step / 2:
        starts.pop()
    stretches = []
    for first, last in pairwise([*starts, len(timed)]):
        part = timed[first:last]
        stretches.append(Stretch(first + 1, last, part[-1].at, measured(part)))
    return stretches


def ratings_alpha(
    clips: Sequence[Sequence[Sequence[int]]], *, lowest: int, highest: int, resamples: int = 1000
) -> Estimate:
    """Krippendorff's ordinal alpha of ratings, with its interval over clips.

    Each clip has units that were rated, each with the whole numbers that it got, from ``lowest``
    to ``highest``; ``n`` counts the units that two people or more rated. None where nobody could
    have disagreed. Source: Krippendorff, Content Analysis (2004), 11.3, with the ordinal
    difference.
    """
    several = [units for clip in clips if (units := [unit for unit in clip if len(unit) > 1])]
    n = sum(map(len, several))
    if not n:
        return Estimate(None, None, None, 0)
    counts = _rated_together(several, lowest, highest)
    return estimated_by_clip(ordinal_alpha, counts, n, resamples=resamples)


def _rated_together(clips: Sequence[Sequence[Sequence[int]]], lowest: int, highest: int) -> Floats:
    """By clip every ordered pair of ratings of each unit, 1 / (m - 1) each for m ratings."""
    units = [unit for clip in clips for unit in clip]
    sizes = np.array([len(unit) for unit in units])
    numbers = np.concatenate([np.array(unit) for unit in units]) - lowest
    votes = np.zeros((len(units), highest - lowest + 1))
    np.add.at(votes, (np.repeat(np.arange(len(units)), sizes), numbers), 1)
    pairs = votes[:, :, None] * votes[:, None, :] - votes[:, :, None] * np.eye(votes.shape[1])
    counts = np.zeros((len(clips), *pairs.shape[1:]))
    whose = np.repeat(np.arange(len(clips)), [len(clip) for clip in clips])
    np.add.at(counts, whose, pairs / (sizes - 1)[:, None, None])
    return counts
