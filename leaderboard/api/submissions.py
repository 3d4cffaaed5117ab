"""Handing systems in and reading what became of them."""

from django.conf import settings
from django.http import Http404, HttpResponse
from django.utils import timezone
from ninja import File, FileEx, Form, HeaderEx, P, Router, Status, UploadedFile
from ninja.decorators import decorate_view

from leaderboard import access, tasks
from leaderboard.api.auth import ANYONE, KNOWN, PUBLIC, UserRequest, VisitorRequest
from leaderboard.api.errors import ApiError, TooLarge, field_fault
from leaderboard.api.replies import links, scores_out, submission_out
from leaderboard.api.schemas.errors import READ_ERRORS, WRITE_ERRORS, Faulty, Problem, Refusal
from leaderboard.api.schemas.submissions import (
    EditIn,
    MetricsOut,
    RetryOut,
    SubmissionIn,
    SubmissionOut,
)
from leaderboard.api.throttles import Rate
from leaderboard.api.uploads import capped_body
from leaderboard.arrival import arrived_at
from leaderboard.models import Team, User
from leaderboard.selectors.seen import progress_seen
from leaderboard.services.describing import submission_describe
from leaderboard.services.evaluations import submission_retry
from leaderboard.services.packages import Beside, Upload
from leaderboard.services.submissions import submission_accept

router = Router(tags=["Submissions"])
upload_rate = Rate("upload", settings.API_UPLOAD_RATE)


@router.post(
    "/phases/{slug:challenge}/{slug:phase}/submissions",
    auth=KNOWN,
    throttle=upload_rate,
    response={
        200: SubmissionOut,
        201: SubmissionOut,
        **WRITE_ERRORS,
        409: Refusal,
        413: Problem,
        422: Faulty,
    },
    operation_id="submit",
    summary="Submit a system",
)
@decorate_view(capped_body)
def submission_create(  # noqa: PLR0913, PLR0917 - each is a part of the request
    request: UserRequest,
    response: HttpResponse,
    challenge: str,
    phase: str,
    form: Form[SubmissionIn],
    file: File[UploadedFile],
    metadata_file: FileEx[UploadedFile | None, P(description="DCASE's YAML.")] = None,
    report: FileEx[UploadedFile | None, P(description="A technical report as PDF.")] = None,
    idempotency_key: HeaderEx[
        str, P(alias="Idempotency-Key", max_length=64, pattern=r"^[!-~]*$")
    ] = "",
) -> Status[SubmissionOut]:
    """Take a file or a package in whole, or say all that is wrong; only the former costs quota.

    A package is DCASE's zip of captions, metadata and report. An upload that is sent
    again with the same Idempotency-Key gives the submission that it made (200).
    """
    found = access.phase_for(request.auth, challenge, phase)
    team = _team(request.auth, form.team)
    now = arrived_at(request)
    submission = submission_accept(
        phase=found,
        team=team,
        user=request.auth,
        system=form.system,
        upload=_uploaded(file) or Upload(b"", "captions.csv"),
        beside=Beside(
            _uploaded(metadata_file), _uploaded(report), form.package_system, idempotency_key
        ),
        now=now,
    )
    tasks.submission_enqueue(submission)
    response["Location"] = links(request, submission).self
    status = 201 if submission.created_at == now else 200
    return Status(status, submission_out(request, request.auth, submission))


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


@router.patch(
    "/submissions/{slug:public_id}",
    auth=KNOWN,
    response={200: SubmissionOut, **READ_ERRORS, 400: Problem, 403: Problem, 422: Faulty},
    operation_id="describe",
    summary="Correct what is said of a submission",
)
def submission_edit(request: UserRequest, public_id: str, changes: EditIn) -> SubmissionOut:
    """Change name, description or metadata until the phase closes; captions never change."""
    now = timezone.now()
    submission = access.editable_submission_for(request.auth, public_id, now)
    submission_describe(submission=submission, actor=request.auth, changes=changes.changes, now=now)
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
    view = access.view_of(request.auth, submission.phase, timezone.now())
    progress = progress_seen(submission, view)
    return MetricsOut(
        id=submission.public_id,
        state=progress.state,
        metrics=scores_out(request.auth, submission),
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


def _uploaded(file: UploadedFile | None) -> Upload | None:
    if file is None:
        return None
    if (file.size or 0) > settings.MAX_UPLOAD_BYTES:
        raise TooLarge
    return Upload(file.read(), file.name or "captions.csv")


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
    return ApiError(422, message, faults=[field_fault("team", message)])
