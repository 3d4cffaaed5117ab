"""Two systems side by side: by how much they differ, how surely, and on which clips."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from earmark.registry import MetricInfo
from earmark.statistics import PAIRED_RESAMPLES, PairedDifference, paired_differences
from leaderboard.selectors.analysis.clip_scores import ClipScores, Floats, Tables, tables_of
from leaderboard.selectors.clips.corpus import Corpus
from leaderboard.selectors.visibility.visible_submissions import AnySubmission

# Clips of each list.
LISTED = 8


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """One metric of both systems.

    ``difference`` favours the first system where it is above 0, in the metric's own
    direction. ``winner`` is 0 or 1 where its interval leaves out 0, else None.
    """

    table: ClipScores
    difference: PairedDifference

    @property
    def info(self) -> MetricInfo:
        """The metric."""
        return self.table.info

    @property
    def winner(self) -> int | None:
        """Which system is better beyond chance: 0, 1 or None."""
        return self.difference.winner


@dataclass(frozen=True, slots=True)
class PhaseComparison:
    """All metrics that both systems have."""

    first: AnySubmission
    second: AnySubmission
    tables: Tables
    rows: tuple[MetricDifference, ...]
    resamples: int = PAIRED_RESAMPLES

    def row(self, name: str) -> MetricDifference | None:
        """One metric's row."""
        return next((row for row in self.rows if row.info.name == name), None)

    @property
    def disagree(self) -> bool:
        """Whether some metrics prefer one system beyond chance and some the other."""
        return {0, 1} <= {row.winner for row in self.rows}


def comparison_of(first: AnySubmission, second: AnySubmission) -> PhaseComparison:
    """Compare two systems of one phase by every metric that both have."""
    tables = tables_of([first, second])
    if not tables.metrics:
        return PhaseComparison(first, second, tables, ())
    values = np.stack([table.values for table in tables.metrics], axis=2)
    higher = [table.higher_is_better for table in tables.metrics]
    differences = paired_differences(values[:, 0], values[:, 1], higher)
    rows = map(MetricDifference, tables.metrics, differences)
    return PhaseComparison(first, second, tables, tuple(rows))


def gain_of(table: ClipScores) -> Floats:
    """How much better the first system is on each clip, shape (clips,); NaN without a value."""
    gain = table.values[:, 0] - table.values[:, 1]
    return gain if table.higher_is_better else -gain


def widest_gaps(
    row: MetricDifference, corpora: tuple[Corpus, Corpus], *, best: int
) -> list[dict[str, Any]]:
    """List the clips on which system ``best`` (0 or 1) is ahead by most, widest first."""
    gain = gain_of(row.table)
    ahead = gain if best == 0 else -gain
    ahead = np.where(np.isnan(ahead), -np.inf, ahead)
    order = np.argsort(-ahead, kind="stable")[:LISTED]
    return [
        {
            "number": at + 1,
            "file_name": corpora[0].file_names[at],
            "captions": (corpora[0].captions[at], corpora[1].captions[at]),
            "values": row.table.values[at].tolist(),
        }
        for at in order.tolist()
        if ahead[at] > 0
    ]


# Below this many typical differences, a metric does not take sides.
NEGLIGIBLE = 0.1


# A metric that favours one side, by so many times its typical difference.
MetricVote = tuple[MetricInfo, float]


@dataclass(frozen=True, slots=True)
class DisputedClip:
    """One clip with the metrics that favour each system, the firmest first; ``number`` from 1."""

    number: int
    file_name: str
    captions: tuple[str, str]
    votes: tuple[tuple[MetricVote, ...], tuple[MetricVote, ...]]


def judges_of(comparison: PhaseComparison, wanted: Iterable[str]) -> tuple[MetricDifference, ...]:
    """Choose the metrics that vote: one of each family, of those wanted, else of all.

    Metrics of one family share most of what they look at and would vote as one.
    """
    rows = {row.info.name: row for row in comparison.rows}
    chosen = _one_of_each_family(rows[name] for name in wanted if name in rows)
    return chosen if len(chosen) > 1 else _one_of_each_family(rows.values())


def _one_of_each_family(rows: Iterable[MetricDifference]) -> tuple[MetricDifference, ...]:
    by_family: dict[str, MetricDifference] = {}
    for row in rows:
        by_family.setdefault(row.info.family, row)
    return tuple(by_family.values())


def disputes_of(
    judges: Sequence[MetricDifference], corpora: tuple[Corpus, Corpus], *, most: int = LISTED
) -> tuple[DisputedClip, ...]:
    """List the clips over which these metrics are most at odds, the worst first.

    Every metric's differences are divided by their root mean square over the
    clips. What the metrics of the weaker side add up to is how much they are at
    odds: large only where both sides are, and as large as can be where they are even.
    """
    if len(judges) < 2:
        return ()
    sizes = np.stack([_in_typical_differences(gain_of(row.table)) for row in judges])
    sizes[np.abs(sizes) < NEGLIGIBLE] = 0
    odds = np.minimum(np.maximum(sizes, 0).sum(axis=0), np.maximum(-sizes, 0).sum(axis=0))
    order = np.argsort(-odds, kind="stable")[:most]
    return tuple(_dispute(judges, sizes[:, at], corpora, int(at)) for at in order if odds[at] > 0)


def _in_typical_differences(gain: Floats) -> Floats:
    """Divide by the root mean square; clips without a value count as no difference."""
    known = np.where(np.isnan(gain), 0, gain)
    counted = max(1, int(np.count_nonzero(~np.isnan(gain))))
    typical = float(np.sqrt((known**2).sum() / counted))
    return known / typical if typical > 0 else np.zeros_like(known)


def _dispute(
    judges: Sequence[MetricDifference], sizes: Floats, corpora: tuple[Corpus, Corpus], at: int
) -> DisputedClip:
    ranked = sorted(zip(judges, sizes.tolist(), strict=True), key=lambda pair: -abs(pair[1]))
    return DisputedClip(
        number=at + 1,
        file_name=corpora[0].file_names[at],
        captions=(corpora[0].captions[at], corpora[1].captions[at]),
        votes=(
            tuple((row.info, size) for row, size in ranked if size > 0),
            tuple((row.info, -size) for row, size in ranked if size < 0),
        ),
    )
