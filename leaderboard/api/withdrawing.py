"""What a team decides about its own submissions."""

from typing import Any

from django.conf import settings
from django.utils import timezone
from ninja import Router

from leaderboard import access
from leaderboard.api.auth import KNOWN, UserRequest
from leaderboard.api.replies import submission_out
from leaderboard.api.schemas.errors import READ_ERRORS, Problem
from leaderboard.api.schemas.submissions import SubmissionOut
from leaderboard.api.throttles import Rate
from leaderboard.services import withdrawing as services

router = Router(tags=["Submissions"])
# The same count as that of uploads and retries.
act_rate = Rate("upload", settings.API_UPLOAD_RATE)
ACT: dict[str, Any] = {
    "auth": KNOWN,
    "throttle": act_rate,
    "response": {200: SubmissionOut, **READ_ERRORS, 403: Problem, 409: Problem},
}


@router.post(
    "/submissions/{slug:public_id}/withdraw",
    operation_id="withdraw",
    summary="Withdraw a submission",
    **ACT,
)
def submission_withdraw(request: UserRequest, public_id: str) -> SubmissionOut:
    """Take your team's submission out of the ranking; it stays counted in the quota."""
    return _act(request, public_id, services.submission_withdraw)


@router.post(
    "/submissions/{slug:public_id}/take-back",
    operation_id="take_back",
    summary="Let a withdrawn submission stand again",
    **ACT,
)
def submission_take_back(request: UserRequest, public_id: str) -> SubmissionOut:
    """Let your team's withdrawn submission stand again, where a place is free."""
    return _act(request, public_id, services.submission_take_back)


@router.post(
    "/submissions/{slug:public_id}/choose",
    operation_id="choose",
    summary="Choose which submission counts",
    **ACT,
)
def submission_choose(request: UserRequest, public_id: str) -> SubmissionOut:
    """Make this the submission that counts for your team, where the phase lets teams choose."""
    return _act(request, public_id, services.submission_choose)


def _act(request: UserRequest, public_id: str, service: Any) -> SubmissionOut:
    submission = access.team_submission_for(request.auth, public_id)
    service(submission=submission, actor=request.auth, now=timezone.now())
    submission.refresh_from_db(fields=["withdrawn_at", "chosen"])
    return submission_out(request, request.auth, submission)
