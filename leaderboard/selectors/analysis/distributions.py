"""How the scores of single clips are spread, for one system or several at once."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earmark.metric_labels import labelled_as_signed, signed_metric
from earmark.metrics.cb import slim_events
from earmark.registry import METRICS, MetricInfo
from leaderboard.models import MetricResult
from leaderboard.selectors.analysis.clip_scores import Floats
from leaderboard.selectors.clips.findings import slimmed
from leaderboard.selectors.visibility.visible_submissions import AnySubmission, visible_results

MOST_BINS = 25


@dataclass(frozen=True, slots=True)
class Bin:
    """Clips with a score from ``low`` up to ``high``; the last bin holds its upper end too."""

    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class Distribution:
    """The per-clip scores of one metric of one system.

    ``at_zero`` and ``at_one`` are the shares (0 to 1) of scored clips at
    exactly 0 and exactly 1; ``at_one`` is None for metrics that do not end at 1.
    ``unscored`` counts the clips that the metric says nothing about.
    """

    info: MetricInfo
    bins: tuple[Bin, ...]
    clips: int
    unscored: int
    mean: float
    median: float
    at_zero: float
    at_one: float | None

    @property
    def edges(self) -> list[float]:
        """The ends of the bins, one more than bins."""
        return [self.bins[0].low, *(bin_.high for bin_ in self.bins)]

    @property
    def shares(self) -> list[float]:
        """The share of the scored clips in each bin, 0 to 1."""
        return [bin_.count / self.clips for bin_ in self.bins]


def metrics_with_clips(submission: AnySubmission) -> list[MetricInfo]:
    """List the metrics that have a score for some clip, in the order used everywhere."""
    signatures = dict(
        visible_results(submission)
        .filter(coverage__gt=0, value__isnull=False)
        .exclude(per_clip=b"")
        .values_list("metric", "signature")
    )
    return [signed_metric(name, signatures[name]) for name in METRICS if name in signatures]


def distribution(
    per_clip: NDArray[np.float32], info: MetricInfo, edges: NDArray[np.float64] | None = None
) -> Distribution | None:
    """Count per-clip scores, shape (clips,), NaN where there is none, into bins.

    ``edges`` are those that several systems share; without, the scores give their own.
    """
    scores = per_clip[np.isfinite(per_clip)]
    if scores.size == 0:
        return None
    if edges is None:
        edges = bin_edges(scores, info)
    # Rounding may leave a score a hair outside the outermost edges.
    inside = np.clip(scores.astype(np.float64), edges[0], edges[-1])
    counts, _ = np.histogram(inside, bins=edges)
    return Distribution(
        info=info,
        bins=tuple(
            Bin(float(low), float(high), int(count))
            for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
        ),
        clips=int(scores.size),
        unscored=int(per_clip.size - scores.size),
        mean=float(scores.mean(dtype=np.float64)),
        median=float(np.median(scores)),
        at_zero=float(np.mean(scores == 0)),
        at_one=float(np.mean(scores == 1)) if info.high == 1 else None,
    )


def bin_edges(scores: NDArray[np.float32], info: MetricInfo) -> NDArray[np.float64]:
    """Choose round bins that hold every score.

    They start at 0, or below where there are negative scores. They go up to the
    metric's end where that is 1, so that systems can be compared by eye, and
    otherwise to the highest score.
    """
    low = min(0.0, float(scores.min()))
    high = max(1.0 if info.high == 1 else 0.0, float(scores.max()), low + 1e-6)
    step = _round_step((high - low) / MOST_BINS)
    first = math.floor(low / step + 1e-9)
    last = max(first + 1, math.ceil(high / step - 1e-9))
    return np.round(np.arange(first, last + 1) * step, 12)


def _round_step(at_least: float) -> float:
    """The next higher of 1, 2, 2.5 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(at_least))
    for factor in (1.0, 2.0, 2.5, 5.0):
        if factor * power >= at_least * (1 - 1e-9):
            return factor * power
    return 10.0 * power


@dataclass(frozen=True, slots=True)
class SystemSpread:
    """One system under one metric.

    ``values`` (clips,) has NaN where the metric says nothing; ``quartiles`` are
    of the scored clips.
    """

    system: AnySubmission
    values: Floats
    distribution: Distribution
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
        """The spread of one system."""
        return next((spread for spread in self.spreads if spread.system.pk == system.pk), None)


def spreads_of(
    systems: Sequence[AnySubmission], metrics: Sequence[MetricInfo]
) -> tuple[MetricSpread, ...]:
    """Read these metrics of these systems in one query; a metric that none has is left out."""
    table: dict[str, dict[int, MetricResult]] = {info.name: {} for info in metrics}
    rows = visible_results(*systems).filter(metric__in=list(table), coverage__gt=0)
    for row in rows.exclude(per_clip=b""):
        table[row.metric][row.submission_id] = row
    return tuple(_spread(info, systems, table[info.name]) for info in metrics if table[info.name])


def event_counts(system: AnySubmission) -> list[float]:
    """The share of captions that name 0, 1, 2 ... sound events; empty without details."""
    clips = slimmed(system, "cb", slim_events)
    if not clips:
        return []
    counts = Counter(len(named) for _, named in clips)
    return [counts[events] / len(clips) for events in range(max(counts) + 1)]


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
    infos = {labelled_as_signed(METRICS[info.name], spread.signature) for spread in spreads}
    return MetricSpread(infos.pop() if len(infos) == 1 else info, tuple(spreads), without)
