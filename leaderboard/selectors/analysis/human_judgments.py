"""How often metrics agree with people, as pages and API give it: in per cent, ranked and drawn."""

from collections.abc import Iterable
from dataclasses import dataclass

from leaderboard.selectors.ranking.interval_scale import Scale
from scoring.benchmark import LEFT_OUT, TOTAL, Accuracy
from scoring.benchmark_results import (
    KINDS,
    BenchmarkedMetric,
    PublishedResult,
    measured,
    published_result,
    published_results,
    validated,
)
from scoring.metric_labels import signed_metric
from scoring.registry import METRICS, MetricInfo

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
    published: float | None

    @property
    def value(self) -> float:
        """Per cent of pairs ordered as people did."""
        return self.counts.percent

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.counts.interval.low

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval."""
        return self.counts.interval.high


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


def metric_shares(name: str) -> MetricShares | None:
    """One metric's shares; None where people's pairs say nothing of it."""
    return next((row for row in registry_shares() if row.info.name == name), None)


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
    shares = (Share(kind, row.accuracies[kind], beside.get(kind)) for kind in KINDS)
    info = signed_metric(row.name, row.signature)
    return MetricShares(info, row.signature, tuple(shares), validated)


def ranked_shares(kind: str) -> list[MetricShares]:
    """List the metrics, the one that agrees most on this kind of pair first."""
    return sorted(registry_shares(), key=lambda row: -row.of(kind).value)


def people_share(kind: str) -> float | None:
    """How often one person agrees with the other three, as published."""
    row = published_result("")
    return None if row is None else row.audiocaps.get(kind)


@dataclass(frozen=True, slots=True)
class PublishedShares:
    """A row of a paper in per cent, in the order of ``KINDS``; None where it gives no number.

    ``info`` is None for what is no metric.
    """

    info: MetricInfo | None
    made_with: str
    source: str
    audiocaps: tuple[float | None, ...]
    clotho: tuple[float | None, ...]


def published_shares() -> list[PublishedShares]:
    """List what others published, in registry order, people last."""
    return [
        PublishedShares(
            METRICS.get(row.metric),
            row.made_with,
            row.source,
            tuple(map(row.audiocaps.get, KINDS)),
            tuple(map(row.clotho.get, KINDS)),
        )
        for row in published_results()
    ]


def shares_scale(rows: Iterable[MetricShares], kind: str) -> Scale:
    """The scale that holds the intervals of all rows, in whole tens."""
    shares = [row.of(kind) for row in rows]
    low = min(share.low for share in shares) // 10 * 10
    high = -(-max(share.high for share in shares) // 10) * 10
    return Scale(low, high)
