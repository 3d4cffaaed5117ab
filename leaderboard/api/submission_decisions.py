"""What a team decides about its own submissions, and organisers about all of their challenge."""

from typing import Annotated, Any

from django.conf import settings
from django.utils import timezone
from ninja import Router, Schema
from pydantic import AfterValidator, Field, StringConstraints

from leaderboard import access, tasks
from leaderboard.api.schemas.submissions import SubmissionOut, storable
from leaderboard.api.submissions import submission_summary
from leaderboard.services.organising import judging
from leaderboard.services.submissions import changes
from leaderboard.web.api_auth import UserRequest
from leaderboard.web.api_errors import Problem
from leaderboard.web.rate_limits import Rate

router = Router(tags=["Submissions"])
# Decisions count together with uploads and retries.
TEAM_DECISION: dict[str, Any] = {
    "throttle": Rate("upload", settings.API_UPLOAD_RATE),
    "response": {200: SubmissionOut, 409: Problem},
}


@router.post(
    "/submissions/{slug:public_id}/withdraw",
    operation_id="withdraw",
    summary="Withdraw a submission",
    **TEAM_DECISION,
)
def submission_withdraw(request: UserRequest, public_id: str) -> SubmissionOut:
    """Take your team's submission out of the ranking; it stays counted in the quota."""
    return _decide(request, public_id, changes.submission_withdraw)


@router.post(
    "/submissions/{slug:public_id}/take-back",
    operation_id="take_back",
    summary="Let a withdrawn submission stand again",
    **TEAM_DECISION,
)
def submission_take_back(request: UserRequest, public_id: str) -> SubmissionOut:
    """Let your team's withdrawn submission stand again, where a place is free."""
    return _decide(request, public_id, changes.submission_take_back)


@router.post(
    "/submissions/{slug:public_id}/choose",
    operation_id="choose",
    summary="Choose which submission counts",
    **TEAM_DECISION,
)
def submission_choose(request: UserRequest, public_id: str) -> SubmissionOut:
    """Make this the submission that counts for your team, where the phase lets teams choose."""
    return _decide(request, public_id, changes.submission_choose)


def _decide(request: UserRequest, public_id: str, service: Any) -> SubmissionOut:
    submission = access.team_submission_for(request.auth, public_id)
    service(submission=submission, actor=request.auth, now=timezone.now())
    submission.refresh_from_db(fields=["withdrawn_at", "chosen"])
    return submission_summary(request, request.auth, submission)


ORGANISER_DECISION: dict[str, Any] = {
    "tags": ["Organisers"],
    "throttle": Rate("judge", settings.API_UPLOAD_RATE),
}
DECISION_RESPONSES: dict[Any, Any] = {200: SubmissionOut, 409: Problem}


class DisqualifyIn(Schema):
    """Why a submission is disqualified."""

    reason: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1), AfterValidator(storable)
    ] = Field(max_length=300, description="The team sees this.")


@router.post(
    "/submissions/{slug:public_id}/disqualify",
    operation_id="disqualify",
    summary="Disqualify a submission",
    response={**DECISION_RESPONSES},
    **ORGANISER_DECISION,
)
def submission_disqualify(
    request: UserRequest, public_id: str, payload: DisqualifyIn
) -> SubmissionOut:
    """Take a submission to a challenge that you run out of the ranking; its team is told why."""
    submission = access.organised_submission_for(request.auth, public_id)
    judging.submission_disqualify(
        submission=submission,
        reason=" ".join(payload.reason.split()),
        actor=request.auth,
        now=timezone.now(),
    )
    tasks.notices_enqueue()
    return submission_summary(request, request.auth, submission)


@router.post(
    "/submissions/{slug:public_id}/restore",
    operation_id="restore",
    summary="Take a disqualification back",
    response=DECISION_RESPONSES,
    **ORGANISER_DECISION,
)
def submission_restore(request: UserRequest, public_id: str) -> SubmissionOut:
    """Let a submission to a challenge that you run stand again; its team is told."""
    submission = access.organised_submission_for(request.auth, public_id)
    judging.submission_restore(submission=submission, actor=request.auth, now=timezone.now())
    tasks.notices_enqueue()
    return submission_summary(request, request.auth, submission)
