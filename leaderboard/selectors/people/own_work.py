"""What is somebody's own on the front page: phases open to their teams, systems being scored."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from django.db.models import Prefetch

from leaderboard.models import Evaluation, EvaluationState, Submission, Team
from leaderboard.selectors.evaluations.progress import Progress, progress_of
from leaderboard.selectors.organising.challenges import Overview
from leaderboard.selectors.people.participation import taking_part
from leaderboard.selectors.submissions.quotas import team_quota

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
        team_quota(phase, taking_part(phase.challenge, [team])[0], now)
        for phase, team in islice(pairs, MOST)
    ]
    return {"has_team": bool(teams), "phases": lines, "under_way": _under_way(teams)}


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
