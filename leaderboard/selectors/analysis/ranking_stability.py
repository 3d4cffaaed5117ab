"""How firm a ranking is: by other metrics, had other clips been drawn, and how metrics agree."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from earmark.registry import MetricInfo
from earmark.statistics import (
    kendall_matrix,
    p_values,
    pearson,
    rank_intervals,
    rank_probabilities,
    ranks,
    spearman_matrix,
    ties_of,
    without_empty,
)
from earmark.statistics import resampled_means as draw_means
from leaderboard.models import Phase
from leaderboard.ranking import rounded
from leaderboard.selectors.analysis.clip_scores import ClipScores, Floats, Tables, tables_of
from leaderboard.selectors.board.rows import Board, board_of
from leaderboard.selectors.visibility.visibility import EVERYTHING, Visibility
from leaderboard.selectors.visibility.visible_submissions import AnySubmission, submissions_read

MOST_SYSTEMS = 30
RESAMPLES = 4000


@dataclass(frozen=True, slots=True)
class MetricRanks:
    """The ranks of the systems under one metric, in the order of ``RankingAnalysis.systems``."""

    info: MetricInfo
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RankStability:
    """What random subsets of the clips say of the ranking under one metric.

    ``probabilities`` (systems, ranks): share of resamples in which a system has
    a rank; ``intervals`` (systems, 2): ranks of the middle 95 %; ``pairs``
    (systems, systems): two-sided p-values, on the clips that two share. Systems
    in the order of the board.
    """

    table: ClipScores
    probabilities: Floats
    intervals: NDArray[np.int64]
    pairs: Floats

    def tied(self, system: int) -> tuple[int, ...]:
        """The places of the other systems that the data cannot tell from this one."""
        return tuple(int(at) for at in np.flatnonzero(ties_of(self.pairs)[system]) if at != system)


@dataclass(frozen=True, slots=True)
class TellingClip:
    """A clip whose scores order the systems as the whole corpus does, and far apart."""

    number: int
    agreement: float
    spread: float


@dataclass(frozen=True, slots=True)
class RankingAnalysis:
    """The ranking of a phase from all sides; ``stability`` None where it cannot be drawn."""

    phase: Phase
    systems: tuple[AnySubmission, ...]
    ranks: tuple[int, ...]
    shown_of: int
    tables: Tables
    by_metric: tuple[MetricRanks, ...]
    stability: RankStability | None


def ranking_analysis(phase: Phase, *, view: Visibility = EVERYTHING) -> RankingAnalysis:
    """Analyse the systems that count for the ranking, the best ``MOST_SYSTEMS`` of them."""
    board = board_of(phase, view=view)
    # A system that is still being scored has not all metrics yet.
    ranked = [row for row in board.rows if row.rank is not None and row.progress.settled]
    systems = submissions_read([row.key for row in ranked[:MOST_SYSTEMS]], view)
    tables = tables_of(systems) if systems else Tables((), (), ())
    return RankingAnalysis(
        phase,
        tuple(systems),
        tuple(row.rank or 0 for row in ranked[:MOST_SYSTEMS]),
        len(ranked),
        tables,
        _by_metric(board, tables, systems),
        _stability(tables.metric(phase.ranking_metric)),
    )


def metrics_that_rank(board: Board) -> list[MetricInfo]:
    """The metrics of a board, the one that decides first; counts are no ranking."""
    deciding = board.phase.ranking_metric
    infos = [info for info in board.metrics if not info.is_count or info.name == deciding]
    return sorted(infos, key=lambda info: info.name != deciding)


def _by_metric(
    board: Board, tables: Tables, systems: Sequence[AnySubmission]
) -> tuple[MetricRanks, ...]:
    cells = {row.key: row.values for row in board.rows}
    rows = []
    for info in metrics_that_rank(board):
        values = [_value(cells[system.pk].get(info.name)) for system in systems]
        # Computed under different signatures for these systems.
        unlike = np.isfinite(info.high) and tables.metric(info.name) is None
        if systems and not np.isnan(values).any() and not unlike:
            rows.append(MetricRanks(info, ranks_of_values(values, info, board.phase.precision)))
    return tuple(rows)


def _value(cell: object) -> float:
    value = getattr(cell, "value", None)
    return float("nan") if value is None else float(value)


def ranks_of_values(values: list[float], info: MetricInfo, precision: int) -> tuple[int, ...]:
    """Rank values as the board does: equal at the declared precision, 1, 1, 3."""
    settled = np.array([[float(rounded(value, precision) or 0) for value in values]])
    row = ranks(settled, higher_is_better=info.direction == "higher")[0]
    return tuple(int(rank) for rank in row)


def _stability(table: ClipScores | None) -> RankStability | None:
    if table is None or len(table.systems) < 2 or len(table.values) < 2:
        return None
    draws = draw_means(table.values, resamples=RESAMPLES)
    drawn = ranks(without_empty(draws), higher_is_better=table.higher_is_better)
    return RankStability(
        table, rank_probabilities(drawn), rank_intervals(drawn), p_values(draws, table.values)
    )


def telling_clips(table: ClipScores, *, most: int = 10) -> tuple[TellingClip, ...]:
    """List the clips that separate the systems best under a metric.

    A clip's score for this is the covariance of its scores with the systems'
    corpus means: large where it tells the systems apart as the corpus does.
    ``agreement`` is the correlation, ``spread`` the standard deviation.
    """
    values = np.where(np.isnan(table.values), np.nanmean(table.values, axis=0), table.values)
    means = values.mean(axis=0)
    centred, of_means = values - values.mean(axis=1, keepdims=True), means - means.mean()
    spread = centred.std(axis=1)
    covariance = (centred * of_means).mean(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        agreement = covariance / (spread * of_means.std())
    order = np.argsort(-covariance, kind="stable")[:most]
    return tuple(
        TellingClip(int(at) + 1, float(agreement[at]), float(spread[at]))
        for at in order
        if covariance[at] > 0
    )


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
    matrix = np.full((table.shape[1], table.shape[1]), np.nan)
    for i, one in enumerate(table.T):
        for j, other in enumerate(table.T[: i + 1]):
            both = ~(np.isnan(one) | np.isnan(other))
            matrix[i, j] = matrix[j, i] = pearson(one[both], other[both])
    return matrix


def correlation(one: Floats, other: Floats, coefficient: Coefficient) -> float:
    """Correlate two columns; see ``correlation_matrix``."""
    return float(correlation_matrix([one, other], coefficient)[0, 1])
