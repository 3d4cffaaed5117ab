"""The values of an archive's rows, checked before they are stored; faults by part and line."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.utils.dateparse import parse_datetime

from annotation.formats.offsets import read_spans
from annotation.formats.project_archive import fault_at
from annotation.formats.records import RecordFault, SkippedLine
from annotation.kinds.work_kind import AnswerFault, WorkTask
from annotation.models import Annotation, Answer, Item, Revision
from annotation.spans import OUTSIDE, read_taken
from leaderboard.web.refusals import Refused

Row = Mapping[str, Any]
_Row = TypeVar("_Row")


def require(kind: type, value: Any) -> Any:
    """A value of this type, or raise ``RecordFault``; a whole number is a fraction, too."""
    fits = isinstance(value, kind) or (kind is float and isinstance(value, int))
    if not fits or (isinstance(value, bool) and kind is not bool):
        raise RecordFault(
            f"It must be {_KINDS[kind]}.", value=value, fix="Use the archive as it was downloaded."
        )
    return value


_KINDS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


def moment_of(value: Any) -> datetime:
    """A moment with its time zone, or raise ``RecordFault``."""
    try:
        moment = parse_datetime(require(str, value))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise RecordFault(
            "It is not a date and time.", value=value, fix="Write 2026-03-01T12:00:00+00:00."
        )
    return moment


def values_of(kind: type, value: Any) -> list[Any]:
    """A list of such values."""
    return [require(kind, one) for one in require(list, value)]


def object_of(kind: type, value: Any) -> dict[str, Any]:
    """An object of such values."""
    return {key: require(kind, one) for key, one in require(dict, value).items()}


@dataclass(frozen=True, slots=True)
class CaptionWords:
    """The words of a caption, and the labels that there are."""

    tokens: Sequence[Row]
    names: frozenset[str]

    def spans(self, value: Any) -> list[dict[str, Any]]:
        """Spans on the words, with labels of the scheme."""
        spans = read_spans(value, self.tokens)
        for span in spans:
            self._require_label(span["label"])
        return spans

    def labels(self, value: Any) -> list[str]:
        """A label, or "O", for each word."""
        names = values_of(str, value)
        if len(names) != len(self.tokens):
            raise RecordFault(f"There are {len(names)} labels for {len(self.tokens)} words.")
        for name in names:
            if name != OUTSIDE:
                self._require_label(name)
        return names

    def provenance(self, value: Any) -> list[dict[str, Any]]:
        """How each word came to its label; none for what was settled before that was kept."""
        rows = values_of(dict, value)
        if rows and len(rows) != len(self.tokens):
            raise RecordFault(
                f"There are {len(rows)} rows of provenance for {len(self.tokens)} words."
            )
        return [_way_of(row, str) for row in rows]

    def _require_label(self, name: str) -> None:
        if name not in self.names:
            known = ", ".join(sorted(self.names))
            raise RecordFault("The scheme has no such label.", value=name, fix=f"It has: {known}.")


def _way_of(row: Row, vote: type) -> dict[str, Any]:
    """How a word came to its label (a ``vote`` is text), or a span to its edge (true or false)."""
    checks: dict[str, Callable[[Any], Any]] = {
        "how": lambda value: require(str, value),
        "by": lambda value: value if value is None else require(int, value),
        "from": lambda value: values_of(int, value),
        "votes": lambda value: {str(int(key)): one for key, one in object_of(vote, value).items()},
        "edge": lambda value: _way_of(require(dict, value), bool),
    }
    try:
        return {key: checks[key](value) for key, value in row.items()}
    except KeyError as error:
        raise RecordFault(f"Provenance has no {error}.", value=row) from error
    except ValueError as error:
        if isinstance(error, RecordFault):
            raise
        raise RecordFault("Votes are by the numbers of answers.", value=row) from error


def taken_of(value: Any) -> list[dict[str, Any]]:
    """The spans that were taken from a suggestion."""
    spans = read_taken(value) if value else require(list, value)
    if spans is None:
        raise RecordFault("These are not valid spans of accepted suggestions.", value=value)
    return list(spans)


def extra_of(value: Any) -> dict[str, Any]:
    """What a caption or an answer keeps of the record that it came from."""
    checks: dict[str, Callable[[Any], Any]] = {
        "line": _json_text,
        "carried": _json_text,
        "version": lambda one: require(int, one),
        "taken": taken_of,
        "references": lambda one: values_of(str, one),
        "shown_first": _text,
        "mapped": texts_of,
    }
    kept = lambda one: one  # noqa: E731
    return {key: checks.get(key, kept)(one) for key, one in require(dict, value).items()}


def _json_text(value: Any) -> str:
    """An object as a line of JSON, from which exports are written."""
    try:
        require(dict, json.loads(require(str, value)))
    except (ValueError, RecursionError) as error:
        raise RecordFault("This is not a line of a labels file.", value=value) from error
    return str(value)


def _shape(checks: Mapping[str, Callable[[Any], Any]]) -> Callable[[Any], dict[str, Any]]:
    def checked(value: Any) -> dict[str, Any]:
        try:
            return {key: checks[key](one) for key, one in require(dict, value).items()}
        except KeyError as error:
            raise RecordFault(f"It has no {error}.", value=value) from error

    return checked


def _listed(check: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    return lambda value: [check(one) for one in require(list, value)]


def _by_name(check: Callable[[Any], Any]) -> Callable[[Any], dict[str, Any]]:
    return lambda value: {key: check(one) for key, one in require(dict, value).items()}


def _text(value: Any) -> str:
    return str(require(str, value))


def _count(value: Any) -> int:
    return int(require(int, value))


counts_of = _by_name(_count)
systems_of = _listed(_shape({"id": _text, "name": _text}))
texts_of = _by_name(_text)
mapping_of = _by_name(_listed(_text))
chosen_of = _shape({"map_from": _text, "table": texts_of, "people": counts_of, "columns": texts_of})
_lines = _listed(_shape({"line": _count, "value": _text, "why": _text, "fix": _text}))
report_of = _shape(
    {
        **dict.fromkeys(
            (
                *("records", "labelled", "captions", "annotations", "unchanged", "to_settle"),
                *("left_out", "incomplete"),
            ),
            _count,
        ),
        "labels": counts_of,
        "left_out_labels": counts_of,
        "columns": _listed(_text),
        "refusal": _text,
        "skipped": _lines,
        "bad_spans": _lines,
        "unread": _listed(_shape({"key": _text, "line": _count, "records": _count})),
        "sessions": _by_name(
            _shape({"annotations": _count, "name": _text, "made": lambda one: require(bool, one)})
        ),
    }
)


def row_at(rows: Sequence[_Row], number: Any, what: str) -> _Row:
    """The row of a number, from 1."""
    place = int(require(int, number))
    if not 0 < place <= len(rows):
        raise RecordFault(f"There is no {what}.", value=number)
    return rows[place - 1]


def require_answer(item: Item, made: Annotation | Revision) -> None:
    """Refuse an answer that could not have been given to its item."""
    kind = item.project.work_kind
    if made.value is None or kind.has_labels:
        fits = made.value is None
    else:
        # Whose it is does not matter; the limits may have been others when it was given.
        task = WorkTask(item, 0, kind.widest)
        complete = made.answer == Answer.ACCEPT
        fits = kind.checked(made.value, task, complete=complete) == made.value
    if not fits:
        raise RecordFault("It is not an answer of this kind of work.", value=str(made.value)[:200])


def fault_of_column(name: str, fault: RecordFault) -> RecordFault:
    """A fault that names the column."""
    named_fault = RecordFault(f"{name}: {fault}", fix=fault.fix)
    named_fault.value = fault.value
    return named_fault


@contextmanager
def told_at(part: str, number: int) -> Iterator[None]:
    """Name the part and the line where something does not fit."""
    try:
        yield
    except RecordFault as fault:
        raise fault_at(part, SkippedLine.because(number, fault)) from fault
    except ValidationError as error:
        why = " ".join(error.messages)
        raise Refused(f"{part}, line {number}: {why}") from error
    except (AnswerFault, Refused) as error:
        raise Refused(f"{part}, line {number}: {error}") from error
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise Refused(
            f"{part}, line {number}: it does not fit the archive. Download the archive again."
        ) from error
