"""The header of a delimited file: what it says, or what it must have meant."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.captions.faults import FaultLog, quoted
from scoring.captions.layout import (
    PREDICTIONS,
    REFERENCES,
    Layout,
    Roles,
    assign_roles,
    check_numbers,
)
from scoring.captions.names import ClipNames
from scoring.captions.rows import Row

MAX_COLUMNS = 200
DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "vertical bars"}
_NAME_LIKE = re.compile(r"file|name|audio|wav|clip|youtube|^id$|path", re.IGNORECASE)
_CAPTION_LIKE = re.compile(
    r"caption|predict|text|sentence|output|hypothes|candidate|description", re.IGNORECASE
)
_AUDIO_FILE = re.compile(r"\.(?:wav|flac|mp3|ogg|m4a)\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Columns:
    """Where names and captions stand in a row, and what the columns are called."""

    name: int
    captions: tuple[int, ...]
    labels: tuple[str, ...]
    pooled: bool
    has_header: bool = True


def find_delimiter(
    number: int, line: str, layout: Layout, names: ClipNames | None, log: FaultLog
) -> str:
    """Tell what separates the fields; anything but comma and tab is a fault."""
    delimiter = _delimiter(line, layout, names)
    if delimiter not in ",\t":
        log.error(
            number,
            None,
            line,
            f"The fields are separated by {DELIMITERS[delimiter]}. Save the file with commas.",
        )
    return delimiter


def _delimiter(line: str, layout: Layout, names: ClipNames | None) -> str:
    for delimiter in DELIMITERS:
        if assign_roles(_plain(line.split(delimiter)), layout).complete:
            return delimiter
    if names is not None:
        for delimiter in DELIMITERS:
            head, found, _ = line.partition(delimiter)
            if found and names.find(head.strip('"')) is not None:
                return delimiter
    return next((one for one in "\t,;|" if one in line), ",")


def _plain(fields: Sequence[str]) -> list[str]:
    """Drop white space and quotes around column names, and empty columns at the end."""
    plain = [field.strip().strip('"').strip() for field in fields]
    while len(plain) > 1 and not plain[-1]:
        plain.pop()
    return plain


def read_header(row: Row, layout: Layout, names: ClipNames | None, log: FaultLog) -> Columns | None:
    """Read the header row, or report what is wrong with it.

    Where the intention can be guessed the columns are still given, so that the
    rows can be checked too; None where it cannot.
    """
    columns = _plain(row.fields)
    if len(columns) > MAX_COLUMNS:
        log.error(
            row.line,
            None,
            ",".join(columns[:10]),
            f"The header has {len(columns):,} columns and the limit is {MAX_COLUMNS}. The header"
            f" is {layout.header}.",
        )
        return None
    roles = assign_roles(columns, layout)
    if roles.complete:
        _check_columns(columns, roles, row, layout, log)
        return _columns(columns, roles)
    if _is_other_kind(columns, layout):
        other = REFERENCES if layout is PREDICTIONS else PREDICTIONS
        log.error(
            row.line,
            None,
            ",".join(columns),
            f"This is the header of a {other.what} file. Give the {layout.what}, with the header"
            f" {layout.header}.",
        )
        return None
    if _is_data(columns, names):
        return _headerless(columns, row, layout, log)
    return _misnamed(columns, roles, row, layout, log)


def _columns(labels: Sequence[str], roles: Roles, *, has_header: bool = True) -> Columns:
    return Columns(roles.name or 0, roles.captions, tuple(labels), not roles.numbers, has_header)


def _check_columns(
    columns: Sequence[str], roles: Roles, row: Row, layout: Layout, log: FaultLog
) -> None:
    labels = [columns[index] for index in roles.captions]
    check_numbers(roles.numbers, labels, row.line, layout, log)
    for index in roles.extra:
        _report_extra(columns[index], index, columns, row.line, layout, log)


def _report_extra(
    column: str, index: int, columns: Sequence[str], line: int, layout: Layout, log: FaultLog
) -> None:
    if not layout.strict:
        log.warning(line, column or None, column, "This column is not read.")
    elif not column:
        log.error(
            line,
            None,
            ",".join(columns),
            f"Column {index + 1} has no name. Remove it; in pandas, use to_csv(..., index=False).",
        )
    elif columns.count(column) > 1:
        log.error(line, column, column, "This column is there more than once. Remove one of them.")
    else:
        log.error(
            line, column, column, f"There must be no such column. The header is {layout.header}."
        )


def _is_other_kind(columns: Sequence[str], layout: Layout) -> bool:
    if layout is PREDICTIONS:
        other = assign_roles(columns, REFERENCES)
        return other.name is not None and len(other.numbers) > 1
    return bool(assign_roles(columns, PREDICTIONS).captions)


def _is_data(columns: Sequence[str], names: ClipNames | None) -> bool:
    """Say whether the first row is a clip and not a header."""
    if any(_AUDIO_FILE.search(column) for column in columns):
        return True
    return names is not None and any(names.find(column) is not None for column in columns)


def _headerless(columns: Sequence[str], row: Row, layout: Layout, log: FaultLog) -> Columns | None:
    log.error(
        row.line,
        None,
        ",".join(columns),
        f"The header is missing. Put this line before the first row: {layout.header}",
    )
    if len(columns) < 2:
        return None
    count = 1 if layout.strict else len(columns) - 1
    labels = layout.header.split(",")[: count + 1]
    labels += [f"caption_{number}" for number in range(len(labels), count + 1)]
    roles = Roles(0, tuple(range(1, count + 1)), tuple(range(1, count + 1)), ())
    return _columns(labels, roles, has_header=False)


def _misnamed(
    columns: Sequence[str], roles: Roles, row: Row, layout: Layout, log: FaultLog
) -> Columns | None:
    name = roles.name
    if name is None:
        name = _guess(columns, _NAME_LIKE, taken=roles.captions)
    caption = roles.captions[0] if roles.captions else _guess(columns, _CAPTION_LIKE, taken=(name,))
    found = ",".join(columns)
    if name is None or caption is None:
        log.error(
            row.line,
            None,
            found,
            f"The header is wrong: the {layout.what} need the header {layout.header}, with at"
            " least two columns separated by commas.",
        )
        return None
    wanted = ((name, layout.names[0]), (caption, layout.header.split(",")[1]))
    renames = " and ".join(
        f"{quoted(columns[index])} to {quoted(right)}"
        for index, right in wanted
        if index != roles.name and index not in roles.captions
    )
    log.error(
        row.line,
        None,
        found,
        f"The header is wrong: the {layout.what} need {layout.header}. Rename {renames}.",
    )
    return _columns(columns, Roles(name, roles.captions or (caption,), roles.numbers, ()))


def _guess(
    columns: Sequence[str], pattern: re.Pattern[str], *, taken: Sequence[int | None]
) -> int | None:
    """Pick the column that was meant: by its name, else the first that is free."""
    free = [index for index in range(len(columns)) if index not in taken]
    likely = [index for index in free if pattern.search(columns[index])]
    return next(iter(likely or free), None)
