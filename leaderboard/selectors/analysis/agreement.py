"""How far metrics agree: over the clips of systems, and on the ranking of systems."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from leaderboard.selectors.analysis.clip_scores import Floats, Tables
from scoring.registry import MetricInfo

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
    columns = [_signed(table.values.T.ravel()[::step], table.info) for table in tables.metrics]
    infos = tuple(table.info for table in tables.metrics)
    count = len(tables.systems)
    over = f"clips of {count} system{'s' if count != 1 else ''}"
    if step > 1:
        over = f"every {step}th of the {over}"
    return MetricAgreement(infos, correlation_matrix(columns, coefficient), coefficient, over)


def agreement_over_systems(tables: Tables, coefficient: Coefficient) -> MetricAgreement | None:
    """Correlate metrics over the corpus values of systems; None for fewer than three."""
    if len(tables.systems) < FEWEST_SYSTEMS:
        return None
    columns = [_signed(table.corpus, table.info) for table in tables.metrics]
    infos = tuple(table.info for table in tables.metrics)
    over = f"corpus values of {len(tables.systems)} systems"
    return MetricAgreement(infos, correlation_matrix(columns, coefficient), coefficient, over)


def _signed(values: Floats, info: MetricInfo) -> Floats:
    return values if info.direction == "higher" else -values


def correlation_matrix(columns: list[Floats], coefficient: Coefficient) -> Floats:
    """Correlate every pair of columns, shape (columns, columns)."""
    found = np.full((len(columns), len(columns)), np.nan)
    for i, one in enumerate(columns):
        for j, other in enumerate(columns[: i + 1]):
            found[i, j] = found[j, i] = correlation(one, other, coefficient)
    return found


def correlation(one: Floats, other: Floats, coefficient: Coefficient) -> float:
    """Correlate two columns where both have a value; NaN where one does not vary.

    Kendall's is tau-b, which allows for ties.
    """
    from scipy import stats

    both = ~(np.isnan(one) | np.isnan(other))
    one, other = one[both], other[both]
    if one.size < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    if coefficient == "pearson":
        return float(np.corrcoef(one, other)[0, 1])
    function = stats.spearmanr if coefficient == "spearman" else stats.kendalltau
    return float(function(one, other).statistic)
