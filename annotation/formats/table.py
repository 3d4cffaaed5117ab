"""Captions in CSV: their columns, those with their meta, and labels in a column of spans."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any

from annotation.formats.offsets import fitting_spans, read_tokens, whole_number
from annotation.formats.plain_text import decoded, skipped_of
from annotation.formats.records import (
    LONGEST_LINE,
    ExportRow,
    Record,
    RecordFault,
    SkippedLine,
    meta_in_order,
    moment,
    require_answer,
    require_storable,
    require_text,
)
from annotation.formats.word_labels import unread_labels
from earmark.captions.csv_rows import CsvRow, first_line, read_rows
from earmark.captions.faults import FaultLog, in_quotes
from leaderboard.web.csv_cells import csv_line

DELIMITERS = ",;\t"
MOST_COLUMNS = 500
SOUND = "file_name"
SPANS = "spans"
# What the columns of exports hold; they mean this only in a table that has spans.
COLUMNS = (
    *("text", "annotator", "answer", SPANS, "flagged"),
    *("comment", "timestamp", "tokens", "meta"),
)
_CAPTION = re.compile(r"(text|caption(_\d+)?)", re.IGNORECASE)
_BREAK = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class TableColumns:
    """The names of the columns with captions and with sound files; "": as the header says."""

    caption: str = ""
    sound: str = ""


@dataclass(frozen=True, slots=True)
class _Header:
    """The columns of a table: their names, the numbers of those with captions, and of sounds."""

    names: Sequence[str]
    captions: Sequence[int]
    sound: int | None

    @property
    def labelled(self) -> bool:
        return SPANS in self.names

    def meta(self, row: Sequence[str]) -> dict[str, Any]:
        """What a row says of its captions, by column; what has a meaning of its own left out."""
        known = frozenset(COLUMNS) if self.labelled else frozenset()
        cells = {
            name: row[n]
            for n, name in enumerate(self.names)
            if name and n not in self.captions and name not in known and n != self.sound
        }
        return cells if self.sound is None else {**cells, SOUND: row[self.sound]}


BY_HEADER = TableColumns()


def read(file: IO[bytes], columns: TableColumns = BY_HEADER) -> Iterator[Record | SkippedLine]:
    """Read the rows under a header that names ``text``, ``caption`` or ``caption_1`` and so on.

    A row with several captions gives as many records; those that are empty are
    left out where another is not. The other columns become meta. In a table with
    ``spans`` a row is somebody's work where its spans or its answer are not empty.
    """
    faults = FaultLog()
    with faults.listed():
        text, bad = decoded(file, faults)
        rows = read_rows(text, _delimiter(text), faults)
        head = next(rows, None)
        if head is not None and not _is_bad(head, bad):
            try:
                header = _header(head.fields, columns)
            except RecordFault as fault:
                yield SkippedLine.because(head.line, fault)
            else:
                for row in rows:
                    if not _is_bad(row, bad):
                        yield from _records(row, header)
    yield from skipped_of(faults)


def column_names(file: IO[bytes]) -> list[str]:
    """The names in the header of a table; none where there is no header."""
    faults = FaultLog()
    with faults.listed():
        text, _ = decoded(file, faults)
        head = next(read_rows(text, _delimiter(text), faults), None)
        if head is not None and len(head.fields) <= MOST_COLUMNS:
            return [name.strip() for name in head.fields]
    return []


def _is_bad(row: CsvRow, bad: frozenset[int]) -> bool:
    """Whether a line of a row cannot be read, or a fault was noted for it."""
    if row.broken or not bad:
        return row.broken
    breaks = sum(len(_BREAK.findall(field)) for field in row.fields)
    return any(line in bad for line in range(row.line, row.line + breaks + 1))


def _header(fields: Sequence[str], columns: TableColumns) -> _Header:
    names = [name.strip() for name in fields]
    if len(names) > MOST_COLUMNS:
        raise RecordFault(
            f"The header has {len(names):,} columns; a table may have at most {MOST_COLUMNS}.",
            fix="Leave out columns that are not about captions.",
        )
    captions = [number for number, name in enumerate(names) if _CAPTION.fullmatch(name)]
    if columns.caption:
        captions = [_place(columns.caption, names)]
    if not captions:
        raise RecordFault(
            "The header has no column with captions.",
            value=",".join(names),
            fix="Choose the column, or call it text or caption, or caption_1, caption_2 and so on.",
        )
    if SPANS in names and len(captions) > 1:
        raise RecordFault(
            "A table with spans must have exactly one column with captions.",
            value=",".join(names[number] for number in captions),
            fix="Choose the column that the spans belong to.",
        )
    sound = _place(columns.sound, names) if columns.sound else None
    return _Header(names, captions, sound)


def _place(name: str, names: Sequence[str]) -> int:
    if name not in names:
        raise RecordFault(
            f"The header has no column {in_quotes(name)}.",
            value=",".join(names),
            fix="Choose a column of the header.",
        )
    return names.index(name)


def _records(row: CsvRow, header: _Header) -> Iterator[Record | SkippedLine]:
    fields = row.fields
    try:
        _require_fields(fields, header.names)
        if header.labelled:
            yield _labelled(row.line, [unmarked(field) for field in fields], header)
            return
        meta = header.meta(fields)
        for text in [fields[n] for n in header.captions if fields[n].strip()] or [""]:
            tokens = read_tokens(None, require_text(text))
            unread = [*unread_labels(meta, len(tokens))]
            yield Record(row.line, text, tokens, meta, unread=unread)
    except RecordFault as fault:
        yield SkippedLine.because(row.line, fault)


def _require_fields(row: list[str], names: Sequence[str]) -> None:
    if len(row) != len(names):
        raise RecordFault(
            f"The row has {len(row)} fields, but the header has {len(names)}.",
            value=",".join(islice(row, 5)),
            fix="Put captions that contain commas in double quotes.",
        )
    if sum(map(len, row)) > LONGEST_LINE:
        raise RecordFault("The row is longer than 1 MB.", fix="Split it.")
    require_storable(row)


def _labelled(line: int, row: Sequence[str], header: _Header) -> Record:
    """A row of a table with spans: somebody's work, or a caption where it says of none."""
    cells = dict(zip(header.names, row, strict=True))
    text = require_text(row[header.captions[0]])
    tokens = read_tokens(_tokens(cells), text)
    answer, rows = cells.get("answer", ""), _json_cell(cells, SPANS, [], "a list of spans")
    spans, faults = fitting_spans(rows, tokens)
    meta = _json_cell(cells, "meta", {}, "an object")
    at = cells.get("timestamp", "")
    return Record(
        line=line,
        text=text,
        tokens=tokens,
        meta={**meta, **header.meta(row)},
        spans=spans if answer or cells[SPANS].strip() else None,
        answer=require_answer(answer or "accept"),
        person=cells.get("annotator", ""),
        at=moment(int(at)) if at.isascii() and at.isdigit() and len(at) < 16 else None,
        flagged=cells.get("flagged", "").lower() in ("true", "1", "yes"),
        comment=cells.get("comment", ""),
        unread=[*unread_labels(header.meta(row), len(tokens))],
        left_out=[SkippedLine.because(line, fault) for fault in faults],
    )


def _tokens(cells: Mapping[str, str]) -> list[dict[str, Any]]:
    """The words by their first character and the one after their last: [[0, 1], [2, 5]]."""
    rows = _json_cell(cells, "tokens", [], "a list of pairs")
    if not all(isinstance(row, list) and len(row) == 2 for row in rows):
        raise RecordFault(
            "The tokens are not pairs of character positions.",
            value=rows,
            fix="Write pairs such as [[0, 1], [2, 5]], with an exclusive end, or leave the "
            "cell empty.",
        )
    return [{"start": whole_number(start), "end": whole_number(end)} for start, end in rows]


def _json_cell(cells: Mapping[str, str], name: str, empty: Any, what: str) -> Any:
    """What a cell with JSON holds, of the type of ``empty``, which stands for an empty cell."""
    written = cells.get(name, "")
    if not written.strip():
        return empty
    fix = f"Write {what} in JSON in the column {name}, or leave it empty."
    try:
        value = json.loads(written)
    except (ValueError, RecursionError) as error:
        raise RecordFault(f"The cell {name} is not valid JSON.", value=written, fix=fix) from error
    if type(value) is not type(empty):
        raise RecordFault(f"The cell {name} is not {what}.", value=written, fix=fix)
    require_storable(value)
    return value


def _delimiter(text: str) -> str:
    return max(DELIMITERS, key=first_line(text)[1].count)


# What a spreadsheet would compute: at the start of a cell, and after a semicolon, where much of
# Europe divides cells. The apostrophe before it is one more than the text has, and goes again.
_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
_COMPUTED = rf"(?='*(?:[{_SIGNS}]))"
_MARK = re.compile(rf"(\A(?='*[{_SIGNS}\t\r\n])|;\s*{_COMPUTED})")
_UNMARK = re.compile(rf"(?:\A'(?='*[{_SIGNS}\t\r\n])|(?<=;)(\s*)'{_COMPUTED})")


def marked(text: str) -> str:
    """A cell with an apostrophe before whatever a spreadsheet would compute."""
    return _MARK.sub(r"\1'", text)


def unmarked(cell: str) -> str:
    """The text of a cell that ``marked`` wrote."""
    return _UNMARK.sub(lambda match: match[1] or "", cell)


def write(works: Iterable[ExportRow]) -> Iterator[str]:
    """Write a table of all works under ``COLUMNS``; spans and tokens count characters."""
    yield csv_line(COLUMNS)
    for work in works:
        yield csv_line(map(marked, _cells(work)))


def _cells(work: ExportRow) -> tuple[str, ...]:
    spans = [{key: span[key] for key in ("start", "end", "label")} for span in work.spans]
    return (
        work.text,
        work.annotator,
        work.answer,
        _compact(spans),
        "true" if work.flagged else "",
        work.comment,
        str(int(work.at.timestamp())),
        _compact([[token["start"], token["end"]] for token in work.tokens]),
        _compact(meta_in_order(work)) if work.meta else "",
    )


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
