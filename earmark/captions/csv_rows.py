"""Rows of a delimited file: reading them with their physical lines, and writing predictions.

Python's csv module swallows the rest of the file after one stray quote and
cannot say where a row began. This reader follows RFC 4180, reports what breaks
it, and goes on with the next line.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from earmark.captions.corpus import Candidates, References
from earmark.captions.faults import FaultLog, count_of, cut
from earmark.captions.file_layout import PREDICTIONS

SHOWN_ROW = 160
# Spreadsheets leave blank rows of delimiters behind; a file of nothing else must end.
MAX_BLANK_ROWS = 100_000
# A row of the widest file that is read has a hundredth.
MAX_QUOTED_FIELDS = 20_000
_BREAK = re.compile(r"\r\n|\r|\n")
_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n|\r|\n))*+")
_OPENING = re.compile(r' *"')
_INSIDE = re.compile(r'(?>[^"]+|"")*+')
_SPACES = re.compile(r" *")


@dataclass(frozen=True, slots=True)
class CsvRow:
    """The fields of one row; ``broken`` where a quote fault was reported for it."""

    line: int
    fields: list[str]
    broken: bool = False


@dataclass(frozen=True, slots=True)
class _Field:
    text: str
    end: int
    failed: bool = False


def quote(text: str) -> str:
    """Write a field in double quotes, those inside doubled."""
    return '"' + text.replace('"', '""') + '"'


def read_rows(text: str, delimiter: str, faults: FaultLog) -> Iterator[CsvRow]:
    """Yield the rows that are not blank, in linear time whatever the text."""
    yield from _Scanner(text, delimiter, faults)


def first_line(text: str) -> tuple[int, str]:
    """Number and text of the first line that is not blank."""
    blank = _BLANK_LINES.match(text)
    start = blank.end() if blank else 0
    line_break = _BREAK.search(text, start)
    number = 1 + sum(1 for _ in _BREAK.finditer(text, 0, start))
    return number, text[start : line_break.start() if line_break else len(text)]


class _Scanner:
    def __init__(self, text: str, delimiter: str, faults: FaultLog) -> None:
        self._text = text
        self._delimiter = delimiter
        self._faults = faults
        self._unquoted = re.compile(f"[^{re.escape(delimiter)}\r\n]*")
        self._position = 0
        self._line = 1
        # A quote without an end is looked for up to the end of the file. This bounds
        # all that is looked at in vain, so that the whole stays linear.
        self._look_ahead = 4 * len(text) + 1_000
        self._seen_line = (0, -1)

    def __iter__(self) -> Iterator[CsvRow]:
        blank_rows = 0
        while blank_rows <= MAX_BLANK_ROWS:
            blank = _BLANK_LINES.match(self._text, self._position)
            self._move(blank.end() if blank else self._position)
            if self._position >= len(self._text):
                return
            row = self._row()
            if any(field.strip() for field in row.fields) or row.broken:
                yield row
            else:
                blank_rows += 1
        self._faults.error(
            f"There are more than {count_of(MAX_BLANK_ROWS, 'blank row')}. The file was read up to"
            " here. Remove them.",
            self._line,
        )

    def _move(self, position: int) -> None:
        self._line += sum(1 for _ in _BREAK.finditer(self._text, self._position, position))
        self._position = position

    def _row(self) -> CsvRow:
        line, start = self._line, self._position
        end = self._line_end(start)
        raw = self._text[start:end]
        if '"' in raw:
            fields, end, broken = self._quoted_row(start)
        else:
            fields, broken = raw.split(self._delimiter), False
        self._move(self._after_break(end))
        return CsvRow(line, fields, broken)

    def _line_end(self, position: int) -> int:
        """Find the end of a physical line, once per line however many fields it has."""
        start, end = self._seen_line
        if not start <= position <= end:
            line_break = _BREAK.search(self._text, position)
            end = line_break.start() if line_break else len(self._text)
            self._seen_line = (position, end)
        return end

    def _after_break(self, position: int) -> int:
        line_break = _BREAK.match(self._text, position)
        return line_break.end() if line_break else position

    def _quoted_row(self, start: int) -> tuple[list[str], int, bool]:
        fields: list[str] = []
        position = start
        while True:
            field = self._field(position)
            fields.append(field.text)
            if field.failed or not self._text.startswith(self._delimiter, field.end):
                return fields, field.end, field.failed
            if len(fields) == MAX_QUOTED_FIELDS:
                self._faults.error(
                    f"The row has more than {count_of(MAX_QUOTED_FIELDS, 'field')}. Remove those"
                    " that do not belong in it.",
                    self._line,
                )
                return fields, self._line_end(field.end), True
            position = field.end + len(self._delimiter)

    def _field(self, start: int) -> _Field:
        opening = _OPENING.match(self._text, start)
        if opening is None:
            plain = self._unquoted.match(self._text, start)
            end = plain.end() if plain else start
            return _Field(self._text[start:end], end)
        inside, line_end = opening.end(), self._line_end(opening.end())
        limit = len(self._text) if self._look_ahead > 0 else line_end
        closing = self._closing(inside, limit)
        if closing < limit:
            end = self._skip_spaces(closing + 1)
            if end >= len(self._text) or self._text.startswith((self._delimiter, "\r", "\n"), end):
                return _Field(self._text[inside:closing].replace('""', '"'), end)
        if closing > line_end:
            self._look_ahead -= closing - line_end
        return self._broken_field(start, inside, closing, line_end)

    def _closing(self, inside: int, limit: int) -> int:
        content = _INSIDE.match(self._text, inside, limit)
        return content.end() if content else inside

    def _skip_spaces(self, position: int) -> int:
        spaces = _SPACES.match(self._text, position)
        return spaces.end() if spaces else position

    def _broken_field(self, start: int, inside: int, closing: int, line_end: int) -> _Field:
        """Report a quote that breaks the row; the rest of its line is taken as the field."""
        line = self._line + sum(1 for _ in _BREAK.finditer(self._text, self._position, start))
        rest = self._text[start:line_end].strip()
        if closing < line_end:
            self._faults.error(
                "There is text after a closing quote. Double the quotes inside a quoted field:"
                f" {cut(quote(rest), SHOWN_ROW)}",
                line,
                value=rest,
            )
            return _Field(rest, line_end, failed=True)
        content = self._text[inside:line_end]
        self._faults.error(
            "A quote is opened in this line and never closed. Close it:"
            f" {cut(quote(content), SHOWN_ROW)}",
            line,
            value=rest,
        )
        return _Field(content, line_end, failed=True)


def write_candidates_csv(candidates: Candidates, references: References) -> str:
    r"""Write candidates, given in the order of the references, as a CSV with \n line ends.

    The columns are ``file_name,caption_predicted``, or ``caption_predicted_1..k``
    where a clip has several candidates (cells after its last are empty).
    Raises ValueError where the two have different numbers of clips.
    """
    width = max((len(ranked) for ranked in candidates.captions), default=1)
    labels = [f"{PREDICTIONS.single[0]}_{number}" for number in range(1, width + 1)]
    header = [PREDICTIONS.names[0], *(labels if width > 1 else PREDICTIONS.single)]
    rows = [
        [name, *ranked, *[""] * (width - len(ranked))]
        for name, ranked in zip(references.file_names, candidates.captions, strict=True)
    ]
    return csv_text([header, *rows])


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    r"""Write rows with commas and \n line ends, as ``read_rows`` reads them."""
    return "".join(",".join(map(_field, row)) + "\n" for row in rows)


def _field(text: str) -> str:
    """Quote what needs it; csv.writer would leave a lone carriage return bare."""
    return quote(text) if any(mark in text for mark in ',"\r\n') else text


def candidates_template(references: References) -> str:
    """Write the CSV that a participant fills in: every file name, every caption empty."""
    return write_candidates_csv(Candidates.single("" for _ in references.clips), references)
