"""One JSON item to one record, with the wrong types it may hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scoring.captions.faults import FaultLog, cut
from scoring.captions.layout import Layout, Roles, assign_roles, check_numbers, named
from scoring.captions.records import Cell, Record


class JsonObject(dict[str, Any]):
    """A JSON object that remembers the keys that it had more than once."""

    repeated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """One object of a list or of JSONL (``key`` None), or one entry of a mapping.

    ``broken`` marks a line that could not be read; it was reported and only counts.
    """

    line: int
    key: str | None
    value: Any
    broken: bool = False


class ItemReader:
    """Turns items into records and reports what does not have an accepted shape."""

    def __init__(self, layout: Layout, log: FaultLog) -> None:
        self._layout = layout
        self._log = log
        self._unread: set[str] = set()

    def record(self, item: Item) -> Record | None:
        """Read one item; None where its clip cannot be told."""
        if item.key is not None:
            label = self._layout.header.split(",")[1]
            captions = self._cells(item.line, label, item.value, many=True)
            return Record(item.line, item.key, self._layout.names[0], captions)
        if not isinstance(item.value, dict):
            self._wrong_type(item.line, None, item.value, f"an object: {self._layout.example}")
            return None
        return self._object(item.line, item.value)

    def _object(self, line: int, value: dict[str, Any]) -> Record | None:
        if isinstance(value, JsonObject) and value.repeated:
            repeated = named(value.repeated[:5])
            self._log.error(line, None, "", f"The object has {repeated} more than once. Keep one.")
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
        return Record(line, name, label, captions, pooled)

    def _captions(
        self, line: int, value: dict[str, Any], keys: list[str], roles: Roles
    ) -> tuple[tuple[Cell, ...] | None, bool]:
        listed = next((key for key in self._layout.listed if key in value), None)
        if listed is not None and not roles.numbers:
            self._note_unread(line, keys, roles, listed)
            return self._cells(line, listed, value[listed], many=True), False
        if not roles.captions:
            self._missing(line, keys, self._layout.listed[0])
            return None, False
        self._note_unread(line, keys, roles, None)
        labels = [keys[index] for index in roles.captions]
        check_numbers(roles.numbers, labels, line, self._layout, self._log)
        cells: list[Cell] = []
        for label in labels:
            found = self._cells(line, label, value[label], many=False)
            if found is None:
                return None, not roles.numbers
            cells += found
        return tuple(cells), not roles.numbers

    def _cells(self, line: int, label: str, value: Any, *, many: bool) -> tuple[Cell, ...] | None:
        """Read a caption, or a list of them; null is a caption left out."""
        texts = value if many and isinstance(value, list) else [value]
        for text in texts:
            if text is not None and not isinstance(text, str):
                self._wrong_type(line, label, text, "a caption in double quotes")
                return None
        return tuple(Cell(label, text or "") for text in texts)

    def _missing(self, line: int, keys: Sequence[str], wanted: str) -> None:
        self._log.error(
            line,
            wanted,
            ", ".join(keys[:10]),
            f'The object has no "{wanted}". An item looks like this: {self._layout.example}',
        )

    def _wrong_type(self, line: int, label: str | None, value: Any, wanted: str) -> None:
        shown = cut(value) if isinstance(value, str) else ""
        self._log.error(line, label, shown, f"This is {_kind(value)}. Write {wanted}.")

    def _note_unread(
        self, line: int, keys: Sequence[str], roles: Roles, listed: str | None
    ) -> None:
        for index in roles.extra:
            key = keys[index]
            if key != listed and key not in self._unread and len(self._unread) < 20:
                self._unread.add(key)
                self._log.warning(line, key, "", "This key is not read, here and further down.")


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    kinds: dict[type[Any], str] = {str: "a text", list: "a list"}
    return kinds.get(type(value), "an object")
