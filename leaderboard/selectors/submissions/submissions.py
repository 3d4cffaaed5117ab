"""Reading what teams handed in."""

from dataclasses import dataclass

from django.db.models import Prefetch

from leaderboard.models import Evaluation, Submission, Team
from leaderboard.selectors.evaluations.progress import Progress, progress_of
from leaderboard.selectors.visibility.visible_submissions import AnySubmission


@dataclass(frozen=True, slots=True)
class SubmittedSystem:
    """A submission and how far its scoring is."""

    submission: AnySubmission
    progress: Progress


def submissions_of(team: Team) -> tuple[SubmittedSystem, ...]:
    """Give all that a team handed in, over all phases, the latest first."""
    evaluations = Evaluation.objects.filter(published=True).defer("detail")
    submissions = (
        Submission.objects.filter(team=team)
        .select_related("phase__challenge", "submitted_by")
        .prefetch_related(Prefetch("evaluations", queryset=evaluations))
    )
    return tuple(SubmittedSystem(row, progress_of(row.evaluations.all())) for row in submissions)


def same_file_before(submission: AnySubmission) -> AnySubmission | None:
    """Give the team's earlier submission of the very same file in this phase, the latest one."""
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
