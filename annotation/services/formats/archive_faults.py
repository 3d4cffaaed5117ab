"""What does not fit in an archive, told by part and line."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from django.core.exceptions import ValidationError

from annotation.formats.archived_values import require
from annotation.formats.project_archive import fault_at
from annotation.formats.records import RecordFault, SkippedLine
from annotation.kinds.work_kind import AnswerFault, WorkTask
from annotation.models import Annotation, Answer, Item, Revision
from leaderboard.web.refusals import Refused

_Row = TypeVar("_Row")


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
    told = RecordFault(f"{name}: {fault}", fix=fault.fix)
    told.value = fault.value
    return told


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
