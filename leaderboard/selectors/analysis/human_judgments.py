"""How often metrics agree with people, in per cent, and which pairs they get wrong.

People are those of AudioCaps-Eval, the judges of a phase, or of a file of one's own.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from earmark.benchmark import LEFT_OUT, TOTAL, Accuracy, JudgedCaption, Preferences
from earmark.benchmark_results import (
    KINDS,
    BenchmarkedMetric,
    PublishedResult,
    accuracy_from_row,
    differences_from_kept,
    measured,
    published_result,
    validated,
)
from earmark.judgment_files import FACETS, compared_references
from earmark.metric_labels import signed_metric
from earmark.registry import METRICS, MetricInfo
from leaderboard.models import JudgmentSet
from leaderboard.selectors.clips.corpus import references_of
from leaderboard.selectors.ranking.interval_scale import Scale
from leaderboard.web.csv_cells import csv_line, csv_text

# What is compared in a pair, in the order in which kinds are offered.
KIND_TITLES = {
    TOTAL: "All pairs",
    "HC": "Two human captions (HC)",
    "HI": "Human, and human of another clip (HI)",
    "HM": "Human and machine (HM)",
    "MM": "Two machine captions (MM)",
}


@dataclass(frozen=True, slots=True)
class Share:
    """An accuracy in per cent with its interval, and what was published beside it."""

    kind: str
    counts: Accuracy
    value: float
    low: float
    high: float
    published: float | None


@dataclass(frozen=True, slots=True)
class MetricShares:
    """A metric with its share on every kind of pair, in the order of ``KINDS``.

    ``validated``: it was learned from these pairs, and each was ordered by weights that saw no
    pair of its clip.
    """

    info: MetricInfo
    signature: str
    shares: tuple[Share, ...]
    validated: bool = False

    def of(self, kind: str) -> Share:
        """The share on one kind of pair."""
        return self.shares[KINDS.index(kind)]

    @property
    def titled(self) -> list[tuple[str, Share]]:
        """List the shares with what their pairs are called, all pairs first."""
        return [(title, self.of(kind)) for kind, title in KIND_TITLES.items()]


def left_out() -> dict[str, str]:
    """Why metrics were not measured, by name."""
    return {name: why for name, why in LEFT_OUT.items() if name != validated().name}


def registry_shares() -> list[MetricShares]:
    """List the metrics that were measured, in the order used everywhere."""
    order = list(METRICS)
    rows = [shares_of(row, published_result(row.name)) for row in measured().metrics.values()]
    rows.append(shares_of(validated(), validated=True))
    return sorted(rows, key=lambda row: order.index(row.info.name))


def shares_of(
    row: BenchmarkedMetric, published: PublishedResult | None = None, *, validated: bool = False
) -> MetricShares:
    """A metric's shares, beside those of AudioCaps-Eval that others published."""
    beside = published.audiocaps if published else {}
    shares = (
        Share(kind, one, one.percent, one.interval.low, one.interval.high, beside.get(kind))
        for kind in KINDS
        for one in [row.accuracies[kind]]
    )
    info = signed_metric(row.name, row.signature)
    return MetricShares(info, row.signature, tuple(shares), validated)


def shares_scale(rows: Iterable[MetricShares], kind: str) -> Scale:
    """The scale that holds the intervals of all rows, in whole tens."""
    shares = [row.of(kind) for row in rows]
    low = min(share.low for share in shares) // 10 * 10
    high = -(-max(share.high for share in shares) // 10) * 10
    return Scale(low, high)


@dataclass(frozen=True, slots=True)
class JudgedMetrics:
    """What was measured: ``decided`` of ``pairs`` are those on which judges are not split.

    ``kinds`` are the kinds of pairs that there are, all of them together first.
    """

    pairs: int
    decided: int
    judges: int
    votes: int
    sha256: str
    kinds: tuple[str, ...]
    rows: tuple[MetricShares, ...]
    unavailable: Mapping[str, str]

    def ranked(self, kind: str) -> list[MetricShares]:
        """The metrics, the one that agrees most on this kind of pair first."""
        return sorted(self.rows, key=lambda row: -row.of(kind).value)


def judged_metrics(judgments: JudgmentSet) -> JudgedMetrics | None:
    """Read the stored results; None before there are any.

    Metrics that are gone, or that the phase does not compute any more, are left out.
    """
    stored: dict[str, Any] = judgments.results
    if not stored:
        return None
    computed = _computed(judgments)
    rows = tuple(
        shares_of(
            BenchmarkedMetric(
                row["name"],
                row["signature"],
                {kind: accuracy_from_row(row["shares"][kind]) for kind in KINDS},
            )
        )
        for row in stored["metrics"]
        if row["name"] in computed
    )
    first = {share.kind: share.counts.pairs for share in rows[0].shares} if rows else {}
    return JudgedMetrics(
        pairs=stored["pairs"],
        decided=stored["decided"],
        judges=stored["judges"],
        votes=stored["votes"],
        sha256=stored["sha256"],
        kinds=(TOTAL, *(facet for facet in FACETS if first.get(facet))),
        rows=rows,
        unavailable={name: why for name, why in stored["unavailable"].items() if name in computed},
    )


def judged_preferences(judgments: JudgmentSet) -> Preferences:
    """What judges and metrics prefer in each decided pair, for metrics that the phase computes.

    Without any metric where the results are of other judgments than those that are there now, or
    from before differences were kept.
    """
    computed = _computed(judgments)
    decided = [row for row in judgments.pairs if row["truth"]]
    stored = judgments.results if judgments.results.get("sha256") == judgments.sha256 else {}
    return Preferences(
        np.array([row["facet"] for row in decided], np.str_),
        np.array([row["clip"] for row in decided], np.int64),
        np.array([row["truth"] for row in decided], np.float64),
        {
            row["name"]: differences_from_kept(row["differences"])
            for row in stored.get("metrics", ())
            if "differences" in row and row["name"] in computed
        },
    )


def _computed(judgments: JudgmentSet) -> Mapping[str, MetricInfo]:
    """The metrics that are there: of a phase those that it computes."""
    return METRICS if judgments.phase is None else judgments.phase.computed


COLUMNS = (
    *("clip", "kind", "caption_people_prefer", "other_caption", "votes_for", "votes_against"),
    *("alike", "prefers_other_by", "in_spreads"),
)


@dataclass(frozen=True, slots=True)
class WrongPair:
    """A pair that a metric ties, gives no score or orders the other way.

    ``better`` is the caption that people prefer, each with the references that it is scored
    against. ``difference``, 0 or more, is by how much the metric prefers the other, ``spreads`` the
    same in units of its spread; None without a score. ``votes`` tells how many people prefer the
    better caption, the other one, and neither; None where only their sum is kept.
    """

    clip: str
    facet: str
    better: JudgedCaption
    worse: JudgedCaption
    votes: Mapping[str, int] | None
    difference: float | None
    spreads: float | None


@dataclass(frozen=True, slots=True)
class WrongPairs:
    """The wrong pairs of a metric, the worst first; ``decided`` counts all that people decided.

    ``spread`` is the root mean square of the metric's differences over all decided pairs.
    ``kinds`` has the number of wrong pairs by kind, all of them first.
    """

    pairs: Sequence[WrongPair]
    decided: int
    spread: float
    kinds: Mapping[str, int]

    def of(self, kind: str) -> list[WrongPair]:
        """The pairs of one kind."""
        return [pair for pair in self.pairs if kind in {TOTAL, pair.facet}]


def wrong_pairs(judgments: JudgmentSet, metric: str) -> WrongPairs | None:
    """Read the pairs that a metric gets wrong.

    None where it is not known: the metric was not measured, judgments came anew meanwhile, or
    results are from before differences were kept. All of it may reveal references.
    """
    kept = judged_preferences(judgments)
    differences = kept.differences.get(metric)
    if differences is None:
        return None
    # Positive where the metric prefers the caption that people do.
    right = differences * np.sign(kept.truth)
    finite = right[np.isfinite(right)]
    spread = math.sqrt(float(np.mean(finite**2))) if finite.size else 0.0
    order = np.argsort(np.where(np.isnan(right), np.inf, right), kind="stable")
    decided = [row for row in judgments.pairs if row["truth"]]
    clips = _clips(judgments)
    pairs = [
        _pair(decided[at], clips, float(right[at]), spread) for at in order if not right[at] > 0
    ]
    counts = dict.fromkeys((TOTAL, *sorted({pair.facet for pair in pairs})), 0)
    for pair in pairs:
        counts[TOTAL] += 1
        counts[pair.facet] += 1
    return WrongPairs(pairs, len(decided), spread, counts)


def _clips(judgments: JudgmentSet) -> list[tuple[str, tuple[str, ...]]]:
    if judgments.phase is None:
        return [(clip["name"], tuple(clip["references"])) for clip in judgments.clips]
    stored = judgments.phase.reference_set
    if stored is None:
        return []
    return [(clip.file_name, clip.references) for clip in references_of(stored.content_hash).clips]


def _pair(
    row: Mapping[str, Any],
    clips: Sequence[tuple[str, tuple[str, ...]]],
    right: float,
    spread: float,
) -> WrongPair:
    # References may have been replaced since.
    name, references = clips[row["clip"]] if row["clip"] < len(clips) else ("", ())
    captions = (row["captions"][0], row["captions"][1])
    against = compared_references(row["facet"], captions, references)
    first, second = map(JudgedCaption, captions, against)
    better, worse = (first, second) if row["truth"] > 0 else (second, first)
    difference = None if math.isnan(right) else abs(right)
    return WrongPair(
        name,
        row["facet"],
        better,
        worse,
        _counts(row["votes"], row["truth"]) if "votes" in row else None,
        difference,
        None if difference is None else difference / spread if spread else 0.0,
    )


def _counts(votes: Iterable[float], truth: float) -> dict[str, int]:
    signs = [vote * truth for vote in votes]
    better, worse = sum(sign > 0 for sign in signs), sum(sign < 0 for sign in signs)
    return {"better": better, "worse": worse, "alike": signs.count(0)}


def wrong_pairs_lines(pairs: Iterable[WrongPair]) -> Iterator[str]:
    """Write a line of CSV for each pair, after their header."""
    yield csv_line(COLUMNS)
    for pair in pairs:
        counts = ("", "", "") if pair.votes is None else pair.votes.values()
        texts = (pair.clip, pair.facet, pair.better.caption, pair.worse.caption)
        yield csv_line([*map(csv_text, texts), *counts, _six(pair.difference), _six(pair.spreads)])


def _six(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
