"""How far metrics agree: over the clips of systems, and on the ranking of systems."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from leaderboard.selectors.analysis.clip_scores import Floats, Tables
from scoring.registry import MetricInfo
from scoring.statistics import kendall_matrix, pearson, spearman_matrix

Coefficient = Literal["pearson", "spearman", "kendall"]
COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall")
FEWEST_SYSTEMS = 3
MOST_POINTS = 4000


@dataclass(frozen=True, slots=True)
class MetricAgreement:
    """Correlations of every pair of metrics, shape (metrics, metrics), NaN where undefined.

    Lower-is-better metrics are turned round first, so that 1 always means that
    two metrics agree on what is better. ``over`` says what was correlated.
    """

    metrics: tuple[MetricInfo, ...]
    values: Floats
    coefficient: Coefficient
    over: str


def agreement_over_clips(tables: Tables, coefficient: Coefficient) -> MetricAgreement:
    """Correlate metrics over the clips of all systems together, at most ``MOST_POINTS``.

    Of more, every n-th is taken, which costs the third digit at most.
    """
    points = tables.metrics[0].values.size if tables.metrics else 0
    step = max(1, -(-points // MOST_POINTS))
    count = len(tables.systems)
    over = f"clips of {count} system{'s' if count != 1 else ''}"
    if step > 1:
        over = f"every {step}th of the {over}"
    columns = (table.values.T.ravel()[::step] for table in tables.metrics)
    return agreement_of(columns, (table.info for table in tables.metrics), coefficient, over)


def agreement_over_systems(tables: Tables, coefficient: Coefficient) -> MetricAgreement | None:
    """Correlate metrics over the corpus values of systems; None for fewer than three."""
    if len(tables.systems) < FEWEST_SYSTEMS:
        return None
    over = f"corpus values of {len(tables.systems)} systems"
    columns = (table.corpus for table in tables.metrics)
    return agreement_of(columns, (table.info for table in tables.metrics), coefficient, over)


def agreement_of(
    columns: Iterable[Floats], infos: Iterable[MetricInfo], coefficient: Coefficient, over: str
) -> MetricAgreement:
    """Correlate a column of values for each metric."""
    metrics = tuple(infos)
    signed = [
        column if info.direction == "higher" else -column
        for column, info in zip(columns, metrics, strict=True)
    ]
    return MetricAgreement(metrics, correlation_matrix(signed, coefficient), coefficient, over)


def correlation_matrix(columns: list[Floats], coefficient: Coefficient) -> Floats:
    """Correlate every pair of columns where both have a value, shape (columns, columns).

    NaN where one does not vary. Kendall's is tau-b, which allows for ties.
    """
    if not columns:
        return np.empty((0, 0))
    table = np.stack(columns, axis=1)
    if coefficient == "kendall":
        return kendall_matrix(table)
    return spearman_matrix(table) if coefficient == "spearman" else _pearson_matrix(table)


def _pearson_matrix(table: Floats) -> Floats:
    found = np.full((table.shape[1], table.shape[1]), np.nan)
    for i, one in enumerate(table.T):
        for j, other in enumerate(table.T[: i + 1]):
            both = ~(np.isnan(one) | np.isnan(other))
            found[i, j] = found[j, i] = pearson(one[both], other[both])
    return found


def correlation(one: Floats, other: Floats, coefficient: Coefficient) -> float:
    """Correlate two columns; see ``correlation_matrix``."""
    return float(correlation_matrix([one, other], coefficient)[0, 1])
