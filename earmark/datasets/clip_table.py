"""Tables with what is known of clips besides their captions: tags, license, uploader and so on."""

from collections.abc import Iterator, Sequence

from earmark.captions.clip_names import name_key
from earmark.captions.csv_rows import CsvRow, first_line, read_rows
from earmark.captions.decoding import decode
from earmark.captions.faults import FaultLog, ReadResult, count_of
from earmark.captions.file_layout import REFERENCE_LIMITS, REFERENCES
from earmark.captions.json_records import detect_format

ClipTable = dict[str, dict[str, str]]
NO_TABLE = "There is no table in this file. Give a CSV file with a header."
UNNAMED = f"The table has no column with names of clips. Name it {REFERENCES.names[0]}."
_DELIMITERS = ",\t;"
MOST_COLUMNS = 200


def read_clip_table(data: bytes, *, file_name: str = "") -> ReadResult[ClipTable]:
    """Rows of a table by ``name_key`` of their clip, each as column and value; blanks left out.

    The table is CSV with commas, tabs or semicolons and a header, in which one column names the
    clips as references do. All faults are listed. No content makes this raise.
    """
    faults, table = FaultLog(), ClipTable()
    with faults.listed():
        text = decode(data, faults, REFERENCE_LIMITS.max_bytes)
        if text is not None and detect_format(text, file_name) != "csv":
            faults.error(NO_TABLE)
        elif text is not None:
            table = _table(table_rows(text, faults), faults)
    return faults.reading(table)


def table_rows(text: str, faults: FaultLog) -> Iterator[CsvRow]:
    """Rows of a table, the header first, by the delimiter that the header has most of."""
    _, header = first_line(text)
    return read_rows(text, max(_DELIMITERS, key=header.count), faults)


def name_place(labels: Sequence[str]) -> int | None:
    """Which column names the clips."""
    return next((labels.index(one) for one in REFERENCES.names if one in labels), None)


def _table(rows: Iterator[CsvRow], faults: FaultLog) -> ClipTable:
    first = next(rows, None)
    if first is None:
        return {}
    labels = [field.strip() for field in first.fields]
    name = name_place(labels)
    if name is None or len(labels) > MOST_COLUMNS or len(set(labels)) < len(labels):
        faults.error(
            _header_fault(labels, named=name is not None), first.line, "", ",".join(labels)
        )
        return {}
    table: ClipTable = {}
    lines: dict[str, int] = {}
    for row in rows:
        if has_all_fields(row, labels, faults) and not row.broken:
            key = name_key(row.fields[name])
            if key in lines:
                message = f"This clip is already in line {lines[key]}. Keep one of the rows."
                faults.error(message, row.line, labels[name], row.fields[name])
            lines[key] = row.line
            values = zip(labels, (field.strip() for field in row.fields), strict=True)
            table[key] = {
                label: value for label, value in values if value and label != labels[name]
            }
    return table


def _header_fault(labels: Sequence[str], *, named: bool) -> str:
    if not named:
        return UNNAMED
    if len(labels) > MOST_COLUMNS:
        return f"The table has {len(labels)} columns and the limit is {MOST_COLUMNS}. Remove some."
    twice = next(label for label in labels if labels.count(label) > 1)
    return f'Several columns have the name "{twice}". Give each a name of its own.'


def has_all_fields(row: CsvRow, labels: Sequence[str], faults: FaultLog) -> bool:
    """Whether a row has a field for each column; lists the fault of one that is not broken, too."""
    if len(row.fields) != len(labels) and not row.broken:
        faults.error(
            f"The row has {count_of(len(row.fields), 'field')} and the header has {len(labels)}."
            " Put values that hold the delimiter in double quotes.",
            row.line,
            value=",".join(row.fields),
        )
    return len(row.fields) == len(labels)
