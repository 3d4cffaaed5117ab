"""Faults: what is wrong with a file, where, and what to do about it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Generic, Literal, TypeVar

Severity = Literal["error", "warning"]
VALUE_CHARS = 80
MAX_FAULTS = 5_000
# From so many faults on, one cause is told instead of each of them.
FEWEST_OF_A_CAUSE = 3

T = TypeVar("T")


def one_line(text: str) -> str:
    r"""Show text on one line: whatever is not printable becomes an escape such as \n."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def cut(text: str, limit: int = VALUE_CHARS) -> str:
    """Show at most ``limit`` characters of a text, on one line; an ellipsis marks a cut."""
    shown = one_line(text[: limit + 1])
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def in_quotes(text: str, limit: int = VALUE_CHARS) -> str:
    """Put a text from the file between quotes for use in a message."""
    return f'"{cut(text, limit)}"'


def count_of(count: int, noun: str) -> str:
    """Write a count with its noun, such as "1 row" or "4,180 rows"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


@dataclass(frozen=True, slots=True)
class Fault:
    """One problem of a file.

    ``line`` is the physical line, counted from 1, where the row or the JSON
    item begins; None for the file as a whole. ``column`` is the column or key.
    ``value`` is what was found, made printable and cut to 80 characters.
    ``message`` says what is wrong and what to do. A file with an error is
    refused; a warning leaves it usable. ``file`` is its name where several
    files are read together.
    """

    line: int | None
    column: str | None
    value: str
    message: str
    severity: Severity = "error"
    file: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", cut(self.value))
        if self.column is not None:
            object.__setattr__(self, "column", cut(self.column))
        if self.file is not None:
            object.__setattr__(self, "file", cut(self.file))

    def __str__(self) -> str:
        place = [self.file] if self.file is not None else []
        place += [f"line {self.line}"] if self.line is not None else []
        place += [f"column {self.column}"] if self.column is not None else []
        value = f' Found: "{self.value}"' if self.value else ""
        return f"{', '.join(place) or 'whole file'}: {one_line(self.message)}{value}"


@dataclass(frozen=True)
class ReadResult(Generic[T]):
    """Result of reading a file: its value (None where there is an error) and its faults by line."""

    value: T | None
    faults: tuple[Fault, ...]

    @property
    def errors(self) -> tuple[Fault, ...]:
        """The faults for which the file is refused."""
        return tuple(fault for fault in self.faults if fault.severity == "error")

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """The faults with which the file can still be used."""
        return tuple(fault for fault in self.faults if fault.severity == "warning")


def repeats_text(count: int) -> str:
    """Text that counts the rows which only repeat an earlier one."""
    verb = "repeats" if count == 1 else "repeat"
    return f"{count_of(count, 'row')} only {verb} the clip and the captions of an earlier row"


def _by_line(fault: Fault) -> tuple[bool, int]:
    return fault.line is None, fault.line or 0


def _of_cause(cause: str, faults: Sequence[Fault]) -> str:
    lines = [str(fault.line) for fault in faults[:FEWEST_OF_A_CAUSE]]
    first = f"{', '.join(lines[:-1])} and {lines[-1]}"
    return f"{cause} Affected: {count_of(len(faults), 'line')}, the first {first}."


class TooManyFaults(Exception):
    """The file has more faults than are listed; nobody reads on."""


class FaultLog:
    """The faults met so far while a file is read.

    Raises ``TooManyFaults`` at more than ``MAX_FAULTS``: a file made of faults would take far
    longer than a good one. ``listed`` turns that into a fault.
    """

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._by_cause: dict[str, list[Fault]] = {}
        self.failed = False

    def error(
        self,
        message: str,
        line: int | None = None,
        column: str | None = None,
        value: str = "",
        cause: str = "",
    ) -> None:
        """Note something for which the file is refused.

        ``cause`` says what is wrong with the file and what to do, where it is most likely in
        many lines: then it is told once.
        """
        self.failed = True
        fault = Fault(line, column, value, message)
        self._add(fault)
        if cause:
            self._by_cause.setdefault(cause, []).append(fault)

    def warning(
        self, message: str, line: int | None = None, column: str | None = None, value: str = ""
    ) -> None:
        """Note something that should be looked at."""
        self._add(Fault(line, column, value, message, "warning"))

    def _add(self, fault: Fault) -> None:
        if len(self._faults) == MAX_FAULTS:
            raise TooManyFaults
        self._faults.append(fault)

    @contextmanager
    def listed(self) -> Iterator[None]:
        """Read up to the last fault that is listed, and say so."""
        try:
            yield
        except TooManyFaults:
            self.failed = True
            self._faults.append(
                Fault(
                    None,
                    None,
                    "",
                    f"There are more than {count_of(MAX_FAULTS, 'error')}, so no more are "
                    "listed. Correct these first: most likely all have the same cause.",
                )
            )

    @property
    def each(self) -> list[Fault]:
        """Every fault by itself, by line, for those who leave out the lines alone that have one."""
        return sorted(self._faults, key=_by_line)

    def reading(self, value: T | None) -> ReadResult[T]:
        """Close the log: faults by line, those of the whole file last; one for each cause."""
        merged = {
            id(fault): None if at else replace(fault, message=_of_cause(cause, faults))
            for cause, faults in self._by_cause.items()
            if len(faults) >= FEWEST_OF_A_CAUSE
            for at, fault in enumerate(faults)
        }
        shown = (merged.get(id(fault), fault) for fault in self._faults)
        faults = sorted(filter(None, shown), key=_by_line)
        return ReadResult(None if self.failed else value, tuple(faults))
