"""Tables of figures as plain text, HTML, LaTeX and pandas frames.

>>> print(FiguresTable(("metric", "value"), (("spice", figure(0.25, 3)),), ("No notes.",)))
metric  value
spice   0.250
No notes.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from earmark.errors import ResourceMissing
from earmark.results import Interval

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


def figure(value: float, decimals: int) -> str:
    """A figure with so many decimals; "none" where it is not finite."""
    return f"{value:.{decimals}f}" if math.isfinite(value) else "none"


def interval_text(interval: Interval, decimals: int) -> str:
    """Both ends of an interval; "none" where it has none."""
    if not (math.isfinite(interval.low) and math.isfinite(interval.high)):
        return "none"
    return f"{interval.low:.{decimals}f} to {interval.high:.{decimals}f}"


def latex_text(text: str) -> str:
    """Text in which nothing is a command of LaTeX."""
    return text.translate(_LATEX)


@dataclass(frozen=True, slots=True)
class FiguresTable:
    """Rows below headings, a name and then figures in each; and lines that stand below them."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        table = (self.headings, *self.rows) if self.rows else ()
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = (
            "  ".join(
                cell.rjust(width) if place else cell.ljust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in table
        )
        return "\n".join((*lines, *self.notes))

    def html(self) -> str:
        """A table of HTML for a notebook; all text is escaped."""
        head = _html_row("th", self.headings)
        body = "".join(_html_row("td", row) for row in self.rows)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>{notes}"

    def latex(self) -> str:
        """A tabular of LaTeX, which needs the package booktabs; notes stand in comments."""
        lines = [" & ".join(map(latex_text, row)) + r" \\" for row in (self.headings, *self.rows)]
        return "\n".join(
            (
                *(f"% {note}" for note in self.notes),
                f"\\begin{{tabular}}{{l{'r' * (len(self.headings) - 1)}}}",
                r"\toprule",
                lines[0],
                r"\midrule",
                *lines[1:],
                "\\bottomrule\n\\end{tabular}\n",
            )
        )


class HasTable(ABC):
    """What is shown as a table in a terminal, a notebook and a paper."""

    __slots__ = ()

    @property
    @abstractmethod
    def table(self) -> FiguresTable:
        """The table."""

    def __repr__(self) -> str:
        return str(self.table)

    def _repr_html_(self) -> str:
        return self.table.html()

    def latex(self) -> str:
        """The table as a tabular of LaTeX; it needs the package booktabs."""
        return self.table.latex()


def _html_row(kind: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{kind}>{escape(cell)}</{kind}>' for cell in cells)}</tr>"


def frame(columns: Mapping[str, Any], index: Iterable[str], name: str) -> Any:
    """A pandas DataFrame with a named index; raises ``ResourceMissing`` without pandas."""
    try:
        import pandas
    except ImportError as error:
        raise ResourceMissing(
            "to_frame() needs pandas, which is not installed. Install it: pip install pandas."
        ) from error
    return pandas.DataFrame(columns, index=pandas.Index(list(index), name=name))
