r"""Reads the notation of token rules into trees.

The notation is that of regular expressions with these conventions. A literal character matches
either case; a class in square brackets matches exactly what it lists; `\L`, `\D` and `\U` are
letters, digits and capitals of any script. `{name}` stands for a named part, `{2}` and `{2,4}`
count. `\uXXXX` and the usual escapes name characters. Blanks and line breaks mean nothing outside
classes, so that a rule can be laid out; write `\u0020` for a space.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from earmark.text.ptb.characters import CharacterSet, either_case

CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v"}
KIND_ESCAPES = {"L": "alpha", "D": "decimal", "U": "capital"}


class MalformedRule(Exception):
    """A token rule is not written in the notation of this module."""


@dataclass(frozen=True)
class Sequence:
    """Parts one after another; none of them is the empty text."""

    parts: tuple["Pattern", ...]


@dataclass(frozen=True)
class Alternation:
    """Exactly one of the options."""

    options: tuple["Pattern", ...]


@dataclass(frozen=True)
class Repeat:
    """A part at least `low` times and at most `high` times; no upper limit when `high` is None."""

    part: "Pattern"
    low: int
    high: int | None


Pattern = Sequence | Alternation | Repeat | CharacterSet


class PatternReader:
    """Reads one rule from left to right."""

    def __init__(self, text: str, named: Mapping[str, Pattern]) -> None:
        self.text = text
        self.named = named
        self.place = 0

    def ahead(self, distance: int = 0) -> str:
        """Character at a distance, or the empty text past the end."""
        return self.text[self.place + distance : self.place + distance + 1]

    def peek(self) -> str:
        """Next character that means something, or the empty text at the end."""
        while self.ahead().isspace():
            self.place += 1
        return self.ahead()

    def take(self) -> str:
        """Read the next character as it is and move past it."""
        char = self.ahead()
        if not char:
            raise MalformedRule(f"The rule ends too early: {self.text}")
        self.place += 1
        return char

    def expect(self, char: str) -> None:
        """Move past one given character."""
        if self.take() != char:
            raise MalformedRule(f"{char} is missing at {self.place} in {self.text}")

    def choice(self) -> Pattern:
        """Read options parted by bars."""
        options = [self.sequence()]
        while self.peek() == "|":
            self.take()
            options.append(self.sequence())
        return options[0] if len(options) == 1 else Alternation(tuple(options))

    def sequence(self) -> Pattern:
        """Read parts up to a bar, a closing bracket or the end."""
        parts: list[Pattern] = []
        while self.peek() not in {"", "|", ")"}:
            parts.append(self.counted(self.part()))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def counted(self, part: Pattern) -> Pattern:
        """Read the counts that follow a part, if any."""
        while True:
            match self.peek():
                case "*":
                    part = Repeat(part, 0, None)
                case "+":
                    part = Repeat(part, 1, None)
                case "?":
                    part = Repeat(part, 0, 1)
                case "{" if self.ahead(1).isdigit():
                    low, _, high = self.braces().partition(",")
                    part = Repeat(part, int(low), int(high or low))
                    continue
                case _:
                    return part
            self.take()

    def braces(self) -> str:
        """Read what stands in braces."""
        self.expect("{")
        inside = ""
        while self.ahead() != "}":
            inside += self.take()
        self.expect("}")
        return inside

    def part(self) -> Pattern:
        """Read a group, a class, a named part or a literal."""
        match self.peek():
            case "(":
                self.take()
                inner = self.choice()
                self.expect(")")
                return inner
            case "[":
                return self.members()
            case "{":
                return self.named[self.braces()]
            case "\\" if self.ahead(1) in KIND_ESCAPES:
                self.take()
                return CharacterSet((), frozenset({KIND_ESCAPES[self.take()]}))
            case _:
                return either_case(self.literal())

    def literal(self) -> str:
        """Read one character, escaped or not."""
        char = self.take()
        if char != "\\":
            return char
        escape = self.take()
        if escape == "u":
            return chr(int("".join(self.take() for _ in range(4)), 16))
        return CONTROLS.get(escape, escape)

    def members(self) -> CharacterSet:
        """Read a class in square brackets."""
        self.expect("[")
        negated = self.ahead() == "^"
        self.place += negated
        ranges: list[tuple[int, int]] = []
        while self.ahead() != "]":
            first = last = self.literal()
            if self.ahead() == "-" and self.ahead(1) != "]":
                self.take()
                last = self.literal()
            ranges.append((ord(first), ord(last)))
        self.expect("]")
        return CharacterSet(merged_ranges(ranges), negated=negated)


def merged_ranges(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Sort ranges and join those that overlap."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return tuple(joined)


def read_pattern(text: str, named: Mapping[str, Pattern]) -> Pattern:
    """Read a rule.

    `named` gives the parts that `{name}` stands for. Raises `MalformedRule` for text that is not
    in the notation, and KeyError for a name that is not given.
    """
    reader = PatternReader(text, named)
    pattern = reader.choice()
    if reader.peek():
        raise MalformedRule(f"Nothing opens the bracket at {reader.place} in {text}")
    return pattern
