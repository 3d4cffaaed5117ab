"""What organisers see of all that was handed in to a challenge."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Lower

from leaderboard.models import Challenge, Evaluation, EvaluationState, Kind, Submission
from leaderboard.models.submission import eligible
from leaderboard.selectors.evaluations.progress import Progress, family_label, published_progress
from leaderboard.selectors.ranking.ranking import ranking_of, ranking_values

PAGE = 50
LATEST = "-date"
STATES = {
    "waiting": "Waiting",
    "scoring": "Being scored",
    "scored": "Scored",
    "partly": "Scored in part",
    "failed": "Failed",
}
STANDINGS = {"standing": "Stands", "withdrawn": "Withdrawn", "disqualified": "Disqualified"}
# What a row shows of a submission, its team and who handed it in.
COLUMNS = (
    *("phase", "public_id", "system_name", "kind", "created_at"),
    *("withdrawn_at", "disqualified_at", "team__name", "submitted_by__username"),
)
SORTS: dict[str, tuple[Any, ...]] = {
    "date": ("created_at",),
    "system": (Lower("system_name"),),
    "team": (Lower("team__name"),),
    "phase": ("phase__position", "phase_id"),
}


@dataclass(frozen=True, slots=True)
class SubmissionListQuery:
    """Which submissions are asked for; empty means all."""

    phase: str = ""
    team: str = ""
    state: str = ""
    kind: str = ""
    standing: str = ""
    text: str = ""
    sort: str = LATEST


@dataclass(frozen=True, slots=True)
class SubmissionListRow:
    """One submission as its organisers see it.

    ``rank`` is that among all systems of its phase, None where it has none.
    """

    submission: Submission
    progress: Progress
    value: float | None
    rank: int | None


@dataclass(frozen=True, slots=True)
class FailedEvaluation:
    """A metric family that failed; the detail, which may hold captions, is for organisers."""

    label: str
    reason: str
    detail: str
    attempts: int
    finished_at: datetime | None


def asked_for(challenge: Challenge, asked: SubmissionListQuery) -> QuerySet[Submission]:
    """The submissions of a challenge that are asked for, in order."""
    rows = Submission.objects.filter(phase__challenge=challenge)
    if asked.phase:
        rows = rows.filter(phase__slug=asked.phase)
    if asked.team:
        rows = rows.filter(Q(team__name__icontains=asked.team) | Q(team__slug=asked.team))
    if asked.kind:
        rows = rows.filter(kind=asked.kind)
    if asked.text:
        rows = rows.filter(
            Q(system_name__icontains=asked.text)
            | Q(team__name__icontains=asked.text)
            | Q(submitted_by__username__icontains=asked.text)
            | Q(public_id=asked.text)
        )
    return _in_order(_in_state(_in_standing(rows, asked.standing), asked.state), asked.sort)


def _in_standing(rows: QuerySet[Submission], standing: str) -> QuerySet[Submission]:
    if standing == "standing":
        return rows.filter(eligible())
    if standing == "withdrawn":
        return rows.filter(withdrawn_at__isnull=False)
    return rows.filter(disqualified_at__isnull=False) if standing == "disqualified" else rows


def _in_state(rows: QuerySet[Submission], state: str) -> QuerySet[Submission]:
    """Keep what is in a state as ``progress_of`` names it."""
    if state not in STATES:
        return rows
    published = Evaluation.objects.filter(submission=OuterRef("pk"), published=True)
    pending, running, done, failed = (
        Exists(published.filter(state=value))
        for value in (
            EvaluationState.PENDING,
            EvaluationState.RUNNING,
            EvaluationState.DONE,
            EvaluationState.FAILED,
        )
    )
    conditions = {
        "waiting": ~running & ~done & ~failed,
        "scoring": running | (pending & (done | failed)),
        "scored": ~pending & ~running & done & ~failed,
        "partly": ~pending & ~running & done & failed,
        "failed": ~pending & ~running & ~done & failed,
    }
    return rows.filter(conditions[state])


def _in_order(rows: QuerySet[Submission], sort: str) -> QuerySet[Submission]:
    key = sort.removeprefix("-")
    columns = SORTS.get(key, SORTS["date"])
    down = sort.startswith("-") or key not in SORTS
    order = [F(column) if isinstance(column, str) else column for column in columns]
    by = [column.desc() if down else column.asc() for column in order]
    return rows.order_by(*by, "-pk" if down else "pk")


def handed_in(
    challenge: Challenge, asked: SubmissionListQuery, page: str | int = 1
) -> tuple[Page[Submission], list[SubmissionListRow]]:
    """A page of the submissions asked for; the number of queries does not grow with it."""
    rows = asked_for(challenge, asked).select_related("team", "submitted_by")
    shown = Paginator(rows.only(*COLUMNS), PAGE).get_page(page)
    submissions = list(shown.object_list)
    phases = challenge.phases.in_bulk({row.phase_id for row in submissions})
    for row in submissions:
        row.phase = phases[row.phase_id]
    progress = published_progress([row.pk for row in submissions])
    values = ranking_values(submissions)
    ranks: dict[int, int | None] = {}
    for phase in phases.values():
        ranks |= {line.key: line.rank for line in ranking_of(phase, every_system=True).rows}
    return shown, [
        SubmissionListRow(row, progress[row.pk], values.get(row.pk), ranks.get(row.pk))
        for row in submissions
    ]


def failed_of(submission: Submission) -> list[FailedEvaluation]:
    """List the families of a submission that failed, with what organisers may know."""
    rows = submission.evaluations.filter(published=True, state=EvaluationState.FAILED)
    return [
        FailedEvaluation(
            family_label(row.family), row.reason, row.detail, row.attempts, row.finished_at
        )
        for row in rows.order_by("pk")
    ]


def choices_of(challenge: Challenge) -> Mapping[str, list[tuple[str, str]]]:
    """The choices of each filter of a challenge's submissions."""
    phases = challenge.phases.order_by("position", "pk").values_list("slug", "name")
    return {
        "phase": list(phases),
        "state": list(STATES.items()),
        "kind": [(kind.value, kind.label) for kind in Kind],
        "standing": list(STANDINGS.items()),
    }
