"""Cells of CSV files that a spreadsheet does not compute."""

import re

# What a spreadsheet would take for the start of a formula; in some languages wide signs, too.
_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
_AT_START = re.compile(rf"(?=[{_SIGNS}\t\r\n])")
# Where a semicolon divides cells, as in much of Europe, quotation marks within a line do not
# hold a cell together.
_AFTER_SEMICOLON = re.compile(rf"(;\s*)(?=[{_SIGNS}])")
_AFTER_ANY = re.compile(rf"([,;]\s*)(?=[{_SIGNS}])")


def harmless(text: str) -> str:
    """Give a text in one line; where a spreadsheet would compute it, after an apostrophe."""
    return no_formula(one_line(text))


def no_formula(text: str) -> str:
    """Put an apostrophe before whatever a spreadsheet would compute."""
    marked = _AFTER_SEMICOLON.sub(r"\1'", text)
    return f"'{marked}" if _AT_START.match(marked) else marked


def harmless_line(text: str) -> str:
    """Give a text as a line of its own, unquoted, of whose parts none is computed."""
    return _AFTER_ANY.sub(r"\1'", one_line(text))


def one_line(text: str) -> str:
    """Give a text without line ends and other runs of white space."""
    return " ".join(text.split())
