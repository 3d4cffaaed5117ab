"""What organisers decide about single submissions."""

from typing import Annotated, Any

from django.conf import settings
from django.utils import timezone
from ninja import Router, Schema
from pydantic import Field, StringConstraints

from leaderboard import access, tasks
from leaderboard.api.auth import KNOWN, UserRequest
from leaderboard.api.replies import submission_out
from leaderboard.api.schemas.errors import READ_ERRORS, Faulty, Problem
from leaderboard.api.schemas.submissions import SubmissionOut
from leaderboard.api.throttles import Rate
from leaderboard.services import judging as services

router = Router(tags=["Organisers"])
ACT: dict[str, Any] = {"auth": KNOWN, "throttle": Rate("judge", settings.API_UPLOAD_RATE)}
RESPONSES: dict[Any, Any] = {200: SubmissionOut, **READ_ERRORS, 409: Problem}


class DisqualifyIn(Schema):
    """Why a submission is disqualified."""

    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        max_length=300, description="Its team is told this."
    )


@router.post(
    "/submissions/{slug:public_id}/disqualify",
    operation_id="disqualify",
    summary="Disqualify a submission",
    response={**RESPONSES, 422: Faulty},
    **ACT,
)
def submission_disqualify(
    request: UserRequest, public_id: str, payload: DisqualifyIn
) -> SubmissionOut:
    """Take a submission to a challenge that you run out of the ranking; its team is told why."""
    submission = access.organised_submission_for(request.auth, public_id)
    services.submission_disqualify(
        submission=submission,
        reason=" ".join(payload.reason.split()),
        actor=request.auth,
        now=timezone.now(),
    )
    tasks.notices_enqueue()
    return submission_out(request, request.auth, submission)


@router.post(
    "/submissions/{slug:public_id}/restore",
    operation_id="restore",
    summary="Take a disqualification back",
    response=RESPONSES,
    **ACT,
)
def submission_restore(request: UserRequest, public_id: str) -> SubmissionOut:
    """Let a submission to a challenge that you run stand again; its team is told."""
    submission = access.organised_submission_for(request.auth, public_id)
    services.submission_restore(submission=submission, actor=request.auth, now=timezone.now())
    tasks.notices_enqueue()
    return submission_out(request, request.auth, submission)
