"""The leaderboard as a table: columns, cells with their reasons, sorting."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils.http import urlencode

from leaderboard.models import EvaluationState, Submission
from leaderboard.selectors.phases import Board, Cell, Row
from leaderboard.selectors.progress import FamilyProgress
from leaderboard.selectors.scales import Scale, scale_of
from scoring.registry import MetricInfo

# What a leaderboard shows at first beside the ranking metric, where its phase does not say.
USUAL_COLUMNS = ("spider_fl", "fense", "cb_score", "aces", "sbf", "spice_plus_emb")
NO_VALUE = "This metric says nothing about these captions."
NOT_ASKED = "This metric was not computed for this system."
NOT_YET = {
    EvaluationState.PENDING: "Waiting to be scored.",
    EvaluationState.RUNNING: "Being scored.",
}


@dataclass(frozen=True, slots=True)
class Column:
    """One metric of the table.

    ``signatures`` lists all under which the values shown were computed; more
    than one means that they must not be compared.
    """

    info: MetricInfo
    ranking: bool
    signatures: tuple[str, ...]

    @property
    def comparable(self) -> bool:
        """Whether all values come from the same computation."""
        return len(self.signatures) < 2


@dataclass(frozen=True, slots=True)
class TableCell:
    """A number, or why there is none."""

    info: MetricInfo
    cell: Cell | None
    reason: str
    pending: bool


@dataclass(frozen=True, slots=True)
class TableRow:
    """A system with its ranking metric and the others."""

    submission: Submission
    rank: int | None
    counts: bool
    own: bool
    unsettled: str
    ranking: TableCell
    cells: tuple[TableCell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """All that the page shows; ``scale`` is that of the ranking metric.

    ``columns`` are shown beside the ranking metric, ``choices`` can be. ``beside``
    stands what does not compete, under signatures of its own.
    """

    ranking: Column
    columns: tuple[Column, ...]
    choices: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    beside: tuple[TableRow, ...]
    scale: Scale | None
    sort: "Sort"

    @property
    def incomparable(self) -> tuple[Column, ...]:
        """The columns whose values were computed in different ways."""
        return tuple(column for column in (self.ranking, *self.columns) if not column.comparable)


@dataclass(frozen=True, slots=True)
class Sort:
    """By which column the rows stand, and whether turned round."""

    key: str = "rank"
    reverse: bool = False

    def link(self, key: str) -> str:
        """Give the value of ``?sort=`` that a click on a column asks for."""
        return f"-{key}" if key == self.key and not self.reverse else key


@dataclass(frozen=True, slots=True)
class Kept:
    """What links on the page carry on: which systems and which columns are shown.

    ``columns`` is empty where the visitor chose none.
    """

    systems: tuple[tuple[str, str], ...]
    columns: tuple[tuple[str, str], ...]

    def query(self, *more: tuple[str, str]) -> str:
        """Write both as the query of an address."""
        return urlencode([*self.systems, *self.columns, *more])

    @property
    def columns_alone(self) -> str:
        """Write the columns as the query of an address."""
        return urlencode(self.columns)


def table_of(
    board: Board,
    *,
    sort: str = "",
    columns: Collection[str] | None = None,
    own_teams: Iterable[int] = (),
) -> Table:
    """Lay a board out; ``sort`` is what the address asks for, nonsense means by rank.

    A metric's first click gives best first. Systems without a value stand last
    whichever way is asked for. ``columns`` names the metrics to show, "all" for
    every one; None means those of the phase, else the usual ones. The metric
    that the rows are sorted by is always shown. Metrics that no system has been
    asked for cannot be chosen.
    """
    own = frozenset(own_teams)
    ranking, others = _columns(board)
    order = _sort(sort, (ranking, *others))
    shown = _shown(board, others, columns, order)
    rows = [_row(row, ranking, shown, own) for row in board.rows]
    return Table(
        ranking=ranking,
        columns=tuple(shown),
        choices=tuple(others),
        rows=tuple(_sorted(rows, order)),
        beside=tuple(_row(row, ranking, shown, own) for row in board.beside),
        scale=scale_of(row.ranking.cell for row in rows if row.ranking.cell),
        sort=order,
    )


def _shown(
    board: Board, others: list[Column], asked: Collection[str] | None, order: "Sort"
) -> list[Column]:
    """Choose the columns to show; where no usual one is there to be shown, all are."""
    if asked is not None and "all" in asked:
        return others
    wanted = asked if asked is not None else board.phase.columns or USUAL_COLUMNS
    shown = [column for column in others if column.info.name in {*wanted, order.key}]
    return others if asked is None and not shown else shown


def _columns(board: Board) -> tuple[Column, list[Column]]:
    asked = {family.family for row in board.rows for family in row.progress.families}
    ranking: Column | None = None
    others = []
    for info in board.metrics:
        decides = info.name == board.phase.ranking_metric
        signatures = {
            row.cells[info.name].signature for row in board.rows if info.name in row.cells
        }
        column = Column(info, decides, tuple(sorted(signatures)))
        if decides:
            ranking = column
        elif signatures or (info.family in asked and not info.several):
            others.append(column)
    return ranking or Column(board.phase.ranking, True, ()), others


def _row(row: Row, ranking: Column, others: list[Column], own: frozenset[int]) -> TableRow:
    families = {family.family: family for family in row.progress.families}
    return TableRow(
        submission=row.submission,
        rank=row.rank,
        counts=row.counts,
        own=row.submission.team_id in own,
        unsettled="" if row.progress.settled else row.progress.state,
        ranking=table_cell(ranking.info, row.cells, families),
        cells=tuple(table_cell(column.info, row.cells, families) for column in others),
    )


def table_cell(
    info: MetricInfo, cells: dict[str, Cell], families: dict[str, FamilyProgress]
) -> TableCell:
    """Give a metric's number, or say why there is none."""
    cell = cells.get(info.name)
    if cell is not None and cell.value is not None:
        return TableCell(info, cell, "", pending=False)
    family = families.get(info.family)
    if family is None:
        return TableCell(info, None, NOT_ASKED, pending=False)
    if family.state in NOT_YET:
        return TableCell(info, None, NOT_YET[family.state], pending=True)
    return TableCell(info, None, family.reason or NO_VALUE, pending=False)


_TEXT_KEYS: dict[str, Callable[[TableRow], tuple[str, int] | tuple[datetime, int]]] = {
    "team": lambda row: (row.submission.team.name.casefold(), row.submission.pk),
    "system": lambda row: (row.submission.system_name.casefold(), row.submission.pk),
    "date": lambda row: (row.submission.created_at, row.submission.pk),
}


def _sort(asked: str, columns: Iterable[Column]) -> Sort:
    key = asked.removeprefix("-")
    known = {"rank", *_TEXT_KEYS, *(column.info.name for column in columns)}
    return Sort(key, asked.startswith("-")) if key in known else Sort()


def _sorted(rows: list[TableRow], sort: Sort) -> list[TableRow]:
    """Sort rows that stand in rank order; equals keep it."""
    if sort.key in _TEXT_KEYS:
        return sorted(rows, key=_TEXT_KEYS[sort.key], reverse=sort.reverse)
    measured = [(_badness(row, sort.key), row) for row in rows]
    ranked = [(badness, row) for badness, row in measured if badness is not None]
    ranked.sort(key=lambda pair: pair[0], reverse=sort.reverse)
    return [row for _, row in ranked] + [row for badness, row in measured if badness is None]


def _badness(row: TableRow, key: str) -> float | None:
    """Give what grows from the best row to the worst by rank or by a metric."""
    if key == "rank":
        return row.rank
    for item in (row.ranking, *row.cells):
        if item.info.name == key and item.cell is not None and item.cell.value is not None:
            return -item.cell.value if item.info.direction == "higher" else item.cell.value
    return None
