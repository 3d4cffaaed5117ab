"""The columns of a leaderboard: groups of metrics, presets, which are shown, which compare."""

import tomllib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from django.db.models import QuerySet

from earmark.registry import FAMILIES, METRICS, MetricInfo
from leaderboard.models import Evaluation, EvaluationState, Kind, Phase
from leaderboard.selectors.board.rows import Board, frozen_values
from leaderboard.selectors.ranking.ranking import Ranking

FILE = Path(__file__).parents[2] / "presets.toml"


@dataclass(frozen=True, slots=True)
class Preset:
    """Columns that are shown together; ``characteristics``: what teams say of their systems."""

    name: str
    label: str
    about: str
    metrics: tuple[str, ...]
    characteristics: bool = False


@cache
def presets() -> dict[str, Preset]:
    """The presets by name, in the order of the page; the last one shows everything."""
    rows = tomllib.loads(FILE.read_text(encoding="utf-8"))["preset"]
    read = [Preset(**row | {"metrics": tuple(row["metrics"])}) for row in rows]
    every = Preset("all", "All", "Every metric that any system has.", tuple(METRICS))
    return {preset.name: preset for preset in (*read, every)}


T = TypeVar("T")

# For families that the scorer had once.
OTHER = "Others"


def group_of(family: str) -> str:
    """The group of a metric family."""
    return FAMILIES[family].group if family in FAMILIES else OTHER


def grouped(items: Iterable[T], family: Callable[[T], str]) -> Iterator[tuple[str, tuple[T, ...]]]:
    """Items by the groups of their metric families; order within a group is kept."""
    groups: dict[str, list[T]] = {}
    for item in items:
        groups.setdefault(group_of(family(item)), []).append(item)
    titles = dict.fromkeys([*(info.group for info in FAMILIES.values()), OTHER])
    for title in titles:
        if title in groups:
            yield title, tuple(groups[title])


# What a leaderboard shows at first beside the ranking metric, where its phase does not say.
USUAL_COLUMNS = ("spider_fl", "fense", "cb_score", "aces", "sbf", "spice_plus_emb")


@dataclass(frozen=True, slots=True)
class Column:
    """One metric of the table.

    ``signatures`` lists those of the values that are shown; ``comparable`` tells
    whether all values of the ranking come from the same computation.
    """

    info: MetricInfo
    ranking: bool
    signatures: tuple[str, ...]
    comparable: bool = True


def columns_of(ranking: Ranking, board: Board) -> tuple[Column, tuple[Column, ...]]:
    """The column of the ranking metric, and all others that have something, by group.

    ``board`` holds some rows of the ranking: where it holds all of them, nothing is read.
    """
    shown: dict[str, set[str]] = defaultdict(set)
    family_names: set[str] = set()
    for row in board.rows:
        family_names |= {family.family for family in row.progress.families}
        for name, value in row.values.items():
            shown[name].add(value.signature)
    mixed = {name for name, signatures in shown.items() if len(signatures) > 1}
    if len(board.rows) < len(ranking.rows):
        families = (
            _signatures(ranking) if ranking.view.until is None else _frozen_signatures(ranking)
        )
        family_names |= set(families)
        mixed |= {info.name for info in board.metrics if len(families.get(info.family, ())) > 1}

    def column(info: MetricInfo, *, decides: bool = False) -> Column:
        signatures = tuple(sorted(shown.get(info.name, ())))
        return Column(info, decides, signatures, info.name not in mixed)

    others = [
        column(info)
        for info in board.metrics
        if info.name != ranking.phase.ranking_metric
        and (info.name in shown or (info.family in family_names and not info.several))
    ]
    groups = grouped(others, lambda column: column.info.family)
    deciding = ranking.phase.ranking_metric
    first = column(next(info for info in board.metrics if info.name == deciding), decides=True)
    return first, tuple(column for _, columns in groups for column in columns)


def shown_columns(
    phase: Phase, others: Iterable[Column], names: Collection[str] | None, *, also: str = ""
) -> tuple[Column, ...]:
    """Choose the columns to show beside the ranking metric.

    ``names`` are metrics, "all" for every one; None means those of the phase, else the
    usual ones; where none of these is there to be shown, all are. ``also`` is always shown.
    """
    every = tuple(others)
    if names is not None and "all" in names:
        return every
    wanted = names if names is not None else phase.columns or USUAL_COLUMNS
    shown = tuple(column for column in every if column.info.name in {*wanted, also})
    return every if names is None and not shown else shown


def _signatures(ranking: Ranking) -> dict[str, set[str]]:
    """The families asked for, each with the signatures of what is published.

    A metric's signature follows from that of its family. Looks at the systems of the
    ranking one by one only where the phase as a whole has a family in several ways.
    """
    published = Evaluation.objects.filter(
        submission__phase=ranking.phase, submission__kind=Kind.SYSTEM, published=True
    )
    by_family = _distinct(published)
    if any(len(signatures) > 1 for signatures in by_family.values()):
        keys = [line.key for line in ranking.rows]
        return _distinct(published.filter(submission__in=keys))
    return by_family


def _frozen_signatures(ranking: Ranking) -> dict[str, set[str]]:
    """The families with their signatures as they were frozen.

    Those of the metric of the family that has most: two metrics are no two signatures.
    """
    shown: dict[str, set[str]] = defaultdict(set)
    for row in frozen_values(ranking, [line.key for line in ranking.rows]).values():
        for name, value in row.items():
            if name in METRICS:
                shown[name].add(value.signature)
    by_family: dict[str, set[str]] = {}
    for name, signatures in shown.items():
        family = METRICS[name].family
        by_family[family] = max(by_family.get(family, set()), signatures, key=len)
    return by_family


def _distinct(published: QuerySet[Evaluation]) -> dict[str, set[str]]:
    by_family: dict[str, set[str]] = defaultdict(set)
    rows = published.order_by().values_list("family", "signature", "state").distinct()
    for family, signature, state in rows:
        # What failed or waits has no value yet.
        by_family[family] |= {signature} if state == EvaluationState.DONE else set()
    return by_family
