"""How clips are spread, as the API gives it: the numbers of the page."""

from ninja import Schema
from pydantic import Field

from leaderboard.api.schemas.analysis import SystemRef, system_ref
from leaderboard.models import Submission
from leaderboard.selectors.analysis.spread import MetricSpread, SystemSpread


class SystemSpreadOut(Schema):
    """One system under one metric; ``shares`` are those of the metric's bins."""

    system: SystemRef
    competes: bool = Field(description="False for the human row.")
    signature: str
    clips: int = Field(description="Clips with a value.")
    without: int = Field(description="Clips that the metric says nothing about.")
    mean: float
    lower_quartile: float
    median: float
    upper_quartile: float
    at_zero: float = Field(description="Share of clips at exactly 0, from 0 to 1.")
    at_one: float | None = Field(description="Share at exactly 1; null: the metric goes on.")
    shares: list[float] = Field(description="Share of clips in each bin.")

    @classmethod
    def of(cls, spread: SystemSpread) -> "SystemSpreadOut":
        """Describe a system's part."""
        shown = spread.shown
        return cls(
            system=system_ref(spread.system),
            competes=spread.system.competes,
            signature=spread.signature,
            clips=shown.clips,
            without=shown.unscored,
            mean=shown.mean,
            lower_quartile=spread.quartiles[0],
            median=shown.median,
            upper_quartile=spread.quartiles[1],
            at_zero=shown.at_zero,
            at_one=shown.at_one,
            shares=[bin_.count / shown.clips for bin_ in shown.bins],
        )


class MetricSpreadOut(Schema):
    """A metric with the bins that its systems share: edges, one more than bins."""

    metric: str
    edges: list[float]
    systems: list[SystemSpreadOut]

    @classmethod
    def of(cls, metric: MetricSpread) -> "MetricSpreadOut":
        """Describe a metric that some system has."""
        bins = metric.spreads[0].shown.bins
        return cls(
            metric=metric.info.name,
            edges=[bins[0].low, *(bin_.high for bin_ in bins)],
            systems=[SystemSpreadOut.of(spread) for spread in metric.spreads],
        )


class EventsOut(Schema):
    """Share of a system's captions that name 0, 1, 2 ... sound events."""

    system: SystemRef
    shares: list[float]

    @classmethod
    def of(cls, system: Submission, shares: list[float]) -> "EventsOut":
        """Describe a system."""
        return cls(system=system_ref(system), shares=shares)


class DistributionsOut(Schema):
    """How the clips of chosen systems are spread."""

    metrics: list[MetricSpreadOut]
    events: list[EventsOut]
