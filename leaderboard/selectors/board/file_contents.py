"""A leaderboard to be written to a file: all rows, the columns chosen, what is best."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from leaderboard.models import Phase
from leaderboard.ranking import rounded
from leaderboard.selectors.board.columns import Column, columns_of, shown_columns
from leaderboard.selectors.board.query import BoardQuery
from leaderboard.selectors.board.rows import board_with
from leaderboard.selectors.board.table import Selection, rows_shown, select
from leaderboard.selectors.ranking.rank_intervals import ranges_of
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visibility import EVERYTHING, Visibility
from scoring.registry import METRICS, MetricInfo

AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Contents:
    """A table that is read piece by piece; the first column is what ranks.

    ``best`` are the best and second best values of each metric as ``text`` writes them.
    """

    phase: Phase
    selection: Selection
    columns: tuple[Column, ...]
    best: Mapping[str, tuple[str, ...]]

    @property
    def title(self) -> str:
        """What the table is, and what its numbers depend on."""
        shown, every = len(self.selection.rows), len(self.selection.ranking.rows)
        part = "" if shown == every else f" {shown} of {every} systems; ranks are those of all."
        signatures = "; ".join(
            " and ".join(column.signatures) if column.comparable else f"{column.info.name}: mixed"
            for column in self.columns
            if column.signatures
        )
        return (
            f"{self.phase.challenge.title}, {self.phase.name}: ranked by "
            f"{self.columns[0].info.label} at {self.phase.precision} decimals.{part} "
            f"Signatures: {signatures}"
        )

    def decimals(self, info: MetricInfo) -> int:
        """Decimals of a metric; for the ranking metric those of the phase."""
        decides = info.name == self.phase.ranking_metric
        return self.phase.precision if decides else info.decimals

    def text(self, value: float | None, info: MetricInfo) -> str:
        """Write a value at the decimals of the file, empty where there is none."""
        number = rounded(value, self.decimals(info))
        return "" if number is None else f"{abs(number) if number == 0 else number:f}"

    def rows(self) -> Iterator[RankedRow]:
        """Read what competes, some hundred rows at a time."""
        ranking, lines = self.selection.ranking, self.selection.rows
        alone = replace(ranking, unranked=())
        for start in range(0, len(lines), AT_ONCE):
            keys = [line.key for line in lines[start : start + AT_ONCE]]
            board = board_with(alone, keys, metrics=self._names())
            yield from rows_shown(board, frozenset(), ranges_of(ranking, keys))

    def unranked(self) -> Iterator[RankedRow]:
        """Read what does not compete."""
        board = board_with(self.selection.ranking, [], metrics=self._names())
        yield from board.unranked

    def _names(self) -> set[str]:
        return {column.info.name for column in self.columns}


def contents_of(
    phase: Phase, asked: BoardQuery, *, view: Visibility = EVERYTHING, own: Iterable[int] = ()
) -> Contents:
    """Choose the rows and columns that an address asks for, on whichever page they stand."""
    selection = select(phase, asked, view=view, own_teams=frozenset(own), more=METRICS)
    first = [line.key for line in selection.rows[:AT_ONCE]]
    ranking, others = columns_of(selection.ranking, board_with(selection.ranking, first))
    shown = shown_columns(phase, others, asked.names, also=selection.sort.key)
    found = Contents(phase, selection, (ranking, *shown), {})
    best = {column.info.name: tuple(_best(found, column.info)) for column in found.columns}
    return replace(found, best=best)


def _best(contents: Contents, info: MetricInfo) -> Iterator[str]:
    """The best value as it is written, then the next that is written differently."""
    values = contents.selection.ranking.values.get(info.name, {})
    found = (values.get(line.key) for line in contents.selection.rows)
    numbers = [one.value for one in found if one is not None and one.value is not None]
    texts = dict.fromkeys(
        contents.text(number, info)
        for number in sorted(numbers, reverse=info.direction == "higher")
    )
    yield from list(texts)[:2]
