"""YAML as a tree with line numbers, read without trusting the file."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml
from yaml import events

MAX_DEPTH = 12
MAX_NODES = 5_000
_COLON, _START = "mapping values are not allowed here", "that cannot start any token"
_NO_BLOCK = ("expected <block end>, but found", "but found '<block mapping start>'")
_INDENTED = "This line lines up with none above it. Indent it like the lines of its part"
# What PyYAML was reading when it gave up, which began at its context mark.
_BEGUN = {
    "while scanning a quoted scalar": "The quotes around this value are not closed",
    "while parsing a flow mapping": "The brackets of this value are not closed here",
    "while parsing a flow sequence": "The brackets of this value are not closed here",
    "while scanning a simple key": "A name and a colon are expected here",
}


class YamlUnreadable(Exception):
    """Text that is not YAML, or too much of it; line and column from 1."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


@dataclass(slots=True)
class Scalar:
    """A single value as written; ``plain`` where it has no quotes."""

    text: str
    plain: bool = True
    tag: str | None = None
    line: int | None = None


@dataclass(slots=True)
class Items:
    """A list."""

    items: list["Node"] = field(default_factory=list)
    line: int | None = None


@dataclass(slots=True)
class Pairs:
    """A mapping, its pairs in their order, repeated keys too."""

    pairs: list[tuple[Scalar, "Node"]] = field(default_factory=list)
    line: int | None = None


Node = Scalar | Items | Pairs


def tree_read(text: str) -> Node | None:
    """Read one YAML document, None where there is nothing in it.

    Only text, lists and mappings are constructed; an alias is replaced by its anchor's
    value, which counts again, so that a few lines cannot become millions.
    Raises ``YamlUnreadable``.
    """
    try:
        return _Builder().build(yaml.parse(text, Loader=yaml.SafeLoader))
    except yaml.reader.ReaderError as error:
        raise YamlUnreadable(
            f"The character U+{error.character:04X} is not allowed in YAML. Remove it."
            if isinstance(error.character, int)
            else "The file is not UTF-8. Save it as UTF-8."
        ) from error
    except yaml.MarkedYAMLError as error:
        raise _in_words(error, text) from error
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        raise YamlUnreadable("This is not YAML") from error


def _in_words(error: yaml.MarkedYAMLError, text: str) -> YamlUnreadable:
    """What PyYAML says, in words of those who write such files."""
    problem = " ".join(filter(None, (error.context, error.problem)))
    mark = error.problem_mark or error.context_mark
    begun = _BEGUN.get(error.context or "")
    if begun is not None:
        mark, problem = error.context_mark or mark, begun
    elif mark is not None and (
        any(words in problem for words in _NO_BLOCK)
        or (_COLON in problem and ":" not in text.splitlines()[mark.line][: mark.column])
    ):
        problem = _INDENTED
    elif problem.endswith((_COLON, _START)):
        problem = "This value needs quotes, because of its colon or its first character"
    place = (mark.line + 1, mark.column + 1) if mark else (None, None)
    return YamlUnreadable(problem or "This is not YAML", *place)


def _extent(node: Node) -> tuple[int, int]:
    """How many values and keys a tree has, and how many levels."""
    if isinstance(node, Scalar):
        return 1, 1
    keys = len(node.pairs) if isinstance(node, Pairs) else 0
    inner = node.items if isinstance(node, Items) else [value for _, value in node.pairs]
    extents = [_extent(one) for one in inner]
    most = max((levels for _, levels in extents), default=0)
    return 1 + keys + sum(values for values, _ in extents), 1 + most


@dataclass
class _Builder:
    anchors: dict[str, Node] = field(default_factory=dict)
    open: list[tuple[Items | Pairs, str | None]] = field(default_factory=list)
    keys: list[Scalar | None] = field(default_factory=list)
    root: Node | None = None
    nodes: int = 0

    def build(self, parsed: Iterator[events.Event]) -> Node | None:
        documents = 0
        for event in parsed:
            line = event.start_mark.line + 1 if event.start_mark else None
            if isinstance(event, events.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise YamlUnreadable("A second document begins here; keep only one", line, 1)
            elif isinstance(event, events.ScalarEvent):
                node = Scalar(event.value, event.style is None, event.tag, line)
                self._anchor(event.anchor, node)
                self._add(node, line)
            elif isinstance(event, events.AliasEvent):
                self._alias(str(event.anchor), line)
            elif isinstance(event, events.SequenceStartEvent):
                self._open(Items(line=line), event.anchor, line)
            elif isinstance(event, events.MappingStartEvent):
                self._open(Pairs(line=line), event.anchor, line)
            elif isinstance(event, events.CollectionEndEvent):
                self._close(line)
        return self.root

    def _anchor(self, name: str | None, node: Node) -> None:
        if name is not None:
            self.anchors[name] = node

    def _alias(self, name: str, line: int | None) -> None:
        # An anchor is known only once its value has ended: nothing can hold itself.
        node = self.anchors.get(name)
        if node is None:
            raise YamlUnreadable(f"*{name} is not defined before this line", line, 1)
        values, levels = _extent(node)
        if len(self.open) + levels > MAX_DEPTH:
            raise YamlUnreadable(f"The values are nested deeper than {MAX_DEPTH} levels", line, 1)
        self._count(values - 1, line)
        self._add(node, line)

    def _open(self, node: Items | Pairs, anchor: str | None, line: int | None) -> None:
        if len(self.open) >= MAX_DEPTH:
            raise YamlUnreadable(f"The values are nested deeper than {MAX_DEPTH} levels", line, 1)
        self.open.append((node, anchor))
        self.keys.append(None)

    def _close(self, line: int | None) -> None:
        node, anchor = self.open.pop()
        self.keys.pop()
        self._anchor(anchor, node)
        self._add(node, line)

    def _count(self, more: int, line: int | None) -> None:
        self.nodes += more
        if self.nodes > MAX_NODES:
            raise YamlUnreadable(f"The file holds more than {MAX_NODES:,} values", line, 1)

    def _add(self, node: Node, line: int | None) -> None:
        self._count(1, line)
        if not self.open:
            self.root = node
            return
        parent, _ = self.open[-1]
        if isinstance(parent, Items):
            parent.items.append(node)
            return
        key = self.keys[-1]
        if key is not None:
            parent.pairs.append((key, node))
            self.keys[-1] = None
        elif isinstance(node, Scalar):
            self.keys[-1] = node
        else:
            raise YamlUnreadable("A name is expected before a colon, but this is a list", line, 1)
