"""Benchmark of metrics: how often one agrees with people about which of two captions is better.

Source: Zhou et al., FENSE, ICASSP 2022: AudioCaps-Eval and Clotho-Eval. An
item is a clip with five references and up to eight pairs of captions: HC (two
human captions of the clip), HI (the second is a human caption of another
clip), HM (the second is a machine's) and MM_1 to MM_5 (two machines').
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, cycle, islice

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.errors import ScoringError
from earmark.judgment_files import FACETS, JudgmentFile, compared_references, read_judgment_file
from earmark.pipeline import Parameters, score
from earmark.registry import FAMILIES, METRICS
from earmark.results import NO_INTERVAL, Interval
from earmark.statistics import Floats, Ints, grouped_share_interval
from earmark.workspace import Workspace

TOTAL = "Total"
FEWEST_REFERENCES = 4
# Why a metric is not among "all": it can be asked for by name.
LEFT_OUT = {name: info.not_judged for name, info in METRICS.items() if info.not_judged}
# What the published numbers of a family were computed with, where that is not its default.
AS_PUBLISHED: Parameters = {
    name: family.judged_with for name, family in FAMILIES.items() if family.judged_with
}

# What the pairs of two machines are called in a file, up to five of an item.
MM_PAIRS = tuple(f"MM_{n}" for n in range(1, 6))


class JudgmentsUnreadable(ScoringError):
    """Judgments that metrics cannot be compared with; the text says what is wrong with them."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"{problem} Give a table, or JSON in the form of AudioCaps-Eval: a list of items, each"
            ' with "references" and pairs such as "HC": [caption, caption, id, id, [votes]].'
        )


@dataclass(frozen=True, slots=True)
class JudgedCaption:
    """A caption and the references that it is scored against."""

    caption: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two captions that people compared; ``truth`` > 0: the first is better, 0: undecided.

    Pairs of the same ``clip`` are not independent of each other.
    """

    facet: str
    first: JudgedCaption
    second: JudgedCaption
    truth: float
    clip: int = 0


@dataclass(frozen=True, slots=True)
class Judgments:
    """All pairs of a benchmark, and the references of its items (for document frequencies)."""

    pairs: tuple[Pair, ...]
    items: References

    @property
    def decidable(self) -> tuple[Pair, ...]:
        """The pairs about which people were not evenly split."""
        return tuple(pair for pair in self.pairs if pair.truth)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Pairs that a metric ordered as people did; a tie is wrong, and so is a missing score.

    ``undecided`` counts the pairs that the metric tied or gave no score. ``interval`` is the 95 %
    interval of ``percent``, which knows that pairs of one clip belong together.
    """

    correct: int
    pairs: int
    undecided: int = 0
    interval: Interval = NO_INTERVAL

    @property
    def wrong(self) -> int:
        """Pairs that were not ordered as people did."""
        return self.pairs - self.correct

    @property
    def percent(self) -> float:
        """Share of correct pairs in per cent; NaN without pairs."""
        return 100 * self.correct / self.pairs if self.pairs else math.nan


@dataclass(frozen=True, slots=True)
class Preferences:
    """What people and metrics prefer in each decided pair, without its captions.

    ``facets``, ``clips`` and ``truth``, each of shape (pairs,), are those of ``Pair``.
    ``differences`` has by metric, shape (pairs,), how much it prefers the first caption: positive
    where that is better, NaN where it says nothing. Metrics of which nothing is known are missing.
    """

    facets: NDArray[np.str_]
    clips: Ints
    truth: Floats
    differences: Mapping[str, Floats]

    @classmethod
    def of(cls, pairs: Sequence[Pair], differences: Mapping[str, Floats]) -> "Preferences":
        """Those of decided pairs."""
        return cls(
            np.array([pair.facet for pair in pairs], np.str_),
            np.array([pair.clip for pair in pairs], np.int64),
            np.array([pair.truth for pair in pairs], np.float64),
            differences,
        )


@dataclass(frozen=True)
class MetricPreferences:
    """By metric how much it prefers the first caption of each decidable pair, shape (pairs,).

    Positive where the first is better, NaN where the metric says nothing; in registry order.
    """

    pairs: tuple[Pair, ...]
    differences: Mapping[str, Floats]
    signatures: Mapping[str, str]
    unavailable: Mapping[str, str]

    @cached_property
    def preferences(self) -> Preferences:
        """The same without captions."""
        return Preferences.of(self.pairs, self.differences)

    @cached_property
    def accuracies(self) -> dict[str, dict[str, Accuracy]]:
        """Per metric the accuracy of each facet and of all pairs."""
        return {name: shares(self.preferences, row) for name, row in self.differences.items()}


def benchmark_metrics(*, unseen: bool = False) -> tuple[str, ...]:
    """List the metrics that "all" stands for: those that can compare two captions.

    ``unseen``: with those learned from AudioCaps-Eval, where the judgments are others.
    """
    return tuple(
        name
        for name, info in METRICS.items()
        if name not in LEFT_OUT or (unseen and info.learned_from_judgments)
    )


def read_judgments(data: bytes) -> Judgments:
    """Read a file of judgments, JSON or a table; raise ``JudgmentsUnreadable``."""
    read = read_judgment_file(data)
    if read.value is None:
        raise JudgmentsUnreadable(str(read.errors[0]))
    return judgments_of(read.value)


def judgments_of(file: JudgmentFile) -> Judgments:
    """The pairs of a file with what their captions are scored against."""
    pairs = (
        judged_pair(
            pair.facet, pair.captions, file.clips[pair.clip].references, pair.truth, pair.clip
        )
        for pair in file.pairs
    )
    return Judgments(tuple(pairs), References(file.clips))


def human_agreement(
    judgments: Judgments,
    metrics: Sequence[str],
    workspace: Workspace,
    parameters: Parameters | None = None,
) -> MetricPreferences:
    """``metric_preferences`` where what ``parameters`` leave open is ``AS_PUBLISHED``."""
    chosen = parameters or {}
    usual = {family: {**named, **chosen.get(family, {})} for family, named in AS_PUBLISHED.items()}
    return metric_preferences(judgments, metrics, workspace, {**chosen, **usual})


def metric_preferences(
    judgments: Judgments, metrics: Sequence[str], workspace: Workspace, parameters: Parameters
) -> MetricPreferences:
    """Score both captions of every decidable pair, with these parameters and no others.

    Every caption with its references is a clip of one corpus, so that a family
    scores all of them at once; document frequencies are counted over the
    items. Raises as ``pipeline.score`` does, and ``JudgmentsUnreadable`` without such a pair.
    """
    pairs = judgments.decidable
    numbers, candidates, references = _corpus(judgments)
    scores = score(candidates, references, metrics, workspace, parameters)
    sides = np.array([(numbers[pair.first], numbers[pair.second]) for pair in pairs])
    return MetricPreferences(
        pairs,
        {
            name: _differences(name, result.per_clip[sides])
            for name, result in scores.results.items()
        },
        {name: result.signature for name, result in scores.results.items()},
        scores.unavailable,
    )


def shares(preferences: Preferences, differences: Floats) -> dict[str, Accuracy]:
    """Count per facet and in total (micro) where the difference has the sign of the truth.

    ``differences``, shape (pairs,), is positive where the first caption is preferred and NaN where
    nothing is said: those of a metric, or of several together. Pairs of one clip alone say nothing
    of other clips, so that their interval is 0 to 100.
    """
    right = differences * preferences.truth > 0
    undecided = ~(np.abs(differences) > 0)
    masks = {name: preferences.facets == name for name in FACETS}
    masks[TOTAL] = np.ones(right.size, np.bool_)
    return {
        name: Accuracy(
            int(right[mask].sum()),
            int(mask.sum()),
            int(undecided[mask].sum()),
            _interval(right[mask].astype(np.float64), preferences.clips[mask]),
        )
        for name, mask in masks.items()
    }


def _interval(right: Floats, clips: Ints) -> Interval:
    """In per cent, to the four decimals that are stored."""
    if not right.size:
        return NO_INTERVAL
    interval = grouped_share_interval(right, clips)
    if math.isnan(interval.low):
        return Interval(0.0, 100.0)
    return Interval(round(100 * interval.low, 4), round(100 * interval.high, 4))


def queries(judgments: Judgments) -> tuple[JudgedCaption, ...]:
    """List what has to be scored, each once, in order of first appearance."""
    both = ((pair.first, pair.second) for pair in judgments.decidable)
    return tuple(dict.fromkeys(chain.from_iterable(both)))


def _corpus(judgments: Judgments) -> tuple[dict[JudgedCaption, int], Candidates, References]:
    """Make a corpus with a clip for every query; raise where no pair is decidable."""
    captions = queries(judgments)
    if not captions:
        raise JudgmentsUnreadable("People preferred neither caption in any pair.")
    references = References.build((str(n), query.references) for n, query in enumerate(captions))
    return (
        {query: n for n, query in enumerate(captions)},
        Candidates.single(query.caption for query in captions),
        References(references.clips, documents=judgments.items),
    )


def _differences(name: str, sides: NDArray[np.float32]) -> Floats:
    sign = 1.0 if METRICS[name].direction == "higher" else -1.0
    wide = sides.astype(np.float64)
    return sign * (wide[:, 0] - wide[:, 1])


def judged_pair(
    facet: str,
    captions: tuple[str, str],
    references: tuple[str, ...],
    truth: float,
    clip: int = 0,
) -> Pair:
    """A pair of a clip with what each caption is scored against, at least four references.

    Raises ``JudgmentsUnreadable`` where nothing is left but the caption itself.
    """
    sides = compared_references(facet, captions, references)
    if not all(sides):
        raise JudgmentsUnreadable("Every reference of a pair is the judged caption itself.")
    first, second = (
        # Up to four references are made of fewer, by repeating them in turn.
        JudgedCaption(caption, tuple(islice(cycle(side), max(len(side), FEWEST_REFERENCES))))
        for caption, side in zip(captions, sides, strict=True)
    )
    return Pair(facet, first, second, truth, clip)
