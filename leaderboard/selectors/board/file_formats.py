"""Writing a leaderboard as CSV or LaTeX, line by line."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from leaderboard.selectors.board.file_contents import Contents
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.web.csv_cells import csv_line, csv_text, csv_unquoted_line, one_line

Format = Literal["csv", "latex"]

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


@dataclass(frozen=True, slots=True)
class FileStyle:
    """How numbers are written: with their intervals, with the second best marked in LaTeX."""

    intervals: bool = False
    second: bool = False


def csv_lines(contents: Contents, style: FileStyle) -> Iterator[str]:
    """Write as CSV: first a line with ``#`` that says what it is, then the names of columns.

    A name that a spreadsheet would compute gets an apostrophe before it.
    """
    yield f"# {csv_unquoted_line(contents.title)}\r\n"
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
    for at, row in enumerate(contents.unranked()):
        yield ("\\midrule\n" if at == 0 else "") + _latex_row(contents, row, style, "--")
    yield "\\bottomrule\n\\end{tabular}\n\\end{table}\n"


_ARROWS = {"higher": r"\uparrow", "lower": r"\downarrow"}


def _latex_rank(row: RankedRow, style: FileStyle) -> str:
    if row.rank is None:
        return "--"
    ends = f" ({row.range.low}--{row.range.high})" if style.intervals and row.range else ""
    return f"{row.rank}{ends}"


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
    return one_line(text).translate(_LATEX)


WRITERS: dict[Format, Callable[[Contents, FileStyle], Iterator[str]]] = {
    "csv": csv_lines,
    "latex": latex_lines,
}
