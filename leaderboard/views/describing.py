"""What is said of a system: correcting it, and taking it away as files."""

from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard import access
from leaderboard.forms.describing import DescriptionForm
from leaderboard.forms.uploads import parsed_late
from leaderboard.models import Submission
from leaderboard.packages.metadata import Metadata
from leaderboard.packages.privacy import without_people
from leaderboard.packages.writing import metadata_write
from leaderboard.packages.yaml_files import metadata_of
from leaderboard.services.describing import submission_describe
from leaderboard.views.attachments import attachment
from leaderboard.views.file_report import FileReport
from leaderboard.views.rate_limits import rate_limited
from leaderboard.views.requests import SignedInRequest


@login_required
@rate_limited("leaderboard.describe", "30/m")
@parsed_late
@require_http_methods(["GET", "HEAD", "POST"])
def submission_edit(request: SignedInRequest, public_id: str) -> HttpResponse:
    """Show what is said of a system, and change it."""
    now = timezone.now()
    submission = access.editable_submission_for(request.user, public_id, now)
    if request.method != "POST":
        return _page(request, submission, DescriptionForm(initial=_initial(submission)))
    form = DescriptionForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, submission, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    submission_describe(submission=submission, actor=request.user, changes=form.changes, now=now)
    messages.success(request, "The description was changed.")
    for warning in form.faults[:5]:
        messages.warning(request, str(warning))
    if len(form.faults) > 5:
        messages.warning(request, f"{len(form.faults) - 5} more places were read like this.")
    return redirect("leaderboard:system", public_id=submission.public_id)


def _initial(submission: Submission) -> dict[str, str]:
    return {
        "system_name": submission.system_name,
        "description": submission.description,
        "metadata": metadata_write(_metadata(submission.metadata), blanks=True),
    }


def _metadata(stored: object) -> Metadata:
    return metadata_of(stored if isinstance(stored, dict) else {}).value or Metadata()


def _page(
    request: SignedInRequest,
    submission: Submission,
    form: DescriptionForm,
    *,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    report = FileReport.of(file_name=form.file_name, clips=0, faults=form.faults)
    context = {
        "submission": submission,
        "phase": submission.phase,
        "challenge": submission.phase.challenge,
        "form": form,
        "report": report,
    }
    return render(request, "leaderboard/describe.html", context, status=status)


@require_safe
def submission_metadata(request: HttpRequest, public_id: str) -> HttpResponse:
    """Download the metadata as tidy YAML; without people for those who are not concerned."""
    submission = access.submission_for(request.user, public_id)
    own = access.may_manage_submission(request.user, submission)
    stored = submission.metadata if own else without_people(submission.metadata)
    text = metadata_write(_metadata(stored))
    name = f"{submission.label or submission.public_id}.meta.yaml"
    return attachment(text.encode(), name, "application/yaml")


@require_safe
def submission_report(request: HttpRequest, public_id: str) -> HttpResponse:
    """Download the technical report."""
    submission = access.submission_for(request.user, public_id)
    report = submission.report
    if report is None or not access.may_read_report(request.user, submission, timezone.now()):
        raise Http404
    name = f"{submission.label or submission.public_id}.pdf"
    return attachment(bytes(report.content), name, "application/octet-stream")
