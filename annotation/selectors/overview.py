"""The overview of a project: when the last answers may be there, what waits for a decision."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Min, Q

from annotation.models import (
    COUNTING,
    UNCOUNTED,
    Annotation,
    Import,
    ImportState,
    Lateness,
    Project,
)
from annotation.selectors.adjudication.cases import adjudication_board_for
from annotation.selectors.captions.facts import NOTED, Mark
from annotation.selectors.progress import IMPORTED, ProjectProgress
from leaderboard.models import User

# The paces of these last days make the range.
WINDOWS = (3, 7, 14)
# Fewer answers, or a shorter time, say nothing of a pace.
FEWEST_ANSWERS = 20
# What lies further ahead is no forecast.
MOST_DAYS = 730


@dataclass(frozen=True, slots=True)
class Forecast:
    """The pace of a project and the range of its end.

    ``week`` are the answers of the last seven days that count and were made here. ``per_day``
    is the slowest and the fastest pace of the last 3, 7 and 14 days, pauses included; ``first``
    and ``last`` are when the answers that are missing would be there at these. All None, with
    the reason in ``unknown``, where nothing can be said.
    """

    week: int
    left: int
    per_day: tuple[float, float] | None = None
    first: datetime | None = None
    last: datetime | None = None
    unknown: str = ""


def forecast(project: Project, whole: ProjectProgress, now: datetime) -> Forecast:
    """Read it, in one query."""
    left = whole.assignments - whole.assignments_done
    counts = {f"days_{days}": Q(created_at__gt=now - timedelta(days=days)) for days in WINDOWS}
    rows = Annotation.objects.counting().filter(item__project=project).exclude(IMPORTED)
    facts = rows.filter(created_at__lte=now).aggregate(
        **{name: Count("pk", filter=recent) for name, recent in counts.items()},
        ever=Min("created_at"),
    )
    week = facts["days_7"]
    if not left or project.closed:
        return Forecast(week, left)
    if unknown := _unknown(facts, now):
        return Forecast(week, left, unknown=unknown)
    age = (now - facts["ever"]) / timedelta(days=1)
    paces = [facts[f"days_{days}"] / min(days, age) for days in WINDOWS]
    slow, fast = min(paces), max(paces)
    if left / slow > MOST_DAYS:
        return Forecast(week, left, unknown="At the pace of the last days it takes years.")
    first, last = (now + timedelta(days=left / pace) for pace in (fast, slow))
    return Forecast(week, left, (slow, fast), first, last)


def _unknown(facts: dict[str, object], now: datetime) -> str:
    """Why nothing can be said, else ""."""
    ever, most = facts["ever"], facts[f"days_{WINDOWS[-1]}"]
    if not isinstance(ever, datetime) or now - ever < timedelta(days=WINDOWS[0]):
        return f"The first answer is less than {WINDOWS[0]} days old."
    if not isinstance(most, int) or most < FEWEST_ANSWERS:
        return f"Fewer than {FEWEST_ANSWERS} answers came in the last {WINDOWS[-1]} days."
    if not facts[f"days_{WINDOWS[0]}"]:
        return f"No answer came in the last {WINDOWS[0]} days."
    return ""


def pending_decisions(project: Project, viewer: User) -> dict[str, Any]:
    """Count what waits for a decision of those who manage a project; empty where nothing does.

    Reads as much as the page on which captions are adjudicated. ``disputed`` are captions that the
    viewer can decide; ``late`` answers that were made or changed when their maker could know of
    others' labels, ``uncounted`` ones that are kept without counting; ``imports`` files of which
    nobody chose yet; ``marks`` says of how many captions somebody noted what, as the list of
    captions finds them.
    """
    marks = Annotation.every.filter(item__project=project).aggregate(
        **{mark: Count("item", filter=noted, distinct=True) for mark, noted in NOTED.items()}
    )
    answers = Annotation.objects.filter(item__project=project)
    waiting = Import.objects.filter(project=project, state=ImportState.WAITING)
    pending = {
        "disputed": len(adjudication_board_for(project, viewer).to_decide),
        "late": answers.filter(COUNTING).exclude(late=Lateness.NO).count(),
        "uncounted": answers.filter(UNCOUNTED).count(),
        "imports": tuple(waiting.defer("content", "copies").select_related("by")),
        "marks": {mark: marks[mark] for mark in NOTED if marks[mark] and mark != Mark.SENT_BACK},
    }
    return pending if any(pending.values()) else {}
