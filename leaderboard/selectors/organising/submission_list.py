"""What organisers see of all that was handed in to a challenge."""

from collections.abc import Mapping
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Lower

from leaderboard.models import Challenge, Evaluation, EvaluationState, Kind, Submission
from leaderboard.models.submission import eligible
from leaderboard.selectors.evaluations.progress import published_progress
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
STANDINGS = {"standing": "Valid", "withdrawn": "Withdrawn", "disqualified": "Disqualified"}
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


def asked_for(
    challenge: Challenge,
    *,
    phase: str = "",
    team: str = "",
    state: str = "",
    kind: str = "",
    standing: str = "",
    text: str = "",
) -> QuerySet[Submission]:
    """The submissions of a challenge that are asked for; what is empty asks for all."""
    rows = Submission.objects.filter(phase__challenge=challenge)
    if phase:
        rows = rows.filter(phase__slug=phase)
    if team:
        rows = rows.filter(Q(team__name__icontains=team) | Q(team__slug=team))
    if kind:
        rows = rows.filter(kind=kind)
    if text:
        rows = rows.filter(
            Q(system_name__icontains=text)
            | Q(team__name__icontains=text)
            | Q(submitted_by__username__icontains=text)
            | Q(public_id=text)
        )
    standings = {
        "standing": eligible(),
        "withdrawn": Q(withdrawn_at__isnull=False),
        "disqualified": Q(disqualified_at__isnull=False),
    }
    if standing in standings:
        rows = rows.filter(standings[standing])
    return _in_state(rows, state)


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
    challenge: Challenge, filters: Mapping[str, str], sort: str = LATEST, page: str | int = 1
) -> tuple[Page[Submission], list[dict[str, Any]]]:
    """A page of what ``asked_for`` finds, in order; the number of queries does not grow with it.

    ``rank`` is that among all systems of its phase, None where it has none.
    """
    rows = _in_order(asked_for(challenge, **filters), sort).select_related("team", "submitted_by")
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
        {
            "submission": row,
            "progress": progress[row.pk],
            "value": values.get(row.pk),
            "rank": ranks.get(row.pk),
        }
        for row in submissions
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
