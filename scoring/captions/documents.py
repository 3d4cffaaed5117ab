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
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, Literal

from scoring.captions.faults import FaultLog, counted
from scoring.captions.items import Item, ItemReader, JsonObject
from scoring.captions.layout import Layout
from scoring.captions.limits import Limits
from scoring.captions.records import Record, Records

Format = Literal["csv", "json", "jsonl"]
_SPACE = re.compile(r"[ \t\r\n]*+")
_MORE = "there is text after the end of the JSON value"
_STOPPED = "What follows was not read."
_SKIPPED = "This line was not read."
_BREAK = re.compile(r"\r\n|\r|\n")


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    found = JsonObject(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        found.repeated = tuple(key for key, count in counts.items() if count > 1)
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


class _Broken(Exception):
    """JSON that cannot be read from ``position`` on."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(reason)
        self.position = position
        self.reason = reason


def detect_format(text: str, file_name: str) -> Format:
    """Tell CSV, JSON and JSONL apart by content; the file name decides what is left open."""
    suffix = file_name.lower().rpartition(".")[2]
    start = text.lstrip()[:1]
    if start not in "[{" and suffix not in {"json", "jsonl", "ndjson"}:
        return "csv"
    if suffix in {"jsonl", "ndjson"}:
        return "jsonl"
    return "jsonl" if start == "{" and _has_object_per_line(text) else "json"


def _has_object_per_line(text: str) -> bool:
    """Say whether the first line is an object and the file no mapping of names."""
    lines = (line for line in io.StringIO(text, newline="") if line.strip())
    first, second = next(lines, ""), next(lines, "")
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return second.startswith("{") and first.rstrip().endswith("}")
    return bool(second) or "file_name" in value or "youtube_id" in value or "fname" in value


def read_documents(
    text: str, form: Format, layout: Layout, limits: Limits, log: FaultLog
) -> Records:
    """Read JSON or JSONL, reporting all that does not have an accepted shape."""
    reader = ItemReader(layout, log)
    if form == "jsonl":
        return _collect(_json_lines(text, log), reader, limits, log, broken=lambda: False)
    trail = _Trail(text)
    stopped: list[_Broken] = []
    items = _until_broken(_items(text, trail), stopped)
    records = _collect(items, reader, limits, log, broken=lambda: bool(stopped))
    for failure in stopped:
        line, column = _Trail(text).place(failure.position)
        _report_broken(line, column, text[failure.position :][:80], failure, _STOPPED, log)
    return records


def _collect(
    items: Iterable[Item],
    reader: ItemReader,
    limits: Limits,
    log: FaultLog,
    *,
    broken: Callable[[], bool],
) -> Records:
    records: list[Record] = []
    for count, item in enumerate(items, start=1):
        if count > limits.max_rows:
            log.error(
                item.line,
                None,
                "",
                f"There are more than {counted(limits.max_rows, 'item')}, the limit. The file was"
                " read up to here. Remove items that do not belong in it.",
            )
            return Records(tuple(records), complete=False)
        record = None if item.broken else reader.record(item)
        records += [] if record is None else [record]
    return Records(tuple(records), complete=not broken())


def _until_broken(items: Iterator[Item], stopped: list[_Broken]) -> Iterator[Item]:
    try:
        yield from items
    except _Broken as failure:
        stopped.append(failure)


def _report_broken(
    line: int, column: int, value: str, failure: _Broken, rest: str, log: FaultLog
) -> None:
    log.error(
        line,
        None,
        value,
        f"The JSON is broken at character {column} of this line: {failure.reason}. Correct it, or"
        f" write the file with a JSON library. {rest}",
    )


class _Trail:
    """Line numbers for positions that only grow."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._line = 1
        self._start = 0

    def place(self, position: int) -> tuple[int, int]:
        """Give line and character, both counted from 1."""
        for found in _BREAK.finditer(self._text, self._position, position):
            self._line += 1
            self._start = found.end()
        self._position = max(position, self._position)
        return self._line, position - self._start + 1


def _skip(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


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


def _items(text: str, trail: _Trail) -> Iterator[Item]:
    position = _skip(text, 0)
    if text.startswith("[", position):
        end = yield from _list_items(text, position + 1, trail)
    elif text.startswith("{", position):
        end = yield from _mapping_items(text, position + 1, trail)
    else:
        raise _Broken(position, "expecting a list or an object")
    end = _skip(text, end)
    if end < len(text):
        raise _Broken(end, _MORE)


def _list_items(text: str, position: int, trail: _Trail) -> Generator[Item, None, int]:
    position = _skip(text, position)
    if text.startswith("]", position):
        return position + 1
    while True:
        line, _ = trail.place(position)
        value, position = _value(text, position)
        yield Item(line, None, value)
        position = _skip(text, position)
        if text.startswith("]", position):
            return position + 1
        position = _expect(text, position, ",")


def _mapping_items(text: str, position: int, trail: _Trail) -> Generator[Item, None, int]:
    position = _skip(text, position)
    if text.startswith("}", position):
        return position + 1
    while True:
        line, _ = trail.place(position)
        if not text.startswith('"', position):
            raise _Broken(position, "expecting a file name in double quotes")
        key, position = _value(text, position)
        position = _expect(text, _skip(text, position), ":")
        value, position = _value(text, position)
        yield Item(line, key, value)
        position = _skip(text, position)
        if text.startswith("}", position):
            return position + 1
        position = _expect(text, position, ",")


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


def _json_lines(text: str, log: FaultLog) -> Iterator[Item]:
    for number, line in enumerate(io.StringIO(text, newline=""), start=1):
        if not line.strip():
            continue
        try:
            value = _whole_line(line)
        except _Broken as failure:
            at = failure.position
            _report_broken(number, at + 1, line[at : at + 80], failure, _SKIPPED, log)
            # Broken lines count, too, or a file of nothing else would have no limit.
            yield Item(number, None, None, broken=True)
            continue
        yield Item(number, None, value)
