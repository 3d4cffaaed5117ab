"""The best values of a phase and how far its values go, metric by metric, from the database."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Max, Min, Q, QuerySet

from leaderboard.models import MetricResult
from leaderboard.selectors.board.rows import frozen_values
from leaderboard.selectors.evaluations.metric_value import MetricValue, values_read
from leaderboard.selectors.ranking.interval_scale import Scale, scale_of
from leaderboard.selectors.ranking.ranking import Ranking, rules_key
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.web.version_cache import kept_for_version
from scoring.registry import METRICS, MetricInfo

# With more systems than this the ticks of a scale would run together.
MOST_TICKS = 200
# A metric with its signature: only values that share both are compared.
Measure = tuple[str, str]


@dataclass(frozen=True, slots=True)
class BestValues:
    """Where the values of a metric end, and who has the best one, in rank order."""

    scale: Scale
    best: tuple[tuple[RankedRow, MetricValue], ...]


def extremes_of(ranking: Ranking) -> dict[Measure, BestValues]:
    """The extremes of every metric over the systems of a ranking.

    Three queries where something has changed, else one.
    """
    key = ("extremes", *rules_key(ranking.phase), ranking.every_system, ranking.view)
    return kept_for_version(key, lambda: _extremes(ranking))


def _extremes(ranking: Ranking) -> dict[Measure, BestValues]:
    if ranking.view.until is not None:
        return _frozen(ranking)
    ends = _ends(ranking)
    best = _best(ranking, ends)
    ticks = _ticks(ranking)
    return {
        kind: BestValues(Scale(low, high, ticks.get(kind, ())), tuple(best[kind]))
        for kind, (low, high, _) in ends.items()
    }


def _frozen(ranking: Ranking) -> dict[Measure, BestValues]:
    """The extremes of the numbers that were frozen."""
    found: dict[Measure, list[tuple[RankedRow, MetricValue]]] = defaultdict(list)
    rows = frozen_values(ranking, [line.key for line in ranking.rows])
    for line in ranking.rows:
        for metric, cell in rows[line.key].items():
            if cell.value is not None and metric in METRICS:
                found[metric, cell.signature].append((line, cell))
    return {kind: _of_cells(METRICS[kind[0]], cells) for kind, cells in found.items()}


def _of_cells(info: MetricInfo, cells: list[tuple[RankedRow, MetricValue]]) -> BestValues:
    values = [cell.value for _, cell in cells if cell.value is not None]
    best = max(values) if info.direction == "higher" else min(values)
    scale = scale_of((cell for _, cell in cells), ticks=len(values) <= MOST_TICKS)
    first = tuple((line, cell) for line, cell in cells if cell.value == best)
    return BestValues(scale or Scale(best, best), first)


def _results(ranking: Ranking) -> QuerySet[MetricResult]:
    return MetricResult.objects.filter(
        submission__in=[line.key for line in ranking.rows],
        evaluation__published=True,
        value__isnull=False,
    ).order_by()


def _ends(ranking: Ranking) -> dict[Measure, tuple[float, float, float]]:
    """The lowest and highest ends of all intervals, and the best value."""
    rows = (
        _results(ranking)
        .values_list("metric", "signature")
        .annotate(worst=Min("value"), most=Max("value"), low=Min("low"), high=Max("high"))
    )
    return {
        (metric, signature): (
            least if low is None else min(least, low),
            most if high is None else max(most, high),
            most if METRICS[metric].direction == "higher" else least,
        )
        for metric, signature, least, most, low, high in rows
        if metric in METRICS
    }


def _best(
    ranking: Ranking, ends: Mapping[Measure, tuple[float, float, float]]
) -> Mapping[Measure, list[tuple[RankedRow, MetricValue]]]:
    """Find who has the best value of each metric; equals in rank order."""
    found: dict[Measure, list[tuple[RankedRow, MetricValue]]] = defaultdict(list)
    if not ends:
        return found
    wanted = Q()
    for (metric, signature), (_, _, highest) in ends.items():
        wanted |= Q(metric=metric, value=highest, signature=signature)
    place = {line.key: at for at, line in enumerate(ranking.rows)}
    rows = values_read(_results(ranking).filter(wanted))
    for key, value in sorted(rows, key=lambda row: place[row[0]]):
        found[value.metric, value.signature].append((ranking.rows[place[key]], value))
    return found


def _ticks(ranking: Ranking) -> dict[Measure, tuple[float, ...]]:
    """The values of all systems, where there are few enough to be drawn apart."""
    if len(ranking.rows) > MOST_TICKS:
        return {}
    values: dict[Measure, set[float]] = defaultdict(set)
    for metric, signature, tick in _results(ranking).values_list("metric", "signature", "value"):
        if tick is not None:
            values[metric, signature].add(tick)
    return {kind: tuple(sorted(found)) for kind, found in values.items()}
