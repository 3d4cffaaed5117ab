"""Putting answers about submissions together."""

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from leaderboard import access
from leaderboard.access import Visitor
from leaderboard.api.schemas.scores import Score, scores
from leaderboard.api.schemas.submissions import (
    FamilyState,
    FileOut,
    Links,
    SubmissionOut,
    TeamRef,
)
from leaderboard.models import Submission
from leaderboard.packages.privacy import without_people
from leaderboard.selectors.estimates import time_left
from leaderboard.selectors.progress import FamilyProgress
from leaderboard.selectors.scores import scores_of
from leaderboard.selectors.seen import evaluations_seen, progress_seen

NAMESPACE = "api-v1"


def submission_out(request: HttpRequest, user: Visitor, submission: Submission) -> SubmissionOut:
    """Describe a submission as ``user`` may see it."""
    evaluations = list(evaluations_seen(submission).defer("detail"))
    progress = progress_seen(submission, access.view_of(user, submission.phase, timezone.now()))
    left = time_left(submission, evaluations, timezone.now())
    own = access.may_manage_submission(user, submission)
    return SubmissionOut(
        id=submission.public_id,
        challenge=submission.phase.challenge.slug,
        phase=submission.phase.slug,
        team=TeamRef(slug=submission.team.slug, name=submission.team.name),
        system_name=submission.system_name,
        description=submission.description,
        label=submission.label,
        metadata=submission.metadata if own else without_people(submission.metadata),
        has_report=access.may_read_report(user, submission, timezone.now()),
        submitted_at=submission.created_at,
        chosen=submission.chosen,
        withdrawn_at=submission.withdrawn_at,
        disqualified_at=submission.disqualified_at,
        state=progress.state,
        progress=progress.share,
        eta_seconds=None if left is None else left.total_seconds(),
        families=[_family(row) for row in progress.families],
        metrics=scores_out(user, submission),
        file=FileOut(name=submission.file_name, sha256=submission.file_id) if own else None,
        warnings=submission.warnings if own else None,
        links=links(request, submission),
    )


def scores_out(user: Visitor, submission: Submission) -> dict[str, Score]:
    """Give the scores found so far as ``user`` may see them."""
    phase = submission.phase
    exact = access.may_see_clips(user, phase)
    return scores(scores_of(submission), phase=phase, exact=exact)


def links(request: HttpRequest, submission: Submission) -> Links:
    """Give the addresses around a submission."""
    own = [submission.public_id]
    phase = [submission.phase.challenge.slug, submission.phase.slug]
    return Links(
        self=request.build_absolute_uri(reverse(f"{NAMESPACE}:submission_detail", args=own)),
        page=request.build_absolute_uri(reverse("leaderboard:system", args=own)),
        metrics=request.build_absolute_uri(reverse(f"{NAMESPACE}:submission_metrics", args=own)),
        phase=request.build_absolute_uri(reverse(f"{NAMESPACE}:phase_detail", args=phase)),
    )


def _family(row: FamilyProgress) -> FamilyState:
    return FamilyState(
        family=row.family,
        label=row.label,
        state=row.state,
        clips_done=row.clips_done,
        clips_total=row.clips_total,
        attempts=row.attempts,
        reason=row.reason,
    )
