"""Records of files with captions: what is read, what is skipped and why, and what is written."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import IO, Any

from earmark.captions.decoding import whole_refusal
from earmark.captions.faults import cut
from earmark.json_values import deeper_than

LONGEST_TEXT = 5000
MOST_LEVELS = 50
# Databases keep neither NUL nor half of a surrogate pair.
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


class RecordFault(ValueError):
    """Why a record cannot be taken; ``value`` is what was found, ``fix`` what to do."""

    def __init__(self, message: str, *, value: object = "", fix: str = "") -> None:
        super().__init__(message)
        self.value = cut(_shown(value))
        self.fix = fix


def _shown(value: object) -> str:
    """A value as the file has it, for JSON is what its writer knows."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, dict | list | bool | int | float | None):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line that was not taken: its number from 1, what was found, why, and what to do."""

    line: int
    value: str
    why: str
    fix: str = ""

    def __str__(self) -> str:
        ending = f" Found: {self.value}" if self.value else ""
        return f"Line {self.line}: {self.why} {self.fix}".rstrip() + ending

    @classmethod
    def because(cls, line: int, fault: RecordFault) -> "SkippedLine":
        """A skipped line with its number and fault."""
        return cls(line, fault.value, str(fault), fault.fix)


@dataclass(frozen=True, slots=True)
class Record:
    """A caption from a file, with somebody's labels where it has any.

    ``spans`` are Prodigy's with all offsets; None: the record labels nothing and is a
    caption to be labelled. ``person`` is the session that made it, "" where the
    file does not say. ``source`` is the line as it came, ``carried`` JSON text of
    the keys that mean nothing here. ``taken`` are the spans that came from a suggestion.
    ``inventory`` is that from which the labels were mapped before, where the file says so.
    ``unread`` are keys that are not read and look like labels. ``left_out`` are spans of the
    record that cannot be taken: the others are, incomplete.
    """

    line: int
    text: str
    tokens: Sequence[Mapping[str, Any]]
    meta: Mapping[str, Any] = field(default_factory=dict)
    spans: Sequence[Mapping[str, Any]] | None = None
    answer: str = "accept"
    person: str = ""
    at: datetime | None = None
    flagged: bool = False
    comment: str = ""
    source: str = ""
    carried: str = ""
    taken: Sequence[Mapping[str, Any]] = ()
    inventory: str = ""
    unread: Sequence[str] = ()
    left_out: Sequence[SkippedLine] = ()


def require_text(text: object) -> str:
    """A text that can be a caption, every byte as it came, or raise ``RecordFault``."""
    if not isinstance(text, str):
        raise RecordFault(
            "There is no text.",
            value="" if text is None else text,
            fix='Every record needs "text".',
        )
    if not text.strip():
        raise RecordFault("The text is empty.", fix="Leave the record out.")
    if len(text) > LONGEST_TEXT:
        raise RecordFault(
            f"The text has {len(text):,} characters; a caption may have at most {LONGEST_TEXT:,}.",
            value=text,
            fix="Split it.",
        )
    return text


ANSWERS = ("accept", "reject", "ignore")


def require_answer(answer: object) -> str:
    """An answer that there is, or raise ``RecordFault``."""
    if answer not in ANSWERS:
        raise RecordFault(
            "There is no such answer.", value=answer, fix=f"Choose from: {', '.join(ANSWERS)}."
        )
    return str(answer)


def require_storable(value: object) -> None:
    """Raise ``RecordFault`` where a value holds what databases cannot keep."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
    except UnicodeEncodeError as error:
        raise RecordFault(
            "It contains half of a surrogate pair, which is not a character.",
            fix="Save the file again as UTF-8.",
        ) from error
    except (ValueError, RecursionError) as error:
        raise RecordFault(
            "It contains NaN, Infinity or very deeply nested lists.", fix="Write null instead."
        ) from error
    if deeper_than(value, MOST_LEVELS):
        # The API gives up on a few hundred, and who labels would wait for the caption in vain.
        raise RecordFault(
            f"It contains more than {MOST_LEVELS} levels of nested lists.", fix="Leave it out."
        )
    if _NUL.search(text):
        raise RecordFault("It contains the character NUL.", fix="Remove it.")


def moment(value: object) -> datetime | None:
    """Read seconds since 1970; None where there are none that make sense."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return datetime.fromtimestamp(value, UTC)
    except (OverflowError, OSError, ValueError):
        return None


LONGEST_LINE = 1_000_000
_BOM = "\ufeff"


def numbered_lines(file: IO[bytes]) -> Iterator[tuple[int, str] | SkippedLine]:
    r"""Line numbers from 1 and lines without their ``\n``; empty ones are left out.

    Only ``\n`` ends a line: captions may hold other line ends. A line that is not
    UTF-8 or longer than ``LONGEST_LINE`` bytes is skipped, and so is the file as a whole where it
    is no text in UTF-8 by its first line.
    """
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if number == 1 and (refusal := whole_refusal(line)):
            yield SkippedLine(1, "", refusal)
            return
        if len(line) > LONGEST_LINE:
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST_LINE)
            yield SkippedLine(number, "", "The line is longer than 1 MB.", "Split the record.")
            continue
        try:
            text = line.removesuffix(b"\n").decode()
        except UnicodeDecodeError:
            fault = RecordFault(
                "The line is not UTF-8.", value=line[:80], fix="Save the file as UTF-8."
            )
            yield SkippedLine.because(number, fault)
            continue
        text = text.removeprefix(_BOM) if number == 1 else text
        if text.strip():
            yield number, text


@dataclass(frozen=True, slots=True)
class ExportRow:
    """One person's labels of one caption.

    ``number`` is the caption's place in its project. ``tokens`` and ``spans`` are
    Prodigy's. ``line`` is the line of a file that it was imported from, without
    its line end, and ``changed`` tells whether it was edited since. ``carried`` is
    JSON text of the keys of an imported record that mean nothing here. ``taken`` are the
    spans that were taken from a suggestion, each with its ``labeller``. ``inventory`` is
    that from which the labels came where it is not the project's.
    """

    number: int
    text: str
    tokens: Sequence[Mapping[str, Any]]
    spans: Sequence[Mapping[str, Any]]
    annotator: str
    at: datetime
    meta: Mapping[str, Any] = field(default_factory=dict)
    answer: str = "accept"
    flagged: bool = False
    comment: str = ""
    line: str = ""
    changed: bool = False
    carried: str = ""
    taken: Sequence[Mapping[str, Any]] = ()
    inventory: str = ""


def meta_in_order(work: ExportRow) -> dict[str, Any]:
    """The caption's meta with its keys in order, which databases do not keep."""
    meta: dict[str, Any] = json.loads(json.dumps(work.meta, sort_keys=True))
    return meta


def winners(spans: Sequence[Mapping[str, Any]], words: int) -> list[int | None]:
    """For each word the number of the span that labels it; of several, the last."""
    numbers: list[int | None] = [None] * words
    for number, span in enumerate(spans):
        for word in range(int(span["token_start"]), int(span["token_end"]) + 1):
            numbers[word] = number
    return numbers
