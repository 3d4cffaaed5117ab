"""Writing a leaderboard as CSV, LaTeX or Markdown, line by line."""

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from leaderboard.selectors.board_files import Contents
from leaderboard.selectors.boards import TableCell, TableRow
from leaderboard.selectors.csv_cells import harmless, harmless_line, one_line

Format = Literal["csv", "latex", "markdown"]

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "%": r"\%",
        "#": r"\#",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
    }
)
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~&])")


@dataclass(frozen=True, slots=True)
class Style:
    """How numbers are written: with their intervals, with the second best marked in LaTeX."""

    intervals: bool = False
    second: bool = False


class _Line:
    """A file of which the csv module writes one line."""

    def write(self, text: str) -> str:
        return text


def csv_lines(contents: Contents, style: Style) -> Iterator[str]:
    """Write as CSV: first a line with ``#`` that says what it is, then the names of columns.

    A name that a spreadsheet would compute gets an apostrophe before it.
    """
    write: Callable[[list[str]], str] = csv.writer(_Line()).writerow
    yield f"# {harmless_line(contents.title)}\r\n"
    names = ["rank", "rank_low", "rank_high", "system", "team", "kind", "submitted_at"]
    for column in contents.columns:
        name = column.info.name
        names += [name, *([f"{name}_low", f"{name}_high"] if style.intervals else [])]
    yield write(names)
    for row in (*contents.rows(), *contents.beside()):
        yield write(_csv_row(contents, row, style))


def _csv_row(contents: Contents, row: TableRow, style: Style) -> list[str]:
    submission, ranks = row.submission, row.range
    fields = [
        "" if row.rank is None else str(row.rank),
        *(("", "") if ranks is None else (str(ranks.low), str(ranks.high))),
        harmless(submission.system_name),
        harmless(submission.team.name),
        submission.kind,
        submission.created_at.isoformat(timespec="seconds"),
    ]
    for item in (row.ranking, *row.cells):
        cell = item.cell
        ends = (cell.value, cell.low, cell.high) if cell else (None, None, None)
        shown = ends if style.intervals else ends[:1]
        fields += [contents.text(number, item.info) for number in shown]
    return fields


def latex_lines(contents: Contents, style: Style) -> Iterator[str]:
    """Write as a table of LaTeX with booktabs: the best of each column bold."""
    numbers = "r" * len(contents.columns)
    yield "% Needs \\usepackage{booktabs}.\n\\begin{table}\n\\centering\n"
    yield f"\\caption{{{_latex(contents.title)}}}\n"
    yield f"\\begin{{tabular}}{{rll{numbers}}}\n\\toprule\n"
    heads = " & ".join(
        f"{_latex(column.info.label)} ${_ARROWS[column.info.direction]}$"
        for column in contents.columns
    )
    yield f"Rank & System & Team & {heads} \\\\\n\\midrule\n"
    for row in contents.rows():
        yield _latex_row(contents, row, style, _latex_rank(row, style))
    for at, row in enumerate(contents.beside()):
        yield ("\\midrule\n" if at == 0 else "") + _latex_row(contents, row, style, "--")
    yield "\\bottomrule\n\\end{tabular}\n\\end{table}\n"


_ARROWS = {"higher": r"\uparrow", "lower": r"\downarrow"}


def _latex_rank(row: TableRow, style: Style) -> str:
    if row.rank is None:
        return "--"
    with_range = style.intervals and row.range is not None
    return (
        f"{row.rank} ({row.range.low}--{row.range.high})"
        if with_range and row.range
        else str(row.rank)
    )


def _latex_row(contents: Contents, row: TableRow, style: Style, rank: str) -> str:
    ranked = rank != "--"
    cells = " & ".join(
        _latex_number(contents, item, style, marked=ranked) for item in (row.ranking, *row.cells)
    )
    names = f"{_latex(row.submission.system_name)} & {_latex(row.submission.team.name)}"
    return f"{rank} & {names} & {cells} \\\\\n"


def _latex_number(contents: Contents, item: TableCell, style: Style, *, marked: bool) -> str:
    if item.cell is None:
        return "--"
    text = contents.text(item.cell.value, item.info)
    best = contents.best[item.info.name] if marked else ()
    if text in best[:1]:
        said = f"\\textbf{{{text}}}"
    elif style.second and text in best[1:]:
        said = f"\\underline{{{text}}}"
    else:
        said = text
    if style.intervals and item.cell.low is not None and item.cell.high is not None:
        ends = (contents.text(end, item.info) for end in (item.cell.low, item.cell.high))
        said += f" {{\\scriptsize [{', '.join(ends)}]}}"
    return said


def _latex(text: str) -> str:
    return one_line(text).translate(_LATEX)


def markdown_lines(contents: Contents, style: Style) -> Iterator[str]:
    """Write as a table of Markdown, the best of each column bold."""
    yield f"{_markdown(contents.title)}\n\n"
    labels = [_markdown(column.info.label) for column in contents.columns]
    yield f"| Rank | System | Team | {' | '.join(labels)} |\n"
    yield f"|---:|---|---|{'---:|' * len(labels)}\n"
    for row in contents.rows():
        yield _markdown_row(contents, row, style, marked=True)
    for row in contents.beside():
        yield _markdown_row(contents, row, style, marked=False)


def _markdown_row(contents: Contents, row: TableRow, style: Style, *, marked: bool) -> str:
    rank = "" if row.rank is None else str(row.rank)
    if style.intervals and row.range is not None:
        rank += f" ({row.range.text})"
    cells = []
    for item in (row.ranking, *row.cells):
        text = contents.text(item.cell.value, item.info) if item.cell else "n/a"
        if marked and text in contents.best[item.info.name][:1]:
            text = f"**{text}**"
        if style.intervals and item.cell and item.cell.low is not None:
            ends = (contents.text(end, item.info) for end in (item.cell.low, item.cell.high))
            text += f" ({' to '.join(ends)})"
        cells.append(text)
    names = [_markdown(row.submission.system_name), _markdown(row.submission.team.name)]
    return f"| {' | '.join([rank, *names, *cells])} |\n"


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", one_line(text))


WRITERS: dict[Format, Callable[[Contents, Style], Iterator[str]]] = {
    "csv": csv_lines,
    "latex": latex_lines,
    "markdown": markdown_lines,
}
