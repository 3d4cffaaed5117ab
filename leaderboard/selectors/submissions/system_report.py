"""Reading one system: its numbers beside the best of its phase, and what their places say."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from earmark.registry import METRICS, MetricInfo
from earmark.statistics import Floats
from leaderboard.models import Kind, MetricResult, Submission
from leaderboard.selectors.board.columns import USUAL_COLUMNS, grouped
from leaderboard.selectors.board.rows import board_with, frozen_values, values_of_submission
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.evaluations.progress import progress_of
from leaderboard.selectors.ranking.interval_scale import Scale, scale_of
from leaderboard.selectors.ranking.ranking import Ranking, ranking_of, rules_key
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visibility import EVERYTHING, Visibility
from leaderboard.selectors.visibility.visible_submissions import (
    AnySubmission,
    VisibleSubmission,
    all_visible,
    frozen_row,
    row_of_submission,
    visible_evaluations,
    visible_results,
    with_clips,
)
from leaderboard.web.version_cache import kept_for_version

RANKING = "Ranking metric"
# Values that stand above the table.
LEADING = 6
# With fewer systems every metric has a best and a worst, which says nothing.
FEWEST_SYSTEMS = 3
NAMED = 4
# With more systems than this the ticks of a scale would run together.
MOST_TICKS = 200
# A metric with its signature: only values that share both are compared.
Measure = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """The place of a value, 1 the best, among the ``of`` values with its signature."""

    info: MetricInfo
    place: int
    of: int


@dataclass(frozen=True, slots=True)
class SystemScore:
    """One metric of the system; ``best`` and the scale's ticks only where all may be seen."""

    item: MetricValue
    ranking: bool
    best: dict[str, Any] | None
    scale: Scale | None


@dataclass(frozen=True, slots=True)
class SystemReport:
    """A system's page: its place among teams (None where not to be seen) and its scores.

    ``leading`` are the few values that come first, the one that decides before those of the
    phase's columns, each with its place among the phase's systems where that is known.
    """

    row: RankedRow
    place: dict[str, Any] | None
    scores: tuple[SystemScore, ...]
    leading: tuple[tuple[MetricValue, ValuePlace | None], ...]
    summary: dict[str, Any] | None

    @property
    def ticked(self) -> bool:
        """Whether the values of other systems are drawn."""
        return any(score.scale is not None and score.scale.ticks for score in self.scores)

    @property
    def groups(self) -> tuple[tuple[str, tuple[SystemScore, ...]], ...]:
        """The scores for reading: what decides by itself, then the others by kind.

        What is still to be computed is left to the progress.
        """
        decided = [score for score in self.scores if not score.item.pending]
        first = tuple(score for score in decided if score.ranking)
        rest = grouped(
            (score for score in decided if not score.ranking), lambda score: score.item.info.family
        )
        return (*([(RANKING, first)] if first else []), *rest)


def scored_lines(ranking: Ranking) -> list[RankedRow]:
    """The lines that have a ranking value, best first."""
    sign = 1 if ranking.phase.ranking.direction == "lower" else -1
    scored = [(sign * line.value, line) for line in ranking.rows if line.value is not None]
    scored.sort(key=lambda pair: (pair[0], pair[1].submitted_at, pair[1].key))
    return [line for _, line in scored]


def unranked_in(ranking: Ranking) -> list[VisibleSubmission]:
    """List what does not compete in a ranking and has been scored."""
    if not ranking.unranked:
        return []
    rows = with_clips(Submission.objects.filter(pk__in=ranking.unranked))
    unranked = [row for row in all_visible(rows, ranking.view) if row.kind != Kind.SYSTEM]
    scored = set(visible_results(*unranked).values_list("submission", flat=True))
    return [system for system in unranked if system.pk in scored]


@dataclass(frozen=True, slots=True)
class MeasuredValues:
    """The values of a ranking's systems by one metric and signature, in ascending order.

    ``scale`` holds all of their intervals; ``best`` are those with the best one, in rank order.
    """

    values: Floats
    scale: Scale
    best: tuple[tuple[RankedRow, MetricValue], ...]


def measured_values(ranking: Ranking) -> dict[Measure, MeasuredValues]:
    """All values of a ranking's systems; one query where something has changed, else none."""
    key = ("values", *rules_key(ranking.phase), ranking.every_system, ranking.view)
    return kept_for_version(key, lambda: _measured_values(ranking))


def _measured_values(ranking: Ranking) -> dict[Measure, MeasuredValues]:
    keys = [line.key for line in ranking.rows]
    cells: Iterable[tuple[int, MetricValue]]
    if ranking.view.until is None:
        rows = MetricResult.objects.filter(submission__in=keys, evaluation__published=True)
        names = ("submission_id", "metric", "value", "low", "high", "signature")
        cells = (
            (key, MetricValue(metric, value, low, high, signature=signature))
            for key, metric, value, low, high, signature in rows.order_by()
            .values_list(*names)
            .iterator(chunk_size=5000)
        )
    else:
        frozen = frozen_values(ranking, keys).items()
        cells = ((key, cell) for key, row in frozen for cell in row.values())
    by_measure: dict[Measure, list[tuple[int, MetricValue]]] = defaultdict(list)
    place = {key: at for at, key in enumerate(keys)}
    for key, cell in cells:
        if cell.value is not None and cell.metric in METRICS:
            by_measure[cell.metric, cell.signature].append((place[key], cell))
    return {
        measure: _measured(METRICS[measure[0]], ranking, values)
        for measure, values in by_measure.items()
    }


def _measured(
    info: MetricInfo, ranking: Ranking, cells: list[tuple[int, MetricValue]]
) -> MeasuredValues:
    values = np.sort(np.array([cell.value for _, cell in cells], np.float64))
    best = float(values[-1] if info.direction == "higher" else values[0])
    scale = scale_of((cell for _, cell in cells), ticks=len(cells) <= MOST_TICKS)
    first = sorted((pair for pair in cells if pair[1].value == best), key=lambda pair: pair[0])
    owners = tuple((ranking.rows[at], cell) for at, cell in first)
    return MeasuredValues(values, scale or Scale(best, best), owners)


def report_of(
    submission: AnySubmission, *, with_others: bool, view: Visibility = EVERYTHING
) -> SystemReport:
    """A system's numbers; without ``with_others`` nothing of other systems is in it."""
    ranking = ranking_of(submission.phase, view=view, every_system=True)
    lines = {line.key: line for line in ranking.rows}
    in_ranking = submission.pk in lines or submission.pk in ranking.unranked
    # A team sees its own live beside a frozen table.
    same_moment = (view.until is None) == (frozen_row(submission) is None)
    if in_ranking and same_moment:
        (row,) = board_with(replace(ranking, unranked=()), [submission.pk]).rows
    else:
        # It is in no table: withdrawn, or submitted since a freeze.
        progress = progress_of(visible_evaluations(submission).defer("detail"))
        values = values_of_submission(submission)
        row = row_of_submission(submission)._replace(progress=progress, values=values)
    families = {family.family: family for family in row.progress.families}
    others = measured_values(ranking) if with_others else None
    scores = [
        _score(ranking, row, row.shown(info.name), others)
        for info in METRICS.values()
        if info.name in row.values or (info.family in families and not info.several)
    ]
    # What decides comes first; the others keep the order used everywhere.
    scores.sort(key=lambda score: not score.ranking)
    placed = lines.get(submission.pk) if with_others else None
    place = None if placed is None else _place(ranking, placed)
    places = {} if others is None else value_places(ranking, row, others)
    phase = submission.phase
    first = tuple(dict.fromkeys((phase.ranking_metric, *(phase.columns or USUAL_COLUMNS))))
    known = [name for name in first if name in row.values and row.values[name].value is not None]
    leading = tuple((row.values[name], places.get(name)) for name in known[:LEADING])
    return SystemReport(row, place, tuple(scores), leading, summary_of(places, first))


def _score(
    ranking: Ranking,
    here: RankedRow,
    item: MetricValue,
    others: Mapping[Measure, MeasuredValues] | None,
) -> SystemScore:
    info = item.info
    decides = info.name == ranking.phase.ranking_metric
    if others is None:
        whole = Scale(info.low, info.high) if math.isfinite(info.high) else None
        return SystemScore(item, decides, None, whole)
    values = _comparable(others, here, info)
    return SystemScore(item, decides, _best(values, here), values.scale if values else None)


def _comparable(
    others: Mapping[Measure, MeasuredValues], here: RankedRow, info: MetricInfo
) -> MeasuredValues | None:
    """The best values that may be compared with this system's value.

    Where it has none: those of the signature with the best value.
    """
    mine = here.values.get(info.name)
    if mine is not None:
        return others.get((info.name, mine.signature))
    sign = -1 if info.direction == "higher" else 1
    measured = [extremes for (name, _), extremes in others.items() if name == info.name]
    return min(measured, key=lambda one: sign * (one.best[0][1].value or 0.0), default=None)


def _best(values: MeasuredValues | None, here: RankedRow) -> dict[str, Any] | None:
    """The system with the best value; of equals this system, else the one that ranks higher.

    ``here`` where it is this system. Where that has a value, only those with the same signature
    compete.
    """
    if values is None:
        return None
    own = [(line, cell) for line, cell in values.best if line.key == here.key]
    line, cell = (own or values.best)[0]
    return {"value": cell, "system": line, "here": line.key == here.key}


def _place(ranking: Ranking, here: RankedRow) -> dict[str, Any]:
    """Rank among those that count; ties carry over, since equals share their rank among all.

    ``counts``: it is the one that counts for its team.
    """
    ranks = [line.rank for line in ranking.rows if line.counts and line.rank is not None]
    rank = None
    if here.counts and here.rank is not None:
        rank = 1 + sum(other < here.rank for other in ranks)
    return {"rank": rank, "teams": len(ranks), "counts": here.counts}


def value_places(
    ranking: Ranking, row: RankedRow, others: Mapping[Measure, MeasuredValues]
) -> dict[str, ValuePlace]:
    """The places of a system's values among those of its phase's systems, by metric.

    Values that are equal with the decimals that are shown share the better place: where clips
    are hidden, nothing of the digits behind them is told. Only values with equal signatures are
    compared.
    """
    places: dict[str, ValuePlace] = {}
    if all(line.key != row.key for line in ranking.rows):
        return places
    for name, cell in row.values.items():
        if cell.value is None or name not in METRICS:
            continue
        like = others.get((name, cell.signature))
        values = np.empty(0) if like is None else like.values
        limit = _better_from(cell, name)
        better = np.searchsorted(values, limit, side="right")
        if METRICS[name].direction == "higher":
            better = values.size - np.searchsorted(values, limit, side="left")
        places[name] = ValuePlace(cell.info, 1 + int(better), values.size)
    return places


def _better_from(cell: MetricValue, name: str) -> float:
    """The value from which others are shown as better ones."""
    info = METRICS[name]
    half = 0.5 * 10.0**-info.decimals
    return round(cell.value or 0.0, info.decimals) + (half if info.direction == "higher" else -half)


def summary_of(
    places: Mapping[str, ValuePlace], first: Sequence[str] = ()
) -> dict[str, Any] | None:
    """The strengths and weaknesses of a system by its places; None with too few systems or metrics.

    ``worst`` is None where all are alike. The metrics of ``first`` are named before others.
    """
    names = dict.fromkeys((*first, *places))
    known = [places[name] for name in names if name in places and not METRICS[name].is_count]
    known = [place for place in known if place.of >= FEWEST_SYSTEMS]
    if len(known) < 2:
        return None
    best, worst = min(row.place for row in known), max(row.place for row in known)
    return {"best": _named(known, best), "worst": None if best == worst else _named(known, worst)}


def _named(known: Sequence[ValuePlace], place: int) -> dict[str, Any]:
    """Metrics by which a system has one place; ``more`` are left unnamed."""
    rows = [row for row in known if row.place == place]
    return {"place": rows[0], "places": rows[:NAMED], "more": max(0, len(rows) - NAMED)}
