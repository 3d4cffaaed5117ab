"""Submitting systems, reading their state and scores, and what a team decides about them."""

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from ninja import File, FileEx, Form, HeaderEx, P, Router, Status, UploadedFile
from ninja.decorators import decorate_view

from earmark.packages import reading
from earmark.packages.metadata import without_people
from leaderboard import access, tasks
from leaderboard.access import Visitor
from leaderboard.api.schemas.scores import ScoreOut, scores
from leaderboard.api.schemas.submissions import (
    EditIn,
    Links,
    MetricsOut,
    SubmissionIn,
    SubmissionOut,
)
from leaderboard.models import Team, User
from leaderboard.selectors.board.rows import values_of_submission
from leaderboard.selectors.evaluations.waiting_time import waiting_time
from leaderboard.selectors.visibility.visible_submissions import (
    AnySubmission,
    visible_evaluations,
    visible_progress,
)
from leaderboard.services.submissions import changes as services
from leaderboard.services.submissions.accepting import AttachedFiles, submission_accept
from leaderboard.web.api_auth import ANYONE, NAMESPACE, UserRequest, VisitorRequest
from leaderboard.web.api_errors import Problem, Refusal, too_large
from leaderboard.web.body_limits import reads_upload, upload_capped
from leaderboard.web.rate_limits import Rate
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import arrived_at

router = Router(tags=["For participants"])
upload_rate = Rate("upload", settings.API_UPLOAD_RATE)


@router.post(
    "/phases/{slug:challenge}/{slug:phase}/submissions",
    throttle=upload_rate,
    response={
        200: SubmissionOut,
        201: SubmissionOut,
        409: Refusal,
        503: Problem,
    },
    operation_id="submit",
    summary="Submit a system",
)
@decorate_view(upload_capped)
@reads_upload
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
) -> Status[dict[str, Any]]:
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
        upload=_uploaded(file) or reading.File("captions.csv", b""),
        attached=AttachedFiles(
            _uploaded(metadata_file), _uploaded(report), form.package_system, idempotency_key
        ),
        now=now,
    )
    tasks.submission_enqueue(submission)
    response["Location"] = submission_links(request, submission).self
    status = 201 if submission.created_at == now else 200
    return Status(status, submission_summary(request, request.auth, submission))


@router.get(
    "/submissions/{slug:public_id}",
    auth=ANYONE,
    response={200: SubmissionOut},
    operation_id="submission",
    summary="Read a submission",
)
def submission_detail(request: VisitorRequest, public_id: str) -> dict[str, Any]:
    """How far the scoring of a submission is, and its scores so far."""
    submission = access.submission_for(request.auth, public_id)
    return submission_summary(request, request.auth, submission)


@router.patch(
    "/submissions/{slug:public_id}",
    response={200: SubmissionOut},
    operation_id="describe",
    summary="Correct what is said of a submission",
)
def submission_edit(request: UserRequest, public_id: str, changes: EditIn) -> dict[str, Any]:
    """Change name, description or metadata until the phase closes; captions never change."""
    now = timezone.now()
    submission = access.editable_submission_for(request.auth, public_id, now)
    services.submission_describe(
        submission=submission, actor=request.auth, now=now, **changes.changes
    )
    return submission_summary(request, request.auth, submission)


@router.get(
    "/submissions/{slug:public_id}/metrics",
    auth=ANYONE,
    response={200: MetricsOut},
    operation_id="submission_metrics",
    summary="Read the scores of a submission",
)
def submission_metrics(request: VisitorRequest, public_id: str) -> MetricsOut:
    """The scores of a submission so far."""
    submission = access.submission_for(request.auth, public_id)
    progress = visible_progress(submission)
    return MetricsOut(
        id=submission.public_id,
        state=progress.state,
        metrics=visible_scores(request.auth, submission),
    )


def _uploaded(file: UploadedFile | None) -> reading.File | None:
    if file is None:
        return None
    if (file.size or 0) > settings.MAX_UPLOAD_BYTES:
        raise too_large()
    return reading.File(file.name or "captions.csv", file.read())


def _team(user: User, slug: str) -> Team:
    """The team to submit for: the one that is named, or the only one."""
    if slug:
        try:
            return access.team_for_member(user, slug)
        except Http404 as error:
            raise Refused(f"You are in no team {slug!r}.", status=404) from error
    teams = list(access.teams_of(user).order_by("slug"))
    if len(teams) == 1:
        return teams[0]
    if not teams:
        raise _bad_team("You are in no team yet. Make or join one first.")
    names = ", ".join(team.slug for team in teams)
    raise _bad_team(f"Say for which of your teams this is: {names}.")


def _bad_team(message: str) -> Refused:
    return Refused(message, status=422, field="team")


def submission_summary(
    request: HttpRequest, user: Visitor, submission: AnySubmission
) -> dict[str, Any]:
    """Describe a submission as ``user`` may see it."""
    evaluations = visible_evaluations(submission).defer("detail")
    progress = visible_progress(submission)
    waiting = None
    if not progress.settled:
        waiting = waiting_time(submission, evaluations, timezone.now())
    own = access.may_manage_submission(user, submission)
    return {
        "id": submission.public_id,
        "challenge": submission.phase.challenge.slug,
        "phase": submission.phase.slug,
        "team": submission.team,
        "system_name": submission.system_name,
        "description": submission.description,
        "label": submission.label,
        "metadata": submission.metadata if own else without_people(submission.metadata),
        "has_report": access.may_read_report(user, submission, timezone.now()),
        "submitted_at": submission.created_at,
        "chosen": submission.chosen,
        "withdrawn_at": submission.withdrawn_at,
        "disqualified_at": submission.disqualified_at,
        "state": progress.state,
        "progress": progress.share,
        "eta_seconds": waiting and waiting.eta_seconds,
        "waiting": waiting,
        "families": progress.families,
        "metrics": visible_scores(user, submission),
        "file": {"name": submission.file_name, "sha256": submission.file_id} if own else None,
        "warnings": submission.warnings if own else None,
        "links": submission_links(request, submission),
    }


def visible_scores(user: Visitor, submission: AnySubmission) -> dict[str, ScoreOut]:
    """The scores so far, as ``user`` may see them."""
    phase = submission.phase
    exact = access.may_see_clips(user, phase)
    return scores(values_of_submission(submission), phase=phase, exact=exact)


def submission_links(request: HttpRequest, submission: AnySubmission) -> Links:
    """The addresses around a submission."""
    own = [submission.public_id]
    phase = [submission.phase.challenge.slug, submission.phase.slug]
    return Links(
        self=request.build_absolute_uri(reverse(f"{NAMESPACE}:submission_detail", args=own)),
        page=request.build_absolute_uri(reverse("leaderboard:system", args=own)),
        metrics=request.build_absolute_uri(reverse(f"{NAMESPACE}:submission_metrics", args=own)),
        phase=request.build_absolute_uri(reverse(f"{NAMESPACE}:phase_detail", args=phase)),
    )


# Decisions count together with uploads.
TEAM_DECISION: dict[str, Any] = {
    "throttle": upload_rate,
    "response": {200: SubmissionOut, 409: Problem},
}


@router.post(
    "/submissions/{slug:public_id}/withdraw",
    operation_id="withdraw",
    summary="Withdraw a submission",
    **TEAM_DECISION,
)
def submission_withdraw(request: UserRequest, public_id: str) -> dict[str, Any]:
    """Take your team's submission out of the ranking; it stays counted in the quota."""
    return _decide(request, public_id, services.submission_withdraw)


@router.post(
    "/submissions/{slug:public_id}/take-back",
    operation_id="take_back",
    summary="Let a withdrawn submission stand again",
    **TEAM_DECISION,
)
def submission_take_back(request: UserRequest, public_id: str) -> dict[str, Any]:
    """Let your team's withdrawn submission stand again, where a place is free."""
    return _decide(request, public_id, services.submission_take_back)


@router.post(
    "/submissions/{slug:public_id}/choose",
    operation_id="choose",
    summary="Choose which submission counts",
    **TEAM_DECISION,
)
def submission_choose(request: UserRequest, public_id: str) -> dict[str, Any]:
    """Make this the submission that counts for your team, where the phase lets teams choose."""
    return _decide(request, public_id, services.submission_choose)


def _decide(request: UserRequest, public_id: str, service: Any) -> dict[str, Any]:
    submission = access.team_submission_for(request.auth, public_id)
    service(submission=submission, actor=request.auth, now=timezone.now())
    submission.refresh_from_db(fields=["withdrawn_at", "chosen"])
    return submission_summary(request, request.auth, submission)
