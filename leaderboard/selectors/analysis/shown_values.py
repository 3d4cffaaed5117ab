"""How a ranking looks by other metrics, from nothing but what a leaderboard shows everyone.

For phases whose clips nobody may see. Every number here is a function of the ranks and rank
intervals on the leaderboard and of its values with the decimals that it shows: by more digits,
or by draws of the clips, one could tell single clips apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from earmark.registry import MetricInfo
from leaderboard.models import Phase
from leaderboard.selectors.analysis.clip_scores import Floats, Tables
from leaderboard.selectors.analysis.ranking_stability import (
    FEWEST_SYSTEMS,
    MOST_SYSTEMS,
    Coefficient,
    MetricAgreement,
    MetricRanks,
    RankingAnalysis,
    agreement_of,
    metrics_that_rank,
    ranks_of_values,
)
from leaderboard.selectors.board.rows import board_with
from leaderboard.selectors.ranking.rank_intervals import Ranges, ranges_of
from leaderboard.selectors.ranking.ranking import ranking_of
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visibility import Visibility
from leaderboard.selectors.visibility.visible_submissions import submissions_read


@dataclass(frozen=True, slots=True)
class ShownAnalysis:
    """The ranking of a phase from what its leaderboard shows.

    ``ranking`` is without draws and clips; ``columns`` are the values of its metrics over the
    systems, ``ranges`` the rank intervals of the leaderboard.
    """

    ranking: RankingAnalysis
    columns: tuple[Floats, ...]
    ranges: Ranges


def shown_analysis(phase: Phase, *, view: Visibility) -> ShownAnalysis:
    """Analyse the systems that count for the ranking, the best ``MOST_SYSTEMS`` of them."""
    ranking = ranking_of(phase, view=view)
    board = board_with(ranking, [line.key for line in ranking.rows])
    ranked = [row for row in board.rows if row.rank is not None and row.progress.settled]
    shown = ranked[:MOST_SYSTEMS]
    every_column = [(info, _column(shown, info)) for info in metrics_that_rank(board)]
    columns = [(info, column) for info, column in every_column if column is not None]
    analysis = RankingAnalysis(
        phase,
        tuple(submissions_read([row.key for row in shown], view)),
        tuple(row.rank or 0 for row in shown),
        len(ranked),
        Tables((), (), ()),
        tuple(_ranks(phase, shown, info, column) for info, column in columns),
        None,
    )
    return ShownAnalysis(
        analysis,
        tuple(column for _, column in columns),
        ranges_of(ranking, [row.key for row in shown]),
    )


def agreement_of_shown(shown: ShownAnalysis, coefficient: Coefficient) -> MetricAgreement | None:
    """Correlate the values that the leaderboard shows; None for fewer than three systems."""
    systems = shown.ranking.systems
    if len(systems) < FEWEST_SYSTEMS or len(shown.columns) < 2:
        return None
    over = f"values of {len(systems)} systems as the leaderboard shows them"
    infos = (row.info for row in shown.ranking.by_metric)
    return agreement_of(shown.columns, infos, coefficient, over)


def _column(rows: Sequence[RankedRow], info: MetricInfo) -> Floats | None:
    """Values of a metric with the decimals that are shown; None where they are not comparable."""
    cells = [row.values.get(info.name) for row in rows]
    values = [cell.value for cell in cells if cell is not None and cell.value is not None]
    signatures = {cell.signature for cell in cells if cell is not None}
    if not rows or len(values) < len(rows) or len(signatures) > 1:
        return None
    return np.array([round(value, info.decimals) for value in values], np.float64)


def _ranks(
    phase: Phase, rows: Sequence[RankedRow], info: MetricInfo, column: Floats
) -> MetricRanks:
    if info.name == phase.ranking_metric:
        return MetricRanks(info, tuple(row.rank or 0 for row in rows))
    precision = min(phase.precision, info.decimals)
    return MetricRanks(info, ranks_of_values(column.tolist(), info, precision))
