"""The leaderboard as a table: one page of its rows, and its columns; and that of all phases.

In the latter a team is one row over the phases in which the reader knows its name. Where names are
hidden it is a row of that phase alone, under the name that it has there: nothing joins it to
others.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.core.paginator import Page, Paginator

from earmark.registry import METRICS
from leaderboard.models import Phase
from leaderboard.selectors.board.columns import Column, columns_of, grouped, shown_columns
from leaderboard.selectors.board.query import BoardQuery, Sort
from leaderboard.selectors.board.rows import Board, board_with
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.ranking.rank_intervals import Ranges, ranges_of
from leaderboard.selectors.ranking.ranking import Ranking, ranking_of, rules_key
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visibility import EVERYTHING, Visibility
from leaderboard.web.version_cache import kept_for_version

PER_PAGE = 100


@dataclass(frozen=True, slots=True)
class Table:
    """All that the page shows.

    ``columns`` are shown next to the ranking metric, ``choices`` can be. ``unranked``
    are the rows that do not compete, under signatures of their own.
    """

    phase: Phase
    ranking: Column
    columns: tuple[Column, ...]
    choices: tuple[Column, ...]
    rows: tuple[RankedRow, ...]
    unranked: tuple[RankedRow, ...]
    sort: Sort
    page: Page[RankedRow]
    total: int
    ranges: Ranges

    @property
    def incomparable(self) -> tuple[Column, ...]:
        """The columns whose values were computed in different ways."""
        return tuple(column for column in (self.ranking, *self.columns) if not column.comparable)

    @property
    def groups(self) -> tuple[tuple[str, int], ...]:
        """The headings over the columns, each with how many it spans."""
        groups = grouped(self.columns, lambda column: column.info.family)
        return tuple((title, len(columns)) for title, columns in groups)


@dataclass(frozen=True, slots=True)
class Selection:
    """The systems of a ranking that an address asks for, in its order."""

    ranking: Ranking
    rows: tuple[RankedRow, ...]
    sort: Sort
    own: frozenset[int]


def select(
    phase: Phase,
    query: BoardQuery,
    *,
    view: Visibility = EVERYTHING,
    own_teams: Collection[int] = (),
    more: Collection[str] = (),
) -> Selection:
    """Choose and sort the systems that are asked for; ranks stay those of the whole ranking.

    Two queries. Nonsense to sort by means by rank. The values of the metrics in ``more``
    are read for all systems.
    """
    computed = phase.computed
    sort = query.sort if query.sort.key in {"rank", *TEXT_KEYS, *computed} else Sort()
    ranking = ranking_of(
        phase,
        view=view,
        every_system=query.every_system,
        details=query.filters.by_traits or query.characteristics,
        more={sort.key, *more} & set(computed),
    )
    own = frozenset(own_teams)
    lines = [
        line
        for line in ranking.rows
        if (not query.own or line.team in own) and query.filters.shows(line)
    ]
    return Selection(ranking, tuple(_sorted(lines, ranking, sort)), sort, own)


def table_of(
    phase: Phase,
    query: BoardQuery,
    *,
    view: Visibility = EVERYTHING,
    own_teams: Collection[int] = (),
) -> Table:
    """Lay one page of a leaderboard out.

    A metric's first click gives best first. Systems without a value stand last
    whichever way is asked for. The metric that the rows are sorted by is always
    shown. Metrics that no system has been asked for cannot be chosen.
    """
    kept = kept_for_version(
        table_key(phase, query, view=view, own_teams=own_teams),
        lambda: _table(phase, query, view=view, own_teams=own_teams),
    )
    return replace(kept, phase=phase)


def table_key(
    phase: Phase, query: BoardQuery, *, view: Visibility, own_teams: Collection[int]
) -> tuple[object, ...]:
    """What tells a table apart from others, for what is kept of it."""
    columns = tuple(phase.columns or ())
    return ("table", *rules_key(phase), columns, query, view, frozenset(own_teams))


def _table(
    phase: Phase, query: BoardQuery, *, view: Visibility, own_teams: Collection[int]
) -> Table:
    selection = select(phase, query, view=view, own_teams=own_teams)
    page = Paginator(selection.rows, PER_PAGE).get_page(max(1, query.page))
    keys = [line.key for line in page]
    board = board_with(selection.ranking, keys)
    ranking, others = columns_of(selection.ranking, board)
    shown = shown_columns(phase, others, query.names, also=selection.sort.key)
    ranges = ranges_of(selection.ranking, keys)
    return Table(
        phase=phase,
        ranking=ranking,
        columns=shown,
        choices=others,
        rows=rows_shown(board, selection.own, ranges),
        unranked=board.unranked,
        sort=selection.sort,
        page=page,
        total=len(selection.ranking.rows),
        ranges=ranges,
    )


def rows_shown(board: Board, own: frozenset[int], ranges: Ranges) -> tuple[RankedRow, ...]:
    """Rows of a board with the ranges of their ranks, and whether the reader's team owns them."""
    return tuple(
        row._replace(own=row.team in own, range=ranges.by_key.get(row.key)) for row in board.rows
    )


TEXT_KEYS: dict[str, Callable[[RankedRow], tuple[str, int] | tuple[datetime, int]]] = {
    "team": lambda line: (line.team_name.casefold(), line.key),
    "system": lambda line: (line.system_name.casefold(), line.key),
    "date": lambda line: (line.submitted_at, line.key),
}


def _sorted(lines: list[RankedRow], ranking: Ranking, sort: Sort) -> list[RankedRow]:
    """Sort lines that stand in rank order; equals keep it."""
    if sort.key in TEXT_KEYS:
        return sorted(lines, key=TEXT_KEYS[sort.key], reverse=sort.reverse)
    badness = _badness(ranking, sort.key)
    measured = [(badness(line), line) for line in lines]
    ranked = [(bad, line) for bad, line in measured if bad is not None]
    ranked.sort(key=lambda pair: pair[0], reverse=sort.reverse)
    return [line for _, line in ranked] + [line for bad, line in measured if bad is None]


def _badness(ranking: Ranking, key: str) -> Callable[[RankedRow], float | None]:
    """A key that sorts rows from the best to the worst by rank or by a metric."""
    if key == "rank":
        return lambda line: line.rank
    values = ranking.values.get(key, {})
    sign = -1 if METRICS[key].direction == "higher" else 1

    def badness(line: RankedRow) -> float | None:
        cell: MetricValue | None = values.get(line.key)
        return None if cell is None or cell.value is None else sign * cell.value

    return badness


# No address of a phase has such a mark.
BY_TEAM = "@team"


@dataclass(frozen=True, slots=True)
class TeamInPhases:
    """A team with the system that counts for it in each phase, None where it has none.

    ``slug`` is None where the team's name is hidden, ``own`` tells that the reader is in it.
    """

    name: str
    slug: str | None
    own: bool
    cells: list[RankedRow | None]


@dataclass(frozen=True, slots=True)
class AllPhases:
    """A page of the table; ``rankings`` are its columns, of the phases in their order."""

    rankings: tuple[Ranking, ...]
    page: Page[TeamInPhases]
    sort: Sort

    @property
    def columns(self) -> tuple[Phase, ...]:
        """The phases of the columns."""
        return tuple(ranking.phase for ranking in self.rankings)


def all_phases(
    phases: Sequence[tuple[Phase, Visibility]],
    sort: Sort,
    *,
    page: int = 1,
    own_teams: Collection[int] = (),
    per_page: int = PER_PAGE,
) -> AllPhases:
    """Lay out phases, each as the reader sees it; two queries for each.

    Sorted by the phase that ``sort`` names, where it names none by the last in which somebody
    is ranked. Teams that are not ranked there stand last, by name.
    """
    rankings = tuple(ranking_of(phase, view=view) for phase, view in phases)
    slugs = [ranking.phase.slug for ranking in rankings]
    if sort.key not in {*slugs, BY_TEAM}:
        ranked = [one.phase.slug for one in rankings if any(row.rank for row in one.rows)]
        sort = Sort(ranked[-1] if ranked else BY_TEAM, reverse=False)
    rows = _rows(rankings, own_teams)
    rows.sort(key=lambda row: (row.name.casefold(), row.slug or ""))
    if sort.key == BY_TEAM:
        rows = rows[::-1] if sort.reverse else rows
    else:
        at = slugs.index(sort.key)
        order = [line.key for line in rankings[at].rows if line.rank is not None]
        place = {key: place for place, key in enumerate(order[::-1] if sort.reverse else order)}

        def place_of(row: TeamInPhases) -> int:
            cell = row.cells[at]
            return len(place) if cell is None else place.get(cell.key, len(place))

        rows.sort(key=place_of)
    return AllPhases(rankings, Paginator(rows, per_page).get_page(max(1, page)), sort)


def _rows(rankings: Sequence[Ranking], own_teams: Collection[int]) -> list[TeamInPhases]:
    teams: dict[tuple[int, int | None], TeamInPhases] = {}
    for at, ranking in enumerate(rankings):
        for line in ranking.rows:
            known = ranking.view.knows(line.team)
            key = line.team, None if known else at
            if key not in teams:
                slug, own = line.team_slug if known else None, line.team in own_teams
                teams[key] = TeamInPhases(line.team_name, slug, own, [None] * len(rankings))
            teams[key].cells[at] = line
    return list(teams.values())
