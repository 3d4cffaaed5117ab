"""Where a system's values stand among those of its phase, and what that says of it in words."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from leaderboard.models import MetricResult
from leaderboard.selectors.board.best_values import Measure
from leaderboard.selectors.board.rows import frozen_values
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.ranking.ranking import Ranking, rules_key
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.web.version_cache import kept_for_version
from scoring.registry import METRICS, MetricInfo
from scoring.statistics import Floats

# With fewer systems every metric has a best and a worst, which says nothing.
FEWEST_SYSTEMS = 3
NAMED = 4


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """The place of a value, 1 the best, among the ``of`` values with its signature."""

    info: MetricInfo
    place: int
    of: int


@dataclass(frozen=True, slots=True)
class NamedMetrics:
    """Metrics by which a system has one place; ``more`` are left unnamed."""

    places: tuple[ValuePlace, ...]
    more: int

    @property
    def place(self) -> ValuePlace:
        """The place that they share."""
        return self.places[0]


@dataclass(frozen=True, slots=True)
class SystemSummary:
    """By which metrics a system stands best and worst; ``worst`` None where all are alike."""

    best: NamedMetrics
    worst: NamedMetrics | None


def value_places(ranking: Ranking, row: RankedRow) -> dict[str, ValuePlace]:
    """The places of a system's values among those of its phase's systems, by metric.

    Values that are equal with the decimals that are shown share the better place: where clips
    are hidden, nothing of the digits behind them is told. Only values with equal signatures are
    compared. One query where something has changed, however many systems there are.
    """
    mine = {name: cell for name, cell in row.values.items() if cell.value is not None}
    mine = {name: cell for name, cell in mine.items() if name in METRICS}
    keys = [line.key for line in ranking.rows]
    if row.key not in keys or not mine:
        return {}
    if ranking.view.until is None:
        key = ("values", *rules_key(ranking.phase), ranking.every_system, ranking.view)
        values = kept_for_version(key, lambda: _ordered_values(ranking))
    else:
        values = _ordered(
            (name, cell.signature, cell.value)
            for cells in frozen_values(ranking, keys, mine).values()
            for name, cell in cells.items()
            if cell.value is not None
        )
    found = {}
    for name, cell in mine.items():
        like = values.get((name, cell.signature), np.empty(0))
        limit = _better_from(cell, name)
        better = np.searchsorted(like, limit, side="right")
        if METRICS[name].direction == "higher":
            better = like.size - np.searchsorted(like, limit, side="left")
        found[name] = ValuePlace(cell.info, 1 + int(better), like.size)
    return found


def _ordered_values(ranking: Ranking) -> dict[Measure, Floats]:
    """All values of a ranking's systems by metric and signature, each in ascending order."""
    rows = MetricResult.objects.filter(
        submission__in=[line.key for line in ranking.rows],
        evaluation__published=True,
        value__isnull=False,
    ).values_list("metric", "signature", "value")
    return _ordered(rows.order_by().iterator(chunk_size=5000))


def _ordered(rows: Iterable[tuple[str, str, float | None]]) -> dict[Measure, Floats]:
    found: dict[Measure, list[float]] = defaultdict(list)
    for metric, signature, value in rows:
        found[metric, signature].append(value or 0.0)
    return {kind: np.sort(np.array(values, np.float64)) for kind, values in found.items()}


def _better_from(cell: MetricValue, name: str) -> float:
    """The value from which others are shown as better ones."""
    info = METRICS[name]
    half = 0.5 * 10.0**-info.decimals
    return round(cell.value or 0.0, info.decimals) + (half if info.direction == "higher" else -half)


def summary_of(places: Mapping[str, ValuePlace], first: Sequence[str] = ()) -> SystemSummary | None:
    """The strengths and weaknesses of a system by its places; None with too few systems or metrics.

    The metrics of ``first`` are named before others.
    """
    names = dict.fromkeys((*first, *places))
    known = [places[name] for name in names if name in places and not METRICS[name].is_count]
    known = [place for place in known if place.of >= FEWEST_SYSTEMS]
    if len(known) < 2:
        return None
    best, worst = min(row.place for row in known), max(row.place for row in known)
    return SystemSummary(_named(known, best), None if best == worst else _named(known, worst))


def _named(known: Sequence[ValuePlace], place: int) -> NamedMetrics:
    rows = [row for row in known if row.place == place]
    return NamedMetrics(tuple(rows[:NAMED]), max(0, len(rows) - NAMED))
