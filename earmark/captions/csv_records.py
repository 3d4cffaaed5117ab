"""Reading a delimited file (comma or tab): its header, and a record for each row."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from earmark.captions.clip_names import ClipNames
from earmark.captions.csv_rows import SHOWN_ROW, CsvRow, first_line, quote, read_rows
from earmark.captions.faults import FaultLog, count_of, cut, in_quotes
from earmark.captions.file_layout import (
    PREDICTIONS,
    REFERENCES,
    CaptionCell,
    CaptionRecord,
    CaptionRecords,
    Layout,
    Limits,
    Roles,
    assign_roles,
    check_numbers,
)

MAX_COLUMNS = 200
DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "vertical bars"}
_NAME_LIKE = re.compile(r"file|name|audio|wav|clip|youtube|^id$|path", re.IGNORECASE)
_CAPTION_LIKE = re.compile(
    r"caption|predict|text|sentence|output|hypothes|candidate|description", re.IGNORECASE
)
_AUDIO_FILE = re.compile(r"\.(?:wav|flac|mp3|ogg|m4a)\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Columns:
    """Positions of names and captions in a row, and the names of the columns."""

    name: int
    captions: tuple[int, ...]
    labels: tuple[str, ...]
    pooled: bool
    has_header: bool = True


def find_delimiter(
    number: int, line: str, layout: Layout, names: ClipNames | None, faults: FaultLog
) -> str:
    """Character that separates the fields; anything but comma and tab is a fault."""
    delimiter = _delimiter(line, layout, names)
    if delimiter not in ",\t":
        faults.error(
            f"The fields are separated by {DELIMITERS[delimiter]}. Save the file with commas.",
            number,
            value=line,
        )
    return delimiter


def _delimiter(line: str, layout: Layout, names: ClipNames | None) -> str:
    for delimiter in DELIMITERS:
        columns = _plain(line.rstrip(f'{delimiter} \t"').split(delimiter))
        if len(columns) <= MAX_COLUMNS and assign_roles(columns, layout).complete:
            return delimiter
    if names is not None:
        for delimiter in DELIMITERS:
            head, found, _ = line.partition(delimiter)
            if found and names.find(head.strip('"')) is not None:
                return delimiter
    return next((one for one in "\t,;|" if one in line), ",")


def _plain(fields: Sequence[str]) -> list[str]:
    """Drop white space and quotes around column names, and empty columns at the end.

    Of far too many columns, which nobody reads, only the end is dropped.
    """
    end = len(fields)
    while end > 1 and not fields[end - 1].strip(' \t"'):
        end -= 1
    if end > MAX_COLUMNS:
        return list(fields[:end])
    return [field.strip().strip('"').strip() for field in fields[:end]]


def read_header(
    row: CsvRow, layout: Layout, names: ClipNames | None, faults: FaultLog
) -> Columns | None:
    """Read the header row, or report what is wrong with it.

    Where the intention can be guessed the columns are still given, so that the
    rows can be checked too; None where it cannot.
    """
    columns = _plain(row.fields)
    if len(columns) > MAX_COLUMNS:
        faults.error(
            f"The header has {len(columns):,} columns and the limit is {MAX_COLUMNS}. The header"
            f" is {layout.header}.",
            row.line,
            value=",".join(columns[:10]),
        )
        return None
    roles = assign_roles(columns, layout)
    if roles.complete:
        _check_columns(columns, roles, row, layout, faults)
        return _columns(columns, roles)
    if _is_other_kind(columns, layout):
        other = REFERENCES if layout is PREDICTIONS else PREDICTIONS
        faults.error(
            f"This is the header of a {other.what} file. Use the file of {layout.what}, with the "
            f"header {layout.header}.",
            row.line,
            value=",".join(columns),
        )
        return None
    if _is_data(columns, names):
        return _headerless(columns, row, layout, faults)
    return _misnamed(columns, roles, row, layout, faults)


def _columns(labels: Sequence[str], roles: Roles, *, has_header: bool = True) -> Columns:
    return Columns(roles.name or 0, roles.captions, tuple(labels), not roles.numbers, has_header)


def _check_columns(
    columns: Sequence[str], roles: Roles, row: CsvRow, layout: Layout, faults: FaultLog
) -> None:
    labels = [columns[index] for index in roles.captions]
    check_numbers(roles.numbers, labels, row.line, layout, faults)
    for index in roles.extra:
        _report_extra(columns[index], index, columns, row.line, layout, faults)


def _report_extra(
    column: str, index: int, columns: Sequence[str], line: int, layout: Layout, faults: FaultLog
) -> None:
    if not layout.strict:
        faults.warning("This column is not read.", line, column or None, column)
    elif not column:
        faults.error(
            f"Column {index + 1} has no name. Remove it; in pandas, use to_csv(..., index=False).",
            line,
            value=",".join(columns),
        )
    elif columns.count(column) > 1:
        faults.error(
            "This column appears more than once. Remove one of them.", line, column, column
        )
    else:
        faults.error(
            f"This column is not allowed. The header is {layout.header}.", line, column, column
        )


def _is_other_kind(columns: Sequence[str], layout: Layout) -> bool:
    if layout is PREDICTIONS:
        other = assign_roles(columns, REFERENCES)
        return other.name is not None and len(other.numbers) > 1
    return bool(assign_roles(columns, PREDICTIONS).captions)


def _is_data(columns: Sequence[str], names: ClipNames | None) -> bool:
    """Whether the first row is a clip and not a header."""
    if any(_AUDIO_FILE.search(column) for column in columns):
        return True
    return names is not None and any(names.find(column) is not None for column in columns)


def _headerless(
    columns: Sequence[str], row: CsvRow, layout: Layout, faults: FaultLog
) -> Columns | None:
    faults.error(
        f"The header is missing. Put this line before the first row: {layout.header}",
        row.line,
        value=",".join(columns),
    )
    if len(columns) < 2:
        return None
    count = 1 if layout.strict else len(columns) - 1
    labels = layout.header.split(",")[: count + 1]
    labels += [f"caption_{number}" for number in range(len(labels), count + 1)]
    roles = Roles(0, tuple(range(1, count + 1)), tuple(range(1, count + 1)), ())
    return _columns(labels, roles, has_header=False)


def _misnamed(
    columns: Sequence[str], roles: Roles, row: CsvRow, layout: Layout, faults: FaultLog
) -> Columns | None:
    name = roles.name
    if name is None:
        name = _guess(columns, _NAME_LIKE, taken=roles.captions)
    caption = roles.captions[0] if roles.captions else _guess(columns, _CAPTION_LIKE, taken=(name,))
    header = ",".join(columns)
    if name is None or caption is None:
        faults.error(
            f"The header is wrong: the {layout.what} need the header {layout.header}, with at"
            " least two columns separated by commas.",
            row.line,
            value=header,
        )
        return None
    wanted = ((name, layout.names[0]), (caption, layout.header.split(",")[1]))
    renames = " and ".join(
        f"{in_quotes(columns[index])} to {in_quotes(right)}"
        for index, right in wanted
        if index != roles.name and index not in roles.captions
    )
    faults.error(
        f"The header is wrong: the {layout.what} need {layout.header}. Rename {renames}.",
        row.line,
        value=header,
    )
    return _columns(columns, Roles(name, roles.captions or (caption,), roles.numbers, ()))


def _guess(
    columns: Sequence[str], pattern: re.Pattern[str], *, taken: Sequence[int | None]
) -> int | None:
    """Pick the column that was meant: by its name, else the first that is free."""
    free = [index for index in range(len(columns)) if index not in taken]
    likely = [index for index in free if pattern.search(columns[index])]
    return next(iter(likely or free), None)


_MAX_NAME_PARTS = 10


def read_table(
    text: str, layout: Layout, limits: Limits, names: ClipNames | None, faults: FaultLog
) -> CaptionRecords:
    """Read the rows under the header, reporting every row that does not fit it.

    ``names`` helps to recognise a missing header and commas in file names; it
    is None where the clips are not known yet.
    """
    line, first = first_line(text)
    delimiter = find_delimiter(line, first, layout, names, faults)
    reader = _TableReader(layout, delimiter, names, faults)
    records: list[CaptionRecord] = []
    for number, row in enumerate(read_rows(text, delimiter, faults)):
        if number > limits.max_rows:
            faults.error(
                f"There are more than {count_of(limits.max_rows, 'row')}, the limit. The file was"
                " read up to here. Remove rows that do not belong in it.",
                row.line,
            )
            return CaptionRecords(tuple(records), complete=False)
        if number == 0 and not reader.read_header(row):
            return CaptionRecords((), complete=False)
        if number > 0 or not reader.columns.has_header:
            record = reader.record(row)
            records += [] if record is None else [record]
    return CaptionRecords(tuple(records))


class _TableReader:
    def __init__(
        self, layout: Layout, delimiter: str, names: ClipNames | None, faults: FaultLog
    ) -> None:
        self._layout = layout
        self._delimiter = delimiter
        self._names = names
        self._faults = faults
        self.columns = Columns(0, (1,), (), pooled=True)

    def read_header(self, row: CsvRow) -> bool:
        """Read the header; False where the rows cannot be read without it."""
        columns = read_header(row, self._layout, self._names, self._faults)
        if columns is not None:
            self.columns = columns
        return columns is not None

    def record(self, row: CsvRow) -> CaptionRecord | None:
        """Turn a row into a record; None where not even its clip can be told."""
        width = len(self.columns.labels)
        end = len(row.fields)
        while end > width and not row.fields[end - 1].strip():
            end -= 1
        fields = row.fields[:end]
        if row.broken:
            return self._record(row.line, fields, readable=False)
        if len(fields) > width:
            return self._too_many(row.line, fields)
        if len(fields) < width:
            return self._too_few(row.line, fields)
        return self._record(row.line, fields, readable=True)

    def _record(self, line: int, fields: Sequence[str], *, readable: bool) -> CaptionRecord | None:
        columns = self.columns
        if len(fields) <= columns.name:
            return None
        captions = tuple(
            CaptionCell(columns.labels[index], fields[index] if index < len(fields) else "")
            for index in columns.captions
        )
        label = columns.labels[columns.name]
        return CaptionRecord(
            line, fields[columns.name], label, captions if readable else None, columns.pooled
        )

    def _too_few(self, line: int, fields: Sequence[str]) -> CaptionRecord | None:
        columns, width = self.columns, len(self.columns.labels)
        missing = width - len(fields)
        other = next(
            (kind for kind in DELIMITERS if kind != self._delimiter and kind in fields[0]), None
        )
        ending = [index for index in range(width) if index >= len(fields)]
        only_candidates = set(ending) <= set(columns.captions[1:])
        if other is not None and len(fields) == 1:
            fix = f"Separate them by {DELIMITERS[self._delimiter]} as in the header."
        elif only_candidates:
            fix = f"If the clip has no more captions, end the row with {missing} more" + (
                " comma." if missing == 1 else " commas."
            )
        else:
            labels = ", ".join(columns.labels[index] for index in ending[:5])
            fix = f"Write a value for {labels}."
        self._report(line, fields, fix)
        if not only_candidates and other is not None:
            fields = fields[0].split(other)
        return self._record(line, fields, readable=only_candidates)

    def _too_many(self, line: int, fields: Sequence[str]) -> CaptionRecord:
        columns = self.columns
        name, caption = self._split(fields)
        if len(columns.labels) == 2:
            pair = (name, caption) if columns.name == 0 else (caption, name)
            shown = self._delimiter.join(
                quote(part) if self._delimiter in part or '"' in part else part for part in pair
            )
            fix = f"A value with a comma must be in double quotes: {cut(shown, SHOWN_ROW)}"
        else:
            fix = 'A caption with a comma must be in double quotes: "a dog barks, then howls"'
        cause = "Captions with commas are not in double quotes. Put each of them in double quotes."
        if self._delimiter != ",":
            cause = fix = "Write no tab inside a caption, or put the caption in double quotes."
        self._report(line, fields, fix, cause)
        return CaptionRecord(line, name, columns.labels[columns.name], None, columns.pooled)

    def _split(self, fields: Sequence[str]) -> tuple[str, str]:
        """Divide a row with too many fields into file name and caption."""
        position = self.columns.name
        if position:
            return fields[-1], self._delimiter.join(fields[:-1])
        for count in range(1, min(len(fields), _MAX_NAME_PARTS)):
            name = self._delimiter.join(fields[:count])
            if self._names is not None and self._names.find(name) is not None:
                return name, self._delimiter.join(fields[count:])
        return fields[0], self._delimiter.join(fields[1:])

    def _report(self, line: int, fields: Sequence[str], fix: str, cause: str = "") -> None:
        self._faults.error(
            f"The row has {count_of(len(fields), 'field')} and the header has"
            f" {len(self.columns.labels)}. {fix}",
            line,
            value=self._delimiter.join(fields),
            cause=cause,
        )
