"""Handing systems in and reading what became of them."""

from django.conf import settings
from django.http import Http404, HttpResponse
from django.utils import timezone
from ninja import File, Form, Router, Status, UploadedFile
from ninja.decorators import decorate_view

from leaderboard import access, tasks
from leaderboard.api.auth import ANYONE, KNOWN, PUBLIC, UserRequest, VisitorRequest
from leaderboard.api.errors import ApiError, TooLarge
from leaderboard.api.replies import links, submission_out
from leaderboard.api.schemas.errors import READ_ERRORS, WRITE_ERRORS, Faulty, Problem, Refusal
from leaderboard.api.schemas.scores import scores
from leaderboard.api.schemas.submissions import (
    MetricsOut,
    RetryOut,
    SubmissionIn,
    SubmissionOut,
)
from leaderboard.api.throttles import Rate
from leaderboard.api.uploads import capped_body
from leaderboard.models import Team, User
from leaderboard.selectors.progress import progress_of
from leaderboard.selectors.scores import scores_of
from leaderboard.services.evaluations import submission_retry
from leaderboard.services.submissions import Upload, submission_accept

router = Router(tags=["Submissions"])
upload_rate = Rate("upload", settings.API_UPLOAD_RATE)


@router.post(
    "/phases/{slug:challenge}/{slug:phase}/submissions",
    auth=KNOWN,
    throttle=upload_rate,
    response={201: SubmissionOut, **WRITE_ERRORS, 409: Refusal, 413: Problem, 422: Faulty},
    operation_id="submit",
    summary="Submit a system",
)
@decorate_view(capped_body)
def submission_create(
    request: UserRequest,
    response: HttpResponse,
    challenge: str,
    phase: str,
    form: Form[SubmissionIn],
    file: File[UploadedFile],
) -> Status[SubmissionOut]:
    """Take a file in whole, or say all that is wrong with it; only the former costs quota."""
    found = access.phase_for(request.auth, challenge, phase)
    team = _team(request.auth, form.team)
    if (file.size or 0) > settings.MAX_UPLOAD_BYTES:
        raise TooLarge
    submission = submission_accept(
        phase=found,
        team=team,
        user=request.auth,
        system=form.system,
        upload=Upload(file.read(), file.name or "captions.csv"),
        now=timezone.now(),
    )
    tasks.submission_enqueue(submission)
    response["Location"] = links(request, submission).self
    return Status(201, submission_out(request, request.auth, submission))


@router.get(
    "/submissions/{slug:public_id}",
    auth=ANYONE,
    response={200: SubmissionOut, **READ_ERRORS},
    operation_id="submission",
    summary="Read a submission",
    openapi_extra=PUBLIC,
)
def submission_detail(request: VisitorRequest, public_id: str) -> SubmissionOut:
    """Give how far a submission is and the scores found so far."""
    submission = access.submission_for(request.auth, public_id)
    return submission_out(request, request.auth, submission)


@router.get(
    "/submissions/{slug:public_id}/metrics",
    auth=ANYONE,
    response={200: MetricsOut, **READ_ERRORS},
    operation_id="submission_metrics",
    summary="Read the scores of a submission",
    openapi_extra=PUBLIC,
)
def submission_metrics(request: VisitorRequest, public_id: str) -> MetricsOut:
    """Give the scores found so far."""
    submission = access.submission_for(request.auth, public_id)
    progress = progress_of(submission.evaluations.filter(published=True).defer("detail"))
    return MetricsOut(
        id=submission.public_id, state=progress.state, metrics=scores(scores_of(submission))
    )


@router.post(
    "/submissions/{slug:public_id}/retry",
    auth=KNOWN,
    throttle=upload_rate,
    response={200: RetryOut, **READ_ERRORS, 403: Problem},
    operation_id="retry",
    summary="Retry what failed",
)
def submission_retry_failed(request: UserRequest, public_id: str) -> RetryOut:
    """Let the failed metrics of your team's submission be computed again."""
    submission = access.own_submission_for(request.auth, public_id)
    retried = submission_retry(submission=submission, actor=request.auth, now=timezone.now())
    tasks.submission_enqueue(submission)
    return RetryOut(
        retried=len(retried), submission=submission_out(request, request.auth, submission)
    )


def _team(user: User, slug: str) -> Team:
    """Give the team to submit for: the one that is named, or the only one."""
    if slug:
        try:
            return access.team_for_member(user, slug)
        except Http404 as error:
            raise ApiError(404, f"You are in no team {slug!r}.") from error
    teams = list(access.teams_of(user).order_by("slug"))
    if len(teams) == 1:
        return teams[0]
    if not teams:
        raise _bad_team("You are in no team yet. Make or join one first.")
    names = ", ".join(team.slug for team in teams)
    raise _bad_team(f"Say for which of your teams this is: {names}.")


def _bad_team(message: str) -> ApiError:
    fault = {"line": None, "column": "team", "value": "", "message": message, "severity": "error"}
    return ApiError(422, message, faults=[fault])
