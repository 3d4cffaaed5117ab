"""The clips on which metrics disagree about which of two systems says it better."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from leaderboard.selectors.analysis.clip_scores import Floats
from leaderboard.selectors.analysis.comparing import Comparison, MetricDifference, gain_of
from leaderboard.selectors.clips.corpus import Corpus
from scoring.registry import MetricInfo

# Below this many typical differences, a metric does not take sides.
NEGLIGIBLE = 0.1


@dataclass(frozen=True, slots=True)
class MetricVote:
    """A metric that favours one side, by ``size`` times its typical difference."""

    info: MetricInfo
    size: float


@dataclass(frozen=True, slots=True)
class DisputedClip:
    """One clip with the metrics that favour each system, the firmest first; ``number`` from 1."""

    number: int
    file_name: str
    captions: tuple[str, str]
    votes: tuple[tuple[MetricVote, ...], tuple[MetricVote, ...]]


def judges_of(comparison: Comparison, wanted: Iterable[str]) -> tuple[MetricDifference, ...]:
    """Choose the metrics that vote: one of each family, of those wanted, else of all.

    Metrics of one family share most of what they look at and would vote as one.
    """
    rows = {row.info.name: row for row in comparison.rows}
    chosen = _one_of_each_family(rows[name] for name in wanted if name in rows)
    return chosen if len(chosen) > 1 else _one_of_each_family(rows.values())


def _one_of_each_family(rows: Iterable[MetricDifference]) -> tuple[MetricDifference, ...]:
    found: dict[str, MetricDifference] = {}
    for row in rows:
        found.setdefault(row.info.family, row)
    return tuple(found.values())


def disputes_of(
    judges: Sequence[MetricDifference], corpora: tuple[Corpus, Corpus], *, most: int = 8
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
            tuple(MetricVote(row.info, size) for row, size in ranked if size > 0),
            tuple(MetricVote(row.info, -size) for row, size in ranked if size < 0),
        ),
    )
