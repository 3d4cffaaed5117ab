"""Lines of CSV files, and cells that a spreadsheet does not compute."""

import csv
import re
from collections.abc import Iterable
from io import StringIO

# What a spreadsheet would take for the start of a formula; in some languages wide signs, too.
_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
_AT_START = re.compile(rf"(?=[{_SIGNS}\t\r\n])")
# Where a semicolon divides cells, as in much of Europe, quotation marks within a line do not
# hold a cell together.
_AFTER_SEMICOLON = re.compile(rf"(;\s*)(?=[{_SIGNS}])")
_AFTER_ANY = re.compile(rf"([,;]\s*)(?=[{_SIGNS}])")


def csv_line(cells: Iterable[object]) -> str:
    """A row of cells as a line of CSV, with its end."""
    line = StringIO(newline="")
    csv.writer(line).writerow(cells)
    return line.getvalue()


def csv_text(text: str) -> str:
    """A text on one line, with an apostrophe before it where a spreadsheet would compute it."""
    return without_formula(one_line(text))


def without_formula(text: str) -> str:
    """A text with an apostrophe before whatever a spreadsheet would compute."""
    marked = _AFTER_SEMICOLON.sub(r"\1'", text)
    return f"'{marked}" if _AT_START.match(marked) else marked


def csv_unquoted_line(text: str) -> str:
    """A text as an unquoted line of its own, no part of which a spreadsheet computes."""
    return _AFTER_ANY.sub(r"\1'", one_line(text))


def one_line(text: str) -> str:
    """A text without line ends and other runs of white space."""
    return " ".join(text.split())
