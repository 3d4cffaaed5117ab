"""How the scores of single clips are spread, for several systems and metrics at once."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from leaderboard.models import MetricResult
from leaderboard.selectors.analysis.clip_scores import Floats
from leaderboard.selectors.clips.distributions import Distribution, bin_edges, distribution
from leaderboard.selectors.clips.findings import slimmed
from leaderboard.selectors.visibility.visible_submissions import AnySubmission, visible_results
from scoring.metrics.cb import slim_events
from scoring.registry import MetricInfo


@dataclass(frozen=True, slots=True)
class SystemSpread:
    """One system under one metric.

    ``values`` (clips,) has NaN where the metric says nothing; ``quartiles`` are
    of the scored clips.
    """

    system: AnySubmission
    values: Floats
    shown: Distribution
    quartiles: tuple[float, float]
    signature: str


@dataclass(frozen=True, slots=True)
class MetricSpread:
    """The systems that have a metric, all in the same bins, and those that have none."""

    info: MetricInfo
    spreads: tuple[SystemSpread, ...]
    without: tuple[AnySubmission, ...]

    @property
    def unlike(self) -> bool:
        """Whether systems that compete were scored in different ways."""
        signatures = {spread.signature for spread in self.spreads if spread.system.competes}
        return len(signatures) > 1

    def of(self, system: AnySubmission) -> SystemSpread | None:
        """Give a system's part."""
        return next((spread for spread in self.spreads if spread.system.pk == system.pk), None)


def spreads_of(
    systems: Sequence[AnySubmission], metrics: Sequence[MetricInfo]
) -> tuple[MetricSpread, ...]:
    """Read these metrics of these systems in one query; a metric that none has is left out."""
    found: dict[str, dict[int, MetricResult]] = {info.name: {} for info in metrics}
    rows = visible_results(*systems).filter(metric__in=list(found), coverage__gt=0)
    for row in rows.exclude(per_clip=b""):
        found[row.metric][row.submission_id] = row
    return tuple(_spread(info, systems, found[info.name]) for info in metrics if found[info.name])


def event_counts(system: AnySubmission) -> list[float]:
    """Give the share of captions that name 0, 1, 2 ... sound events; empty without details."""
    found = slimmed(system, "cb", slim_events)
    if not found:
        return []
    counts = Counter(len(named) for _, named in found)
    return [counts[events] / len(found) for events in range(max(counts) + 1)]


def _spread(
    info: MetricInfo, systems: Sequence[AnySubmission], rows: Mapping[int, MetricResult]
) -> MetricSpread:
    having = [system for system in systems if system.pk in rows]
    values = {system.pk: rows[system.pk].read_per_clip() for system in having}
    every = np.concatenate([row[np.isfinite(row)] for row in values.values()])
    edges = bin_edges(every, info) if every.size else None
    spreads = []
    for system in having:
        shown = distribution(values[system.pk], info, edges)
        if shown is not None:
            scores = values[system.pk].astype(np.float64)
            scores[~np.isfinite(scores)] = np.nan
            low, high = np.nanpercentile(scores, [25, 75])
            spreads.append(
                SystemSpread(
                    system, scores, shown, (float(low), float(high)), rows[system.pk].signature
                )
            )
    shown_keys = {spread.system.pk for spread in spreads}
    without = tuple(system for system in systems if system.pk not in shown_keys)
    return MetricSpread(info, tuple(spreads), without)
