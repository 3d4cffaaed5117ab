"""Scores of all clips of several systems as tables of numbers."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earmark.comparing import NO_MEAN, UNLIKE, is_counted
from earmark.metric_labels import signed_metric
from earmark.registry import METRICS, MetricInfo
from leaderboard.models import MetricResult
from leaderboard.selectors.visibility.visible_submissions import AnySubmission, visible_results

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ClipScores:
    """One metric of several systems, computed in the same way for all of them.

    ``values`` has shape (clips, systems), NaN where the metric says nothing;
    ``corpus`` (systems,) are the corpus values. ``counted``: these
    come from counts of the whole corpus and are not the means of the clips.
    """

    info: MetricInfo
    systems: tuple[AnySubmission, ...]
    values: Floats
    corpus: Floats
    signature: str

    @property
    def counted(self) -> bool:
        """Whether the corpus value is something else than the mean of the clips."""
        return is_counted(self.values, self.corpus)

    @property
    def higher_is_better(self) -> bool:
        """Whether more is better."""
        return self.info.direction == "higher"


@dataclass(frozen=True, slots=True)
class Tables:
    """The metrics that all the systems have, and those left out with the reason."""

    systems: tuple[AnySubmission, ...]
    metrics: tuple[ClipScores, ...]
    left_out: tuple[tuple[MetricInfo, str], ...]

    def metric(self, name: str) -> ClipScores | None:
        """One metric's table."""
        return next((table for table in self.metrics if table.info.name == name), None)


MISSING = "not every system has it"


def tables_of(systems: Sequence[AnySubmission], metrics: Collection[str] | None = None) -> Tables:
    """Read every metric, or those named, of these systems of one phase in one query.

    A metric that some system lacks, or that was computed in different ways, is
    left out: half a comparison misleads.
    """
    by_metric: dict[str, dict[int, MetricResult]] = {}
    results = visible_results(*systems).filter(value__isnull=False, coverage__gt=0)
    results = results.exclude(per_clip=b"")
    for row in results if metrics is None else results.filter(metric__in=metrics):
        by_metric.setdefault(row.metric, {})[row.submission_id] = row
    tables: list[ClipScores] = []
    left_out: list[tuple[MetricInfo, str]] = []
    for name, info in METRICS.items():
        rows = by_metric.get(name, {})
        if not rows:
            continue
        reason = _unfit(info, rows, systems)
        metric = (
            info if reason == UNLIKE else signed_metric(name, next(iter(rows.values())).signature)
        )
        if reason:
            left_out.append((metric, reason))
        else:
            in_order = [rows[system.pk] for system in systems]
            values = np.stack([row.read_per_clip().astype(np.float64) for row in in_order], axis=1)
            values[~np.isfinite(values)] = np.nan
            corpus = np.array([row.value for row in in_order], np.float64)
            tables.append(ClipScores(metric, tuple(systems), values, corpus, in_order[0].signature))
    return Tables(tuple(systems), tuple(tables), tuple(left_out))


def _unfit(
    info: MetricInfo, rows: dict[int, MetricResult], systems: Sequence[AnySubmission]
) -> str:
    if np.isinf(info.high):
        return NO_MEAN
    if len(rows) < len(systems):
        return MISSING
    if len({row.signature for row in rows.values()}) > 1:
        return UNLIKE
    if len({len(row.per_clip) for row in rows.values()}) > 1:
        return UNLIKE
    return ""
