"""A leaderboard as a file: all rows, the columns chosen, what is best; as CSV or LaTeX."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from earmark.registry import METRICS, MetricInfo
from earmark.tables import latex_text
from leaderboard.models import Phase
from leaderboard.ranking import rounded
from leaderboard.selectors.board.columns import Column, columns_of, shown_columns
from leaderboard.selectors.board.query import BoardQuery
from leaderboard.selectors.board.rows import board_with
from leaderboard.selectors.board.table import Selection, rows_shown, select
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.ranking.rank_intervals import ranges_of
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visibility import EVERYTHING, Visibility
from leaderboard.web.csv_cells import csv_line, csv_text, csv_unquoted_line, one_line

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
        """What the table is."""
        shown, every = len(self.selection.rows), len(self.selection.ranking.rows)
        part = "" if shown == every else f" {shown} of {every} systems; ranks are those of all."
        return (
            f"{self.phase.challenge.title}, {self.phase.name}: ranked by "
            f"{self.columns[0].info.label} at {self.phase.precision} decimals.{part}"
        )

    @property
    def signatures(self) -> str:
        """What its numbers depend on."""
        return "Signatures: " + "; ".join(
            " and ".join(column.signatures) if column.comparable else f"{column.info.name}: mixed"
            for column in self.columns
            if column.signatures
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
    phase: Phase, query: BoardQuery, *, view: Visibility = EVERYTHING, own: Iterable[int] = ()
) -> Contents:
    """Choose the rows and columns that an address asks for, on whichever page they stand."""
    selection = select(phase, query, view=view, own_teams=frozenset(own), more=METRICS)
    first = [line.key for line in selection.rows[:AT_ONCE]]
    ranking, others = columns_of(selection.ranking, board_with(selection.ranking, first))
    shown = shown_columns(phase, others, query.names, also=selection.sort.key)
    contents = Contents(phase, selection, (ranking, *shown), {})
    best = {column.info.name: tuple(_best(contents, column.info)) for column in contents.columns}
    return replace(contents, best=best)


def _best(contents: Contents, info: MetricInfo) -> Iterator[str]:
    """The best value as it is written, then the next that is written differently."""
    values = contents.selection.ranking.values.get(info.name, {})
    cells = (values.get(line.key) for line in contents.selection.rows)
    numbers = [one.value for one in cells if one is not None and one.value is not None]
    texts = dict.fromkeys(
        contents.text(number, info)
        for number in sorted(numbers, reverse=info.direction == "higher")
    )
    yield from list(texts)[:2]


Format = Literal["csv", "latex"]


@dataclass(frozen=True, slots=True)
class FileStyle:
    """How numbers are written: with their intervals, with the second best marked in LaTeX."""

    intervals: bool = False
    second: bool = False


def csv_lines(contents: Contents, style: FileStyle) -> Iterator[str]:
    """Write as CSV: first a line with ``#`` that says what it is, then the names of columns.

    A name that a spreadsheet would compute gets an apostrophe before it.
    """
    yield f"# {csv_unquoted_line(f'{contents.title} {contents.signatures}')}\r\n"
    names = ["rank", "rank_low", "rank_high", "system", "team", "kind", "submitted_at"]
    for column in contents.columns:
        name = column.info.column
        names += [name, *([f"{name}_low", f"{name}_high"] if style.intervals else [])]
    yield csv_line(names)
    for row in (*contents.rows(), *contents.unranked()):
        yield csv_line(_csv_row(contents, row, style))


def _csv_row(contents: Contents, row: RankedRow, style: FileStyle) -> list[str]:
    ranks = row.range
    fields = [
        "" if row.rank is None else str(row.rank),
        *(("", "") if ranks is None else (str(ranks.low), str(ranks.high))),
        csv_text(row.system_name),
        csv_text(row.team_name),
        row.kind,
        row.submitted_at.isoformat(timespec="seconds"),
    ]
    for column in contents.columns:
        score = row.shown(column.info.name)
        ends = (score.value, score.low, score.high) if style.intervals else (score.value,)
        fields += [contents.text(number, column.info) for number in ends]
    return fields


def latex_lines(contents: Contents, style: FileStyle) -> Iterator[str]:
    """Write as a table of LaTeX with booktabs: the best of each column bold.

    Where it is wider or longer than a page it is made smaller, by adjustbox.
    """
    numbers = "r" * len(contents.columns)
    yield f"% {one_line(contents.signatures)}\n"
    yield "% Needs \\usepackage{booktabs,adjustbox}.\n\\begin{table}\n\\centering\n"
    yield f"\\caption{{{_latex(contents.title)}}}\n"
    yield "\\begin{adjustbox}{max totalsize={\\textwidth}{0.85\\textheight}}\n"
    yield f"\\begin{{tabular}}{{rll{numbers}}}\n\\toprule\n"
    heads = " & ".join(
        f"{_latex(column.info.label)} ${_ARROWS[column.info.direction]}$"
        for column in contents.columns
    )
    yield f"Rank & System & Team & {heads} \\\\\n\\midrule\n"
    for row in contents.rows():
        ends = f" ({row.range.low}--{row.range.high})" if style.intervals and row.range else ""
        rank = "--" if row.rank is None else f"{row.rank}{ends}"
        yield _latex_row(contents, row, style, rank)
    for at, row in enumerate(contents.unranked()):
        yield ("\\midrule\n" if at == 0 else "") + _latex_row(contents, row, style, "--")
    yield "\\bottomrule\n\\end{tabular}\n\\end{adjustbox}\n\\end{table}\n"


_ARROWS = {"higher": r"\uparrow", "lower": r"\downarrow"}


def _latex_row(contents: Contents, row: RankedRow, style: FileStyle, rank: str) -> str:
    ranked = rank != "--"
    cells = " & ".join(
        _latex_number(contents, row.shown(column.info.name), style, marked=ranked)
        for column in contents.columns
    )
    names = f"{_latex(row.system_name)} & {_latex(row.team_name)}"
    return f"{rank} & {names} & {cells} \\\\\n"


def _latex_number(contents: Contents, score: MetricValue, style: FileStyle, *, marked: bool) -> str:
    if score.value is None:
        return "--"
    text = contents.text(score.value, score.info)
    best = contents.best[score.info.name] if marked else ()
    if text in best[:1]:
        cell = f"\\textbf{{{text}}}"
    elif style.second and text in best[1:]:
        cell = f"\\underline{{{text}}}"
    else:
        cell = text
    if style.intervals and score.low is not None and score.high is not None:
        ends = (contents.text(end, score.info) for end in (score.low, score.high))
        cell += f" {{\\scriptsize [{', '.join(ends)}]}}"
    return cell


def _latex(text: str) -> str:
    return latex_text(one_line(text))


WRITERS: dict[Format, Callable[[Contents, FileStyle], Iterator[str]]] = {
    "csv": csv_lines,
    "latex": latex_lines,
}
