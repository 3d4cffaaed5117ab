"""What a team submitted, for the team itself: by phase, with ranks, quotas, allowed actions."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.db.models import Prefetch, QuerySet

from leaderboard.models import Counting, Evaluation, EvaluationState, Phase, Submission, Team
from leaderboard.selectors.evaluations.progress import Progress, progress_of
from leaderboard.selectors.organising.challenges import Overview, State, phase_state
from leaderboard.selectors.people.participation import taking_part
from leaderboard.selectors.ranking.ranking import ranking_of, ranking_values
from leaderboard.selectors.submissions.quotas import (
    Quota,
    SubmissionSlots,
    quota_of,
    submission_slots,
    team_quota,
)
from leaderboard.selectors.visibility.visibility import Visibility, public_view
from leaderboard.selectors.visibility.visible_submissions import AnySubmission


def submissions_of(team: Team) -> QuerySet[Submission]:
    """All submissions of a team, over all phases, the latest first, with what is published."""
    evaluations = Evaluation.objects.filter(published=True).defer("detail")
    return (
        Submission.objects.filter(team=team)
        .select_related("phase__challenge", "submitted_by")
        .prefetch_related(Prefetch("evaluations", queryset=evaluations))
    )


def same_file_before(submission: AnySubmission) -> AnySubmission | None:
    """The team's earlier submission of the very same file in this phase, the latest one."""
    return (
        Submission.objects.filter(
            phase=submission.phase_id,
            team=submission.team_id,
            file=submission.file_id,
            pk__lt=submission.pk,
        )
        .order_by("-pk")
        .first()
    )


TREND_WIDTH, TREND_HEIGHT, TREND_MARGIN = 120, 28, 4


@dataclass(frozen=True, slots=True)
class TeamSystem:
    """A submission, how far it is, its value of the metric that decides, and its rank.

    ``rank`` is set for the one that counts for its team, where ranks are to be seen.
    """

    submission: AnySubmission
    progress: Progress
    value: float | None
    rank: int | None
    counts: bool


@dataclass(frozen=True, slots=True)
class TeamPhase:
    """A phase as a team stands in it; ``ranks`` says why none is shown, empty where they are."""

    phase: Phase
    state: State
    quota: Quota
    slots: SubmissionSlots
    trend: dict[str, Any] | None
    teams: int
    systems: tuple[TeamSystem, ...]
    hidden: str

    @property
    def counting(self) -> TeamSystem | None:
        """The system that counts for the team."""
        return next((row for row in self.systems if row.counts), None)


def team_phases(
    team: Team, *, views: Mapping[int, Visibility], scored: Collection[int], now: datetime
) -> tuple[TeamPhase, ...]:
    """The phases to which a team submitted, that of the latest submission first.

    ``views`` says per phase what the reader sees of its ranking; in those of ``scored``
    they see ranks.
    """
    rows = submissions_of(team)
    values = ranking_values(rows)
    by_phase: dict[int, list[Submission]] = defaultdict(list)
    for row in rows:
        by_phase[row.phase_id].append(row)
    return tuple(
        _phase(team, submissions, values, view=views[key], ranked=key in scored, now=now)
        for key, submissions in by_phase.items()
    )


def _phase(
    team: Team,
    rows: list[Submission],
    values: Mapping[int, float],
    *,
    view: Visibility,
    ranked: bool,
    now: datetime,
) -> TeamPhase:
    phase = rows[0].phase
    hidden = "" if view.until is None else "the ranking is frozen"
    if not ranked:
        hidden = "the organisers keep the ranking to themselves"
    # Which one counts is the team's own; how many others there are is not.
    ranking, others = ranking_of(phase), ranking_of(phase, view=view)
    line = next((line for line in ranking.rows if line.team == team.pk), None)
    in_order = sorted(rows, key=lambda row: (row.created_at, row.pk))
    return TeamPhase(
        phase=phase,
        state=phase_state(phase, now),
        quota=quota_of(phase=phase, team=team, now=now),
        slots=submission_slots(phase=phase, team=team),
        trend=trend_of([values[row.pk] for row in in_order if row.pk in values]),
        teams=sum(line.rank is not None for line in others.rows),
        systems=tuple(
            TeamSystem(
                row,
                progress_of(row.evaluations.all()),
                values.get(row.pk),
                line.rank if line and line.key == row.pk and not hidden else None,
                line is not None and line.key == row.pk,
            )
            for row in rows
        ),
        hidden=hidden,
    )


def trend_of(values: list[float]) -> dict[str, Any] | None:
    """Draw values as a small line through them, where there are two or more."""
    if len(values) < 2:
        return None
    low, high = min(values), max(values)
    span, step = high - low, (TREND_WIDTH - 2 * TREND_MARGIN) / (len(values) - 1)
    room = TREND_HEIGHT - 2 * TREND_MARGIN
    points = [
        (
            round(TREND_MARGIN + at * step, 1),
            round(TREND_MARGIN + room * ((high - value) / span if span else 0.5), 1),
        )
        for at, value in enumerate(values)
    ]
    path = "L".join(f"{x} {y}" for x, y in points)
    return {"values": values, "path": f"M{path}", "last": points[-1]}


def team_acts(submission: AnySubmission, now: datetime) -> dict[str, bool]:
    """What a team may do, by act; the services decide again, under the lock.

    ``closed``: nothing, since the phase is over.
    """
    phase = submission.phase
    closed = phase.closes_at is not None and phase.closes_at <= now
    free = not closed and submission.disqualified_at is None
    withdrawn = submission.withdrawn_at is not None
    return {
        "withdraw": free and not withdrawn,
        "take_back": free and withdrawn,
        "choose": free
        and submission.competes
        and not submission.chosen
        and phase.counting == Counting.CHOSEN,
        "closed": closed,
    }


# Lines of each kind, so that the page stays short and its queries few.
MOST = 5


def own_work_of(
    teams: Sequence[Team], overviews: Iterable[Overview], now: datetime
) -> dict[str, Any]:
    """Phases among ``overviews`` that are open to ``teams``, and their systems being scored.

    At most ``MOST`` lines of each; a team that submitted to a phase stands before others there.
    """
    open_phases = [
        status.phase for row in overviews for status in row.statuses if status.state == "open"
    ]
    taken = set(
        Submission.objects.filter(team__in=teams, phase__in=open_phases)
        .values_list("phase", "team")
        .distinct()
    )
    pairs = (
        (phase, team)
        for phase in open_phases
        for team in ([one for one in teams if (phase.pk, one.pk) in taken] or teams[:1])
    )
    lines = [
        (team_quota(phase, taking_part(phase.challenge, [team])[0], now), _rank(phase, team, now))
        for phase, team in islice(pairs, MOST)
    ]
    return {"has_team": bool(teams), "phases": lines, "under_way": _under_way(teams)}


def _rank(phase: Phase, team: Team, now: datetime) -> str:
    """The rank of a team, where everyone sees the ranks as they are now."""
    view = public_view(phase, now)
    if not phase.scores_public or view.until is not None:
        return ""
    ranks = {row.team: row.rank for row in ranking_of(phase, view=view).rows if row.rank}
    return f"rank {ranks[team.pk]} of {len(ranks)}" if team.pk in ranks else ""


def _under_way(teams: Sequence[Team]) -> list[tuple[Submission, Progress]]:
    evaluations = Evaluation.objects.filter(published=True).defer("detail")
    waiting = evaluations.filter(state__in=(EvaluationState.PENDING, EvaluationState.RUNNING))
    rows = (
        Submission.objects.filter(team__in=teams, evaluations__in=waiting)
        .select_related("phase__challenge", "team")
        .prefetch_related(Prefetch("evaluations", queryset=evaluations))
        .distinct()
        .order_by("-pk")[:MOST]
    )
    return [(row, progress_of(row.evaluations.all())) for row in rows]
