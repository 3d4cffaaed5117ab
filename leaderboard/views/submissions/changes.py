"""What a team changes about its submission: description, withdrawal, and whether it counts."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard import access
from leaderboard.forms.submissions import DescriptionForm
from leaderboard.forms.uploads import parsed_late
from leaderboard.packages.metadata import Metadata, without_people
from leaderboard.packages.metadata_files import metadata_of, metadata_write
from leaderboard.selectors.submissions.quotas import submission_slots
from leaderboard.selectors.submissions.team_systems import team_acts
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.services.submissions import changes as services
from leaderboard.services.submissions.changes import submission_describe
from leaderboard.views.pages import asked_rendered, refusal_shown, system_context
from leaderboard.views.submissions.file_report import FileReport
from leaderboard.web.file_responses import attachment
from leaderboard.web.rate_limits import rate_limited
from leaderboard.web.requests import SignedInRequest, signed_in_form


@login_required
@rate_limited("leaderboard.describe", "30/m")
@parsed_late
@require_http_methods(["GET", "HEAD", "POST"])
def submission_edit(request: SignedInRequest, public_id: str) -> HttpResponse:
    """Show the description of a system, and change it."""
    now = timezone.now()
    submission = access.editable_submission_for(request.user, public_id, now)
    if request.method != "POST":
        initial = {
            "system_name": submission.system_name,
            "description": submission.description,
            "metadata": metadata_write(_metadata(submission.metadata), blanks=True),
        }
        return _page(request, submission, DescriptionForm(initial=initial))
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


def _metadata(stored: object) -> Metadata:
    return metadata_of(stored if isinstance(stored, dict) else {}).value or Metadata()


def _page(
    request: SignedInRequest,
    submission: AnySubmission,
    form: DescriptionForm,
    *,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    report = FileReport(form.file_name, clips=0, faults=form.faults)
    context = {
        **system_context(submission),
        "form": form,
        "report": report,
    }
    return render(request, "leaderboard/submissions/describe.html", context, status=status)


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


@dataclass(frozen=True, slots=True)
class TeamAction:
    """One act: its words and its service."""

    name: str
    button: str
    done: str
    already: str
    service: Callable[..., bool]


# By the last part of their addresses.
ACTS = {
    "withdraw": TeamAction(
        "withdraw",
        "Withdraw",
        "{} was withdrawn. You can take it back until the phase closes.",
        "{} was withdrawn already.",
        services.submission_withdraw,
    ),
    "take-back": TeamAction(
        "take_back",
        "Take back",
        "{} stands again.",
        "{} stands; it is not withdrawn.",
        services.submission_take_back,
    ),
    "choose": TeamAction(
        "choose",
        "Choose",
        "{} now counts for your team.",
        "{} counts for your team already.",
        services.submission_choose,
    ),
}


@signed_in_form("leaderboard.acts", "30/m")
def submission_act(request: SignedInRequest, public_id: str, act: TeamAction) -> HttpResponse:
    """Ask whether to do an act; do it when confirmed."""
    submission = access.team_submission_for(request.user, public_id)
    name, now = submission.system_name, timezone.now()
    context = {"act": act, **system_context(submission)}
    if request.method == "POST":
        with refusal_shown(context):
            changed = act.service(submission=submission, actor=request.user, now=now)
            messages.success(request, (act.done if changed else act.already).format(name))
            return redirect("leaderboard:system", public_id=public_id)
    of_team = submission.phase.submissions.filter(team=submission.team)
    context |= {
        "offered": team_acts(submission, now)[act.name],
        "chosen": of_team.filter(chosen=True).exclude(pk=submission.pk).first(),
        "slots": submission_slots(phase=submission.phase, team=submission.team),
    }
    return asked_rendered(request, "leaderboard/submissions/confirm.html", context)
