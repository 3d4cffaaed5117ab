"""Captions in a CSV file: columns with captions, the others are their meta."""

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import IO

from annotation.formats.offsets import read_tokens
from annotation.formats.records import (
    Record,
    RecordFault,
    SkippedLine,
    require_storable,
    require_text,
)

DELIMITERS = ",;\t"
_CAPTION = re.compile(r"(text|caption(_\d+)?)", re.IGNORECASE)


def read(file: IO[bytes]) -> Iterator[Record | SkippedLine]:
    """Read the rows under a header that names ``text``, ``caption`` or ``caption_1`` and so on.

    A row with several captions gives as many records; those that are empty are
    left out where another is not. The other columns become meta.
    """
    lines = io.TextIOWrapper(file, "utf-8-sig", newline="")
    try:
        header = lines.readline()
        names = next(csv.reader([header], delimiter=_delimiter(header)), [])
        names = [name.strip() for name in names]
        texts = [number for number, name in enumerate(names) if _CAPTION.fullmatch(name)]
        if not texts:
            why = "The header names no column with captions."
            fix = "Call it text or caption, or caption_1, caption_2 and so on."
            yield SkippedLine.because(1, RecordFault(why, value=header, fix=fix))
            return
        rows = csv.reader(lines, delimiter=_delimiter(header))
        line = 2
        for row in rows:
            yield from _records(row, names, texts, line)
            line = rows.line_num + 2
    except (UnicodeDecodeError, csv.Error) as error:
        why = "From here on the file cannot be read."
        fix = "Save it as CSV in UTF-8."
        yield SkippedLine.because(1, RecordFault(why, value=error, fix=fix))
    finally:
        lines.detach()


def _records(
    row: list[str], names: list[str], texts: list[int], line: int
) -> Iterator[Record | SkippedLine]:
    if not any(field.strip() for field in row):
        return
    try:
        _require_fields(row, names)
        meta = {name: row[n] for n, name in enumerate(names) if n not in texts and name}
        for text in [row[number] for number in texts if row[number].strip()] or [""]:
            yield Record(line, require_text(text), read_tokens(None, text), meta)
    except RecordFault as fault:
        yield SkippedLine.because(line, fault)


def _require_fields(row: list[str], names: list[str]) -> None:
    require_storable(row)
    if len(row) != len(names):
        raise RecordFault(
            f"The row has {len(row)} fields, and the header {len(names)}.",
            value=",".join(islice(row, 5)),
            fix="Put captions with commas between double quotes.",
        )


def _delimiter(header: str) -> str:
    return max(DELIMITERS, key=header.count)
