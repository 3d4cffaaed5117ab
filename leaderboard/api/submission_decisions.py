"""What a team decides about its own submissions."""

from typing import Any

from django.conf import settings
from django.utils import timezone
from ninja import Router

from leaderboard import access
from leaderboard.api.schemas.submissions import SubmissionOut
from leaderboard.api.submissions import submission_summary
from leaderboard.services.submissions import changes
from leaderboard.web.api_auth import UserRequest
from leaderboard.web.api_errors import Problem
from leaderboard.web.rate_limits import Rate

router = Router(tags=["For participants"])
# Decisions count together with uploads.
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
