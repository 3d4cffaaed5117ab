"""Repairing YAML that no YAML reader takes because lines are indented wrongly.

DCASE's templates are filled in by hand, and a line that is one column off makes the
whole file unreadable. A line is moved only where a single place can be meant: either
YAML leaves no other, or only one of DCASE's parts has such a key.
"""

import re
from dataclasses import dataclass, field

from leaderboard.packages.metadata_fields import Path, known_at
from leaderboard.packages.notes import MetadataNotes, dotted
from leaderboard.packages.tree import YamlUnreadable
from scoring.captions.faults import count_of, in_quotes

_KEY = re.compile(
    r"(?P<key>[^\s#'\"\[\]{}&*!|>%@`,?:-][^:#]*?|\"[^\"]*\"|'[^']*')\s*:(?:\s+(?P<value>.*)|)"
)
_BLOCK = re.compile(r"[|>][-+\d]*\s*(?:#.*)?")
_QUOTED = re.compile(r"(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*')\s*(?:#.*)?")


@dataclass(slots=True)
class _YamlLevel:
    """An open mapping or list: the column of its keys or dashes, and the repaired column."""

    column: int
    out: int
    path: Path
    is_list: bool = False
    key: str = ""
    is_open: bool = False


@dataclass
class YamlRepair:
    """Repairs a file line by line; lines keep their numbers."""

    notes: MetadataNotes
    stack: list[_YamlLevel] = field(default_factory=list)
    out: list[str] = field(default_factory=list)
    block: tuple[int, int | None] | None = None
    number: int = 0

    def repair(self, text: str) -> str:
        """Text with its indentation repaired; raises ``YamlUnreadable`` where that fails."""
        for number, line in enumerate(text.split("\n"), start=1):
            self.number = number
            self._line(line.rstrip())
        return "\n".join(self.out)

    def _line(self, line: str) -> None:
        body = line.lstrip(" ")
        column = len(line) - len(body)
        if self._in_block(body, column):
            return
        if not body or body.startswith("#"):
            self.out.append(body)
        elif column == 0 and (body.startswith(("---", "...", "%"))):
            self.stack.clear()
            self.out.append(line)
        elif body == "-" or body.startswith("- "):
            self._dash(body, column)
        elif (match := _KEY.fullmatch(body)) is not None:
            level = self._place(match["key"].strip("'\""), column)
            self.out.append(" " * level.out + self._pair(level, match))
        else:
            self._go_on(body, column)

    def _in_block(self, body: str, column: int) -> bool:
        """Keep the lines of a text after | or > as they are, moved along with their key."""
        if self.block is None:
            return False
        parent, first = self.block
        if body and column <= parent:
            self.block = None
            return False
        if body and first is None:
            first = column
            self.block = (parent, first)
        shift = max(column - (first or column), 0)
        self.out.append(" " * (self.stack[-1].out + 2 + shift) + body if body else "")
        return True

    def _pair(self, level: _YamlLevel, match: re.Match[str]) -> str:
        """The line of a key and its value; the key is noted as the last of its level."""
        value = (match["value"] or "").strip()
        level.key = match["key"].strip("'\"").strip()
        level.is_open = not value or value.startswith(("#", "&"))
        if _BLOCK.fullmatch(value):
            self.block = (level.column, None)
        self._require_closed(value)
        return f"{match['key']}: {value}".rstrip()

    def _require_closed(self, value: str) -> None:
        if value[:1] in {'"', "'"} and _QUOTED.fullmatch(value) is None:
            raise YamlUnreadable("The quotes around this value are not closed", self.number, 1)
        if value[:1] in {"[", "{"} and value.count(value[0]) != value.count(
            "]}"["[{".index(value[0])]
        ):
            raise YamlUnreadable("The brackets of this value are not closed here", self.number, 1)

    def _dash(self, body: str, column: int) -> None:
        level = self._list_at(column)
        rest = body[1:].lstrip(" ")
        inner = column + len(body) - len(rest)
        while self.stack[-1] is not level:
            self.stack.pop()
        start = " " * level.out + "- "
        match = _KEY.fullmatch(rest)
        if match is None:
            if rest.startswith("- "):
                raise YamlUnreadable("There is a list inside a list here", self.number, inner + 1)
            self.out.append(start + rest)
            return
        item = _YamlLevel(inner, level.out + 2, level.path)
        self.stack.append(item)
        self.out.append(start + self._pair(item, match))

    def _list_at(self, column: int) -> _YamlLevel:
        """The list to which a dash belongs."""
        lists = [level for level in self.stack if level.is_list]
        exact = [level for level in lists if level.column == column]
        top = self.stack[-1] if self.stack else None
        opened = top is not None and not top.is_list and top.is_open and column >= top.column
        if exact and not (
            opened and top is not None and self.stack.index(exact[-1]) < len(self.stack) - 2
        ):
            return exact[-1]
        if top is None:
            new = _YamlLevel(column, 0, (), is_list=True)
            self.stack.append(new)
            return new
        if opened and not top.is_list:
            top.is_open = False
            new = _YamlLevel(column, top.out + 2, (*top.path, top.key), is_list=True)
            self.stack.append(new)
            return new
        if len(lists) == 1:
            self._moved(column, lists[0].column, lists[0].path)
            return lists[0]
        raise YamlUnreadable(
            "It is unclear which list this dash belongs to", self.number, column + 1
        )

    def _place(self, key: str, column: int) -> _YamlLevel:
        """The mapping to which a key belongs; those inside it are closed."""
        level = self._mapping_at(key, column)
        if level not in self.stack:
            self.stack.append(level)
        while self.stack[-1] is not level:
            self.stack.pop()
        return level

    def _mapping_at(self, key: str, column: int) -> _YamlLevel:
        mappings = [level for level in self.stack if not level.is_list]
        if not mappings:
            return _YamlLevel(column, 0, ())
        exact = [level for level in mappings if level.column == column]
        if exact:
            return exact[-1]
        top = mappings[-1]
        if column > top.column:
            if top.is_open:
                top.is_open = False
                return _YamlLevel(column, top.out + 2, (*top.path, top.key))
            self._moved(column, top.column, (*top.path, key))
            return top
        return self._between(mappings, key, column)

    def _between(self, mappings: list[_YamlLevel], key: str, column: int) -> _YamlLevel:
        """The level of a key that lies between two levels."""
        right = next(level for level in mappings if level.column > column)
        left = next((level for level in reversed(mappings) if level.column < column), None)
        choices = [level for level in (left, right) if level is not None]
        fitting = [level for level in choices if known_at(level.path, key)]
        if len(fitting) != 1:
            levels = " nor ".join(
                f"the {level.column} of {in_quotes(level.key)}" for level in choices
            )
            raise YamlUnreadable(
                f"{in_quotes(key)} is indented by {count_of(column, 'space')}, which is neither"
                f" {levels}. Indent it like one of them",
                self.number,
                column + 1,
            )
        self._moved(column, fitting[0].column, (*fitting[0].path, key))
        return fitting[0]

    def _moved(self, column: int, meant: int, path: Path) -> None:
        self.notes.warn(
            self.number,
            dotted(path),
            "",
            f"Indented by {count_of(column, 'space')}; read as if by {meant}.",
        )

    def _go_on(self, body: str, column: int) -> None:
        """Add a further line to a text that continues over several."""
        level = self.stack[-1] if self.stack else None
        if level is None or column <= level.column:
            raise YamlUnreadable("A name and a colon are expected here", self.number, column + 1)
        level.is_open = False
        self.out.append(" " * (level.out + 2) + body)
