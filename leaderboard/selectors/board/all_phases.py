"""The rankings of all phases of a challenge in one table: teams as rows, phases as columns.

A team is one row over the phases in which the reader knows its name. Where names are hidden
it is a row of that phase alone, under the name that it has there: nothing joins it to others.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator

from leaderboard.models import Phase
from leaderboard.selectors.board.query import Sort
from leaderboard.selectors.ranking.ranking import Ranking, ranking_of
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visibility import Visibility

PER_PAGE = 100
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
    found: dict[tuple[int, int | None], TeamInPhases] = {}
    for at, ranking in enumerate(rankings):
        for line in ranking.rows:
            known = ranking.view.knows(line.team)
            key = line.team, None if known else at
            if key not in found:
                slug, own = line.team_slug if known else None, line.team in own_teams
                found[key] = TeamInPhases(line.team_name, slug, own, [None] * len(rankings))
            found[key].cells[at] = line
    return list(found.values())
