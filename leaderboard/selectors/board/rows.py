"""Rows of a phase's leaderboard with all their numbers."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from earmark.metric_labels import labelled_as_signed
from earmark.registry import METRICS, MetricInfo
from leaderboard.models import MetricResult, Phase, Submission
from leaderboard.selectors.evaluations.metric_value import MetricValue, values_read
from leaderboard.selectors.evaluations.progress import published_progress
from leaderboard.selectors.ranking.ranking import Ranking, ranking_of
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visibility import EVERYTHING, Visibility
from leaderboard.selectors.visibility.visible_submissions import (
    AnySubmission,
    all_visible,
    frozen_of,
    row_of_submission,
    visible_results,
)


@dataclass(frozen=True, slots=True)
class Board:
    """The leaderboard of a phase: metrics in the order used everywhere, rows in rank order.

    ``unranked`` are the rows that do not compete, such as the human row.
    """

    phase: Phase
    metrics: tuple[MetricInfo, ...]
    rows: tuple[RankedRow, ...]
    unranked: tuple[RankedRow, ...] = ()


def board_of(phase: Phase, *, view: Visibility = EVERYTHING, every_system: bool = False) -> Board:
    """Whole leaderboard: one row per team, or with ``every_system`` all of them.

    With ``every_system`` each system with a value is ranked among all. Pages, which
    show a part of it, take ``ranking_of`` and ``board_with``.
    """
    ranking = ranking_of(phase, view=view, every_system=every_system)
    return board_with(ranking, [line.key for line in ranking.rows])


def board_with(
    ranking: Ranking, keys: Collection[int], *, metrics: Collection[str] | None = None
) -> Board:
    """Rows of some systems of a ranking, in the order of ``keys``, and those that do not compete.

    Ranks and names are those of the ranking. ``metrics`` leaves out the values of all others.
    """
    lines = {line.key: line for line in ranking.rows}
    lines |= _unranked(ranking, [key for key in (*keys, *ranking.unranked) if key not in lines])
    shown = [lines[key] for key in (*keys, *ranking.unranked) if key in lines]
    if ranking.view.until is None:
        shown_keys = [row.key for row in shown]
        progress, values = published_progress(shown_keys), _values(shown_keys, metrics)
        rows = {
            row.key: row._replace(progress=progress[row.key], values=values[row.key])
            for row in shown
        }
    else:
        rows = {row.key: _frozen(ranking, row, metrics) for row in shown}
    return Board(
        phase=ranking.phase,
        metrics=_metrics(ranking.phase, rows.values()),
        rows=tuple(rows[key] for key in keys if key in rows),
        unranked=tuple(rows[key] for key in ranking.unranked if key in rows),
    )


def _metrics(phase: Phase, rows: Iterable[RankedRow]) -> tuple[MetricInfo, ...]:
    """Every metric as the values of the rows were computed; where there is none, as the phase does.

    Where values were computed in several ways, it is as the phase computes it.
    """
    signatures: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for name, value in row.values.items():
            signatures[name].add(value.signature)
    labelled = {
        name: {labelled_as_signed(METRICS[name], signature) for signature in signatures[name]}
        for name in METRICS
    }
    return tuple(
        next(iter(infos)) if len(infos) == 1 else phase.as_computed(METRICS[name])
        for name, infos in labelled.items()
    )


def values_of_submission(submission: AnySubmission) -> dict[str, MetricValue]:
    """Values that a submission is shown with, by metric."""
    return {value.metric: value for _, value in values_read(visible_results(submission))}


def frozen_values(
    ranking: Ranking, keys: Collection[int], metrics: Collection[str] | None = None
) -> dict[int, dict[str, MetricValue]]:
    """Values of some systems as they were frozen, by metric."""
    systems = frozen_of(ranking.phase.pk, ranking.view).systems
    return {
        key: {
            metric: value
            for metric, value in systems[key].values.items()
            if metrics is None or metric in metrics
        }
        for key in keys
    }


def _unranked(ranking: Ranking, keys: Collection[int]) -> dict[int, RankedRow]:
    """Rows of what is not in the ranking; what went away in between the queries is left out."""
    if not keys:
        return {}
    rows = (
        Submission.objects.filter(pk__in=keys)
        .select_related("team")
        .defer("description", "warnings")
    )
    return {row.pk: row_of_submission(row) for row in all_visible(rows, ranking.view)}


def _frozen(ranking: Ranking, row: RankedRow, metrics: Collection[str] | None) -> RankedRow:
    then = frozen_of(ranking.phase.pk, ranking.view).systems[row.key]
    values = frozen_values(ranking, [row.key], metrics)[row.key]
    return row._replace(progress=then.progress, values=values)


def _values(
    keys: Collection[int], metrics: Collection[str] | None
) -> Mapping[int, dict[str, MetricValue]]:
    rows = MetricResult.objects.filter(submission__in=keys, evaluation__published=True)
    if metrics is not None:
        rows = rows.filter(metric__in=metrics)
    cells: dict[int, dict[str, MetricValue]] = {key: {} for key in keys}
    for key, value in values_read(rows):
        cells[key][value.metric] = value
    return cells
