"""Records of JSON and JSONL files.

Read item by item, so that every fault has the line where its item begins, so
that a name given twice is seen, and so that one broken JSONL line does not
hide the others.

Accepted shapes, for predictions:

- a list of ``{"file_name": "dog.wav", "caption_predicted": "a dog barks"}``;
  several candidates as ``caption_predicted_1..k`` or as a list of texts;
- a mapping ``{"dog.wav": "a dog barks"}``, the value a text or a list of texts;
- JSONL, one such object per line.

For references the same, with ``"captions": [...]`` or ``caption_1..n``, or one
object per reference with ``caption`` or ``raw_text``.
"""

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from earmark.captions.faults import FaultLog, count_of, cut
from earmark.captions.file_layout import (
    CaptionCell,
    CaptionRecord,
    CaptionRecords,
    Layout,
    Limits,
    Roles,
    assign_roles,
    check_numbers,
    column_names_text,
)


class JsonObject(dict[str, Any]):
    """A JSON object that remembers the keys that it had more than once."""

    repeated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JsonItem:
    """One object of a list or of JSONL (``key`` None), or one entry of a mapping.

    ``broken`` marks a line that could not be read; it was reported and only counts.
    """

    line: int
    key: str | None
    value: Any
    broken: bool = False


class ItemReader:
    """Turns items into records and reports what does not have an accepted shape."""

    def __init__(self, layout: Layout, faults: FaultLog) -> None:
        self._layout = layout
        self._faults = faults
        self._unread: set[str] = set()

    def record(self, item: JsonItem) -> CaptionRecord | None:
        """Read one item; None where its clip cannot be told."""
        if item.key is not None:
            label = self._layout.header.split(",")[1]
            captions = self._cells(item.line, label, item.value, many=True)
            return CaptionRecord(item.line, item.key, self._layout.names[0], captions)
        if not isinstance(item.value, dict):
            self._wrong_type(item.line, None, item.value, f"an object: {self._layout.example}")
            return None
        return self._object(item.line, item.value)

    def _object(self, line: int, value: dict[str, Any]) -> CaptionRecord | None:
        if isinstance(value, JsonObject) and value.repeated:
            repeated = column_names_text(value.repeated[:5])
            self._faults.error(f"The object has {repeated} more than once. Keep one.", line)
        keys = list(value)
        roles = assign_roles(keys, self._layout)
        if roles.name is None:
            self._missing(line, keys, self._layout.names[0])
            return None
        label = keys[roles.name]
        name = value[label]
        if not isinstance(name, str):
            self._wrong_type(line, label, name, "a file name in double quotes")
            return None
        captions, pooled = self._captions(line, value, keys, roles)
        return CaptionRecord(line, name, label, captions, pooled)

    def _captions(
        self, line: int, value: dict[str, Any], keys: list[str], roles: Roles
    ) -> tuple[tuple[CaptionCell, ...] | None, bool]:
        listed = next((key for key in self._layout.listed if key in value), None)
        if listed is not None and not roles.numbers:
            self._note_unread(line, keys, roles, listed)
            return self._cells(line, listed, value[listed], many=True), False
        if not roles.captions:
            self._missing(line, keys, self._layout.listed[0])
            return None, False
        self._note_unread(line, keys, roles, None)
        labels = [keys[index] for index in roles.captions]
        check_numbers(roles.numbers, labels, line, self._layout, self._faults)
        cells: list[CaptionCell] = []
        for label in labels:
            label_cells = self._cells(line, label, value[label], many=False)
            if label_cells is None:
                return None, not roles.numbers
            cells += label_cells
        return tuple(cells), not roles.numbers

    def _cells(
        self, line: int, label: str, value: Any, *, many: bool
    ) -> tuple[CaptionCell, ...] | None:
        """Read a caption, or a list of them; null is a caption left out."""
        texts = value if many and isinstance(value, list) else [value]
        for text in texts:
            if text is not None and not isinstance(text, str):
                self._wrong_type(line, label, text, "a caption in double quotes")
                return None
        return tuple(CaptionCell(label, text or "") for text in texts)

    def _missing(self, line: int, keys: Sequence[str], wanted: str) -> None:
        self._faults.error(
            f'The object has no "{wanted}". An item looks like this: {self._layout.example}',
            line,
            wanted,
            ", ".join(keys[:10]),
        )

    def _wrong_type(self, line: int, label: str | None, value: Any, wanted: str) -> None:
        shown = cut(value) if isinstance(value, str) else ""
        self._faults.error(f"This is {_kind(value)}. Write {wanted}.", line, label, shown)

    def _note_unread(
        self, line: int, keys: Sequence[str], roles: Roles, listed: str | None
    ) -> None:
        for index in roles.extra:
            key = keys[index]
            if key != listed and key not in self._unread and len(self._unread) < 20:
                self._unread.add(key)
                self._faults.warning("This key is not read, here and further down.", line, key)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    kinds: dict[type[Any], str] = {str: "a text", list: "a list"}
    return kinds.get(type(value), "an object")


Format = Literal["csv", "json", "jsonl"]
_SPACE = re.compile(r"[ \t\r\n]*+")
_MORE = "there is text after the end of the JSON value"
_STOPPED = "What follows was not read."
_SKIPPED = "This line was not read."
_BREAK = re.compile(r"\r\n|\r|\n")


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    decoded = JsonObject(pairs)
    if len(decoded) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        decoded.repeated = tuple(key for key, count in counts.items() if count > 1)
    return decoded


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


class _Broken(Exception):
    """JSON that cannot be read from ``position`` on."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(reason)
        self.position = position
        self.reason = reason


def detect_format(text: str, file_name: str) -> Format:
    """Format of a file by its content, and by its name where the content fits several."""
    suffix = file_name.lower().rpartition(".")[2]
    start = text.lstrip()[:1]
    if start not in "[{" and suffix not in {"json", "jsonl", "ndjson"}:
        return "csv"
    if suffix in {"jsonl", "ndjson"}:
        return "jsonl"
    return "jsonl" if start == "{" and _has_object_per_line(text) else "json"


def _has_object_per_line(text: str) -> bool:
    """Whether the first line is an object and the file no mapping of names."""
    lines = (line for line in io.StringIO(text, newline="") if line.strip())
    first, second = next(lines, ""), next(lines, "")
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return second.startswith("{") and first.rstrip().endswith("}")
    return bool(second) or "file_name" in value or "youtube_id" in value or "fname" in value


def read_documents(
    text: str, form: Format, layout: Layout, limits: Limits, faults: FaultLog
) -> CaptionRecords:
    """Read JSON or JSONL, reporting all that does not have an accepted shape."""
    reader = ItemReader(layout, faults)
    if form == "jsonl":
        return _collect(_json_lines(text, faults), reader, limits, faults, broken=lambda: False)
    trail = _Trail(text)
    stopped: list[_Broken] = []
    items = _until_broken(_items(text, trail), stopped)
    records = _collect(items, reader, limits, faults, broken=lambda: bool(stopped))
    for failure in stopped:
        line, column = _Trail(text).place(failure.position)
        _report_broken(line, column, text[failure.position :][:80], failure, _STOPPED, faults)
    return records


def _collect(
    items: Iterable[JsonItem],
    reader: ItemReader,
    limits: Limits,
    faults: FaultLog,
    *,
    broken: Callable[[], bool],
) -> CaptionRecords:
    records: list[CaptionRecord] = []
    for count, item in enumerate(items, start=1):
        if count > limits.max_rows:
            faults.error(
                f"There are more than {count_of(limits.max_rows, 'item')}, the limit. The file was"
                " read up to here. Remove items that do not belong in it.",
                item.line,
            )
            return CaptionRecords(tuple(records), complete=False)
        record = None if item.broken else reader.record(item)
        records += [] if record is None else [record]
    return CaptionRecords(tuple(records), complete=not broken())


def _until_broken(items: Iterator[JsonItem], stopped: list[_Broken]) -> Iterator[JsonItem]:
    try:
        yield from items
    except _Broken as failure:
        stopped.append(failure)


def _report_broken(
    line: int, column: int, value: str, failure: _Broken, rest: str, faults: FaultLog
) -> None:
    faults.error(
        f"The JSON is broken at character {column} of this line: {failure.reason}. Correct it, or"
        f" write the file with a JSON library. {rest}",
        line,
        value=value,
    )


class _Trail:
    """Line numbers for positions that only grow."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._line = 1
        self._start = 0

    def place(self, position: int) -> tuple[int, int]:
        """Line and character of a position, both counted from 1."""
        for line_break in _BREAK.finditer(self._text, self._position, position):
            self._line += 1
            self._start = line_break.end()
        self._position = max(position, self._position)
        return self._line, position - self._start + 1


def _skip(text: str, position: int) -> int:
    spaces = _SPACE.match(text, position)
    return spaces.end() if spaces else position


def _value(text: str, position: int) -> tuple[Any, int]:
    """Decode one value; raise ``_Broken`` with the position in the whole text."""
    try:
        return _DECODER.raw_decode(text, position)
    except json.JSONDecodeError as error:
        raise _Broken(error.pos, error.msg) from error
    except RecursionError as error:
        raise _Broken(position, "it is nested too deeply") from error
    except ValueError as error:
        raise _Broken(position, "a number has too many digits") from error


def _items(text: str, trail: _Trail) -> Iterator[JsonItem]:
    """Items of a list, or of a mapping of file names."""
    position = _skip(text, 0)
    mapping = text.startswith("{", position)
    if not mapping and not text.startswith("[", position):
        raise _Broken(position, "expecting a list or an object")
    closing = "}" if mapping else "]"
    position = _skip(text, position + 1)
    ended = text.startswith(closing, position)
    while not ended:
        line, _ = trail.place(position)
        key = None
        if mapping:
            if not text.startswith('"', position):
                raise _Broken(position, "expecting a file name in double quotes")
            key, position = _value(text, position)
            position = _expect(text, _skip(text, position), ":")
        value, position = _value(text, position)
        yield JsonItem(line, key, value)
        position = _skip(text, position)
        ended = text.startswith(closing, position)
        if not ended:
            position = _expect(text, position, ",")
    end = _skip(text, position + 1)
    if end < len(text):
        raise _Broken(end, _MORE)


def _expect(text: str, position: int, mark: str) -> int:
    if not text.startswith(mark, position):
        raise _Broken(position, f"expecting {mark!r}")
    return _skip(text, position + 1)


def _whole_line(line: str) -> Any:
    value, end = _value(line, _skip(line, 0))
    end = _skip(line, end)
    if end < len(line):
        raise _Broken(end, _MORE)
    return value


def _json_lines(text: str, faults: FaultLog) -> Iterator[JsonItem]:
    for number, line in enumerate(io.StringIO(text, newline=""), start=1):
        if not line.strip():
            continue
        try:
            value = _whole_line(line)
        except _Broken as failure:
            at = failure.position
            _report_broken(number, at + 1, line[at : at + 80], failure, _SKIPPED, faults)
            # Broken lines count, too, or a file of nothing else would have no limit.
            yield JsonItem(number, None, None, broken=True)
            continue
        yield JsonItem(number, None, value)
