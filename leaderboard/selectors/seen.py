"""Submissions as a reader sees them: with the names they may know, and as they were frozen.

Every selector that hands out submissions for others' eyes passes them through here.
"""

from collections.abc import Iterable
from copy import copy

from django.db.models import Q, QuerySet

from leaderboard.models import Evaluation, MetricResult, Submission
from leaderboard.selectors.frozen import Frozen, HeldSystem, frozen_ranking
from leaderboard.selectors.naming import named
from leaderboard.selectors.progress import Progress, progress_of
from leaderboard.selectors.view import View


def seen(submission: Submission, view: View) -> Submission | None:
    """Give a submission as ``view`` shows it, None where it does not.

    A team sees its own as they are.
    """
    if view.until is None or submission.team_id in view.own:
        return named(submission, view)
    held = frozen_ranking(submission.phase_id, view.until).systems.get(submission.pk)
    if held is None:
        return None
    return named(_as_held(submission, held), view)


def all_seen(submissions: Iterable[Submission], view: View) -> list[Submission]:
    """Give those of several that everyone with this view sees, all of one phase."""
    found = list(submissions)
    if view.until is None or not found:
        return [named(row, view) for row in found]
    frozen = frozen_ranking(found[0].phase_id, view.until)
    held = [_as_held(row, frozen.systems[row.pk]) for row in found if row.pk in frozen.systems]
    return [named(row, view) for row in held]


def standing_in(phase: int, view: View) -> Q:
    """Say which submissions of a phase (by key) stand in what ``view`` shows."""
    if view.until is None:
        return Q(phase=phase, withdrawn_at=None, disqualified_at=None)
    return Q(phase=phase, pk__in=list(frozen_of(phase, view).systems))


def frozen_of(phase: int, view: View) -> Frozen:
    """Give the frozen ranking that ``view`` shows; nothing stands in it where it is live."""
    return Frozen() if view.until is None else frozen_ranking(phase, view.until)


def _as_held(submission: Submission, held: HeldSystem) -> Submission:
    """Copy a submission as it stood, with the evaluations that it stood with."""
    found = copy(submission)
    found.team = copy(submission.team)
    found.team.name = held.team_name
    found.system_name = held.system_name
    found.kind = held.kind
    found.chosen = held.chosen
    found.withdrawn_at = found.disqualified_at = None
    found.disqualified_for = ""
    found.held = held.evaluations
    return found


def progress_seen(submission: Submission, view: View) -> Progress:
    """Say how far a submission from ``seen`` is, or was when the ranking was frozen."""
    if submission.held is None:
        return progress_of(evaluations_seen(submission).defer("detail"))
    return frozen_of(submission.phase_id, view).systems[submission.pk].progress


def evaluations_seen(*submissions: Submission) -> QuerySet[Evaluation]:
    """Give the evaluations that submissions are shown with: those published, or then, frozen."""
    return Evaluation.objects.filter(_seen(submissions, "pk", "submission", "published"))


def results_seen(*submissions: Submission) -> QuerySet[MetricResult]:
    """Give the results of these evaluations."""
    wanted = _seen(submissions, "evaluation", "submission", "evaluation__published")
    return MetricResult.objects.filter(wanted)


def _seen(submissions: Iterable[Submission], key: str, submission: str, published: str) -> Q:
    live = [row.pk for row in submissions if row.held is None]
    held = frozenset[int]().union(*(row.held for row in submissions if row.held is not None))
    wanted = Q(**{f"{submission}__in": live, published: True})
    return wanted | Q(**{f"{key}__in": sorted(held)}) if held else wanted
