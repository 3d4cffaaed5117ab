"""Records of a delimited file (comma or tab)."""

from collections.abc import Sequence

from scoring.captions.faults import FaultLog, counted, cut
from scoring.captions.header import DELIMITERS, Columns, find_delimiter, read_header
from scoring.captions.layout import Layout
from scoring.captions.limits import Limits
from scoring.captions.names import ClipNames
from scoring.captions.records import Cell, Record, Records
from scoring.captions.rows import SHOWN_ROW, Row, first_line, quote, rows

_MAX_NAME_PARTS = 10


def read_table(
    text: str, layout: Layout, limits: Limits, names: ClipNames | None, log: FaultLog
) -> Records:
    """Read the rows under the header, reporting every row that does not fit it.

    ``names`` helps to recognise a missing header and commas in file names; it
    is None where the clips are not known yet.
    """
    line, first = first_line(text)
    delimiter = find_delimiter(line, first, layout, names, log)
    reader = _TableReader(layout, delimiter, names, log)
    records: list[Record] = []
    for number, row in enumerate(rows(text, delimiter, log)):
        if number > limits.max_rows:
            log.error(
                row.line,
                None,
                "",
                f"There are more than {counted(limits.max_rows, 'row')}, the limit. The file was"
                " read up to here. Remove rows that do not belong in it.",
            )
            return Records(tuple(records), complete=False)
        if number == 0 and not reader.read_header(row):
            return Records((), complete=False)
        if number > 0 or not reader.columns.has_header:
            record = reader.record(row)
            records += [] if record is None else [record]
    return Records(tuple(records))


class _TableReader:
    def __init__(
        self, layout: Layout, delimiter: str, names: ClipNames | None, log: FaultLog
    ) -> None:
        self._layout = layout
        self._delimiter = delimiter
        self._names = names
        self._log = log
        self.columns = Columns(0, (1,), (), pooled=True)

    def read_header(self, row: Row) -> bool:
        """Read the header; False where the rows cannot be read without it."""
        columns = read_header(row, self._layout, self._names, self._log)
        if columns is not None:
            self.columns = columns
        return columns is not None

    def record(self, row: Row) -> Record | None:
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

    def _record(self, line: int, fields: Sequence[str], *, readable: bool) -> Record | None:
        columns = self.columns
        if len(fields) <= columns.name:
            return None
        captions = tuple(
            Cell(columns.labels[index], fields[index] if index < len(fields) else "")
            for index in columns.captions
        )
        label = columns.labels[columns.name]
        return Record(
            line, fields[columns.name], label, captions if readable else None, columns.pooled
        )

    def _too_few(self, line: int, fields: Sequence[str]) -> Record | None:
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

    def _too_many(self, line: int, fields: Sequence[str]) -> Record:
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
        if self._delimiter != ",":
            fix = "Write no tab inside a caption, or put the caption in double quotes."
        self._report(line, fields, fix)
        return Record(line, name, columns.labels[columns.name], None, columns.pooled)

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

    def _report(self, line: int, fields: Sequence[str], fix: str) -> None:
        self._log.error(
            line,
            None,
            self._delimiter.join(fields),
            f"The row has {counted(len(fields), 'field')} and the header has"
            f" {len(self.columns.labels)}. {fix}",
        )
