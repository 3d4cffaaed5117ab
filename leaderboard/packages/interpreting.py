"""From a tree of YAML to metadata, leniently: each bend is read and noted."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from leaderboard.packages.homes import plain_key
from leaderboard.packages.metadata import (
    TEXT_IS,
    Author,
    Dataset,
    Metadata,
    Reader,
)
from leaderboard.packages.moving import settled
from leaderboard.packages.notes import Notes
from leaderboard.packages.scalars import Read, clean, is_null, read_any, read_text
from leaderboard.packages.tree import Items, Node, Pairs, Scalar

_BETWEEN = re.compile(r"\s*[,;\n]\s*")
_NOTHING = {"none", "no", "false", "n/a", "!!null", "-"}


def interpret(root: Pairs, notes: Notes, *, tell_moves: bool = True) -> Metadata:
    """Read a tree; ``tell_moves`` notes keys that stand elsewhere than in DCASE's files."""
    found = _Reader(notes).part(Metadata, settled(root, notes, tell=tell_moves), "")
    if not isinstance(found, Metadata):
        raise TypeError(f"not metadata: {found!r}")
    return found


def node_of(value: object) -> Node:
    """Lay out plain Python values, such as JSON's, as a tree."""
    if isinstance(value, Mapping):
        pairs = [(Scalar(str(key), plain=False), node_of(item)) for key, item in value.items()]
        return Pairs(pairs)
    if isinstance(value, list | tuple):
        return Items([node_of(item) for item in value])
    if value is None:
        return Scalar("")
    if isinstance(value, bool):
        return Scalar(str(value).lower())
    if isinstance(value, int | float):
        return Scalar(repr(value))
    return Scalar(str(value), plain=False)


@dataclass
class _Reader:
    notes: Notes

    def part(self, kind: type[Any], node: Node, path: str) -> Any:
        """Read a part of the metadata."""
        if isinstance(node, Items):
            return self._from_list(kind, node, path)
        if isinstance(node, Scalar):
            return self._from_text(kind, node, path)
        specs = {spec.name: spec for spec in fields(kind) if spec.name != "more"}
        values: dict[str, Any] = {}
        more: dict[str, Any] = {}
        for name, value in self._pairs(node, path, specs):
            place = _joined(path, name)
            if name not in specs:
                more[name] = self._any(value, place)
                continue
            said = specs[name].metadata
            if "reader" in said:
                values[name] = self._single(said["reader"], value, place)
            elif "parts" in said:
                values[name] = self._list(said["parts"], value, place)
            else:
                values[name] = self.part(said["part"], value, place)
        return kind(**values, more=more)

    def _pairs(self, node: Pairs, path: str, specs: Mapping[str, Any]) -> list[tuple[str, Node]]:
        """Give each key once, under the name that it has in DCASE's files; the last one stands."""
        found: dict[str, tuple[Scalar, Node]] = {}
        for key, value in node.pairs:
            plain = plain_key(key.text)
            name = plain if plain in specs else " ".join(clean(key.text).split())
            if name != key.text:
                self.notes.warn(key.line, _joined(path, key.text), "", f"Read as {name}.")
            if name in found:
                before = found.pop(name)[0].line
                where = f" in lines {before} and {key.line}" if before and key.line else ""
                self.notes.warn(
                    key.line,
                    _joined(path, name),
                    "",
                    f"Is there twice{where}; the later one was read.",
                )
            found[name] = (key, value)
        return [(name, value) for name, (_, value) in found.items()]

    def _from_text(self, kind: type[Any], node: Scalar, path: str) -> Any:
        if is_null(node):
            return kind()
        text = str(read_text(node).value or "")
        if kind is Author:
            firstname, _, lastname = text.rpartition(" ")
            self.notes.warn(node.line, path, node.text, "Read as the author's name.")
            return Author(lastname=lastname or None, firstname=firstname.strip() or None)
        name = TEXT_IS.get(kind)
        if name is None:
            self.notes.warn(node.line, path, node.text, "Fields are expected here; kept as text.")
            return kind(more={"text": text})
        spec = next(spec for spec in fields(kind) if spec.name == name)
        self.notes.warn(node.line, path, node.text, f"Read as {name}.")
        return kind(**{name: self._single(spec.metadata["reader"], node, _joined(path, name))})

    def _from_list(self, kind: type[Any], node: Items, path: str) -> Any:
        """Read a list of texts where one part is expected: the first is it."""
        first, *rest = node.items or [Scalar("")]
        found = self.part(kind, first, path)
        if not rest:
            return found
        self.notes.warn(node.line, path, "", "One is expected; the first one was read as such.")
        others = {"others": [self._any(item, path) for item in rest]}
        return replace(found, more={**found.more, **others})

    def _list(self, kind: type[Any], node: Node, path: str) -> tuple[Any, ...]:
        """Read a list of parts; one part alone, or a text with commas, is a list too."""
        if isinstance(node, Scalar):
            text = str(read_text(node).value or "")
            if not text or text.lower() in _NOTHING:
                if text:
                    self.notes.warn(node.line, path, text, "Read as none.")
                return ()
            names = [name for name in _BETWEEN.split(text) if name]
            if node.line is not None:
                self.notes.warn(node.line, path, text, f"Read as a list of {len(names)}.")
            items: list[Node] = [Scalar(name, plain=False) for name in names]
        elif isinstance(node, Pairs):
            items = _numbered(node) or [node]
            self.notes.warn(node.line, path, "", "A list is expected; read as one.")
        else:
            items = [
                item for item in node.items if not (isinstance(item, Scalar) and is_null(item))
            ]
        found = [
            self._item(kind, item, f"{path}[{number}]") for number, item in enumerate(items, 1)
        ]
        return tuple(item for item in found if item != kind())

    def _item(self, kind: type[Any], node: Node, path: str) -> Any:
        if kind is Dataset and isinstance(node, Scalar) and node.line is None:
            return Dataset(name=_text(read_text(node)))
        return self.part(kind, node, path)

    def _single(self, reader: Reader, node: Node, path: str) -> Any:
        if not isinstance(node, Scalar):
            text = _flat(node)
            self.notes.warn(node.line, path, text, "One value is expected; read as this text.")
            return reader(Scalar(text, plain=False)).value
        read = reader(node)
        self.notes.said(node.line, path, node.text, read.said)
        return read.value

    def _any(self, node: Node, path: str) -> Any:
        """Keep what is not known as it is."""
        if isinstance(node, Scalar):
            return read_any(node).value
        if isinstance(node, Items):
            return [self._any(item, path) for item in node.items]
        return {name: self._any(value, path) for name, value in self._pairs(node, path, {})}


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _numbered(node: Pairs) -> list[Node]:
    """Give the parts of a mapping that numbers them: author1, author2, or 1, 2."""
    if all(
        re.search(r"\d+\s*$", key.text) and isinstance(value, Pairs) for key, value in node.pairs
    ):
        return [value for _, value in node.pairs]
    return []


def _text(read: Read) -> str | None:
    return None if read.value is None else str(read.value)


def _flat(node: Node) -> str:
    """Write a list or a mapping on one line."""
    if isinstance(node, Scalar):
        return _text(read_text(node)) or ""
    if isinstance(node, Items):
        return ", ".join(filter(None, map(_flat, node.items)))
    return ", ".join(f"{clean(key.text)}: {_flat(value)}" for key, value in node.pairs)
