"""Submitting: the form, the report on a file, template and starter kit, download."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
    require_safe,
)
from django_htmx.http import HttpResponseClientRedirect

from earmark.captions import Fault, candidates_template
from earmark.packages.metadata_fields import CHARACTERISTICS, characteristics_of
from earmark.packages.reading import Package
from leaderboard import access, tasks
from leaderboard.forms.people import TeamForm
from leaderboard.forms.submissions import CandidatesForm, SubmissionForm
from leaderboard.forms.uploads import parsed_late
from leaderboard.models import Phase, ReferenceSet
from leaderboard.selectors.people.participation import taking_part
from leaderboard.selectors.submissions.quotas import team_quota
from leaderboard.selectors.submissions.team_systems import same_file_before
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.services.submissions.accepting import (
    FileRejected,
    package_check,
    submission_accept,
    suggested_name,
    why_closed,
)
from leaderboard.starter.package import kit_name, kit_packed
from leaderboard.views.pages import phase_context
from leaderboard.web.body_limits import reads_upload
from leaderboard.web.file_responses import attachment
from leaderboard.web.rate_limits import rate_limited
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import SignedInRequest, arrived_at, login_required_for_part_of

SHOWN = 500


@dataclass(frozen=True, slots=True)
class ReadField:
    """A value read from the metadata, and the field of the form that it may fill."""

    label: str
    shown: str
    field: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class FileReport:
    """Every fault of a file, errors and warnings apart; ``clips`` is how many it must name."""

    file_name: str
    clips: int
    faults: Sequence[Fault]
    package: Package | None = None

    @property
    def errors(self) -> list[Fault]:
        """The faults that stop the file."""
        return [fault for fault in self.faults if fault.severity == "error"]

    @property
    def warnings(self) -> list[Fault]:
        """The faults that do not."""
        return [fault for fault in self.faults if fault.severity == "warning"]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems of a package, where there are several to choose from."""
        systems = self.package.systems if self.package else ()
        return systems if len(systems) > 1 else ()

    @property
    def names_system(self) -> bool:
        """Whether the system has a name in what was handed in, so that nobody need type one."""
        return self.package is not None and bool(suggested_name(self.package))

    @property
    def undecided(self) -> bool:
        """Whether nothing is wrong but that one of several systems is still to be chosen."""
        chosen = self.package is not None and self.package.system
        return bool(self.systems) and not chosen and len(self.errors) == 1

    @property
    def read(self) -> tuple[ReadField, ...]:
        """What was read from the metadata and the names of files."""
        return tuple(_read(self.package)) if self.package else ()

    @property
    def several_files(self) -> bool:
        """Whether faults must say of which file they are."""
        return any(fault.file for fault in self.faults)

    @property
    def shown_errors(self) -> list[Fault]:
        """The errors that the page lists; a table of thousands helps nobody."""
        return self.errors[:SHOWN]

    @property
    def shown_warnings(self) -> list[Fault]:
        """The warnings that the page lists."""
        return self.warnings[:SHOWN]


def _read(package: Package) -> Iterator[ReadField]:
    if package.label:
        yield ReadField("Label", package.label)
    if package.metadata is not None:
        if name := suggested_name(package):
            yield ReadField("System name", name, "system_name", name)
        for field, value in characteristics_of(package.metadata.to_dict()).items():
            shown = f"{value:,}" if isinstance(value, int) else value
            yield ReadField(CHARACTERISTICS[field], shown, field, str(value))
        if authors := package.metadata.submission.authors:
            yield ReadField("Authors", str(len(authors)))
    if package.report is not None:
        yield ReadField("Technical report", package.report.name)


# Checking a file costs up to a second of CPU; a person with a fault needs few.
UPLOADS = ("leaderboard.uploads", "30/m")
WARNINGS_IN_MESSAGE = 3


@login_required
@rate_limited(*UPLOADS)
@parsed_late
@require_http_methods(["GET", "HEAD", "POST"])
@reads_upload
def submission_create(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Show the form; take a submission in and go to its page."""
    found = access.phase_for(request.user, challenge, phase)
    teams = access.teams_of(request.user)
    if request.method != "POST":
        return _page(request, found, SubmissionForm(phase=found, teams=teams))
    form = SubmissionForm(request.POST, request.FILES, phase=found, teams=teams)
    now = arrived_at(request)
    if not found.is_open(now):
        return _page(request, found, form, status=HTTPStatus.CONFLICT)
    if not form.is_valid():
        report = _report_of(_references(found), form) if "file" in form.cleaned_data else None
        return _page(request, found, form, report=report, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    return _accept(request, found, form, now)


def _accept(
    request: SignedInRequest, phase: Phase, form: SubmissionForm, now: datetime
) -> HttpResponse:
    upload = form.upload
    try:
        submission = submission_accept(
            phase=phase,
            team=form.cleaned_data["team"],
            user=request.user,
            system=form.system,
            upload=upload,
            attached=form.attached,
            now=now,
        )
    except FileRejected as refused:
        clips = _references(phase).clip_count
        report = FileReport(upload.name, clips, refused.faults, refused.package)
        return _page(request, phase, form, report=report, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    except Refused as refused:
        form.add_error(None, str(refused))
        report = _report_of(_references(phase), form)
        return _page(request, phase, form, report=report, status=HTTPStatus.CONFLICT)
    tasks.submission_enqueue(submission)
    _announce(request, submission)
    address = reverse("leaderboard:system", args=[submission.public_id])
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)


def _announce(request: SignedInRequest, submission: AnySubmission) -> None:
    messages.success(request, f"{submission.system_name} was submitted and is being scored.")
    before = same_file_before(submission)
    if before is not None:
        messages.warning(
            request,
            f"This is the same file as {before.system_name}, submitted on "
            f"{before.created_at:%Y-%m-%d %H:%M} UTC. It will have the same scores.",
        )
    for warning in submission.warnings[:WARNINGS_IN_MESSAGE]:
        messages.warning(request, warning)
    more = len(submission.warnings) - WARNINGS_IN_MESSAGE
    if more > 0:
        messages.warning(request, f"The file has {more:,} more warnings, listed with the system.")


def _page(
    request: SignedInRequest,
    phase: Phase,
    form: SubmissionForm,
    *,
    report: FileReport | None = None,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    now = timezone.now()
    teams = list(access.teams_of(request.user))
    quotas = [team_quota(phase, part, now) for part in taking_part(phase.challenge, teams)]
    context = {
        "may_ask": any(row.part.may_ask for row in quotas),
        **phase_context(phase),
        "form": form,
        "report": report,
        "closed": "" if phase.is_open(now) else _closed(request, phase, now),
        "quotas": quotas,
        # What was typed into a form that is refused stays.
        "spent": bool(quotas) and not form.is_bound and all(row.spent for row in quotas),
        "team_form": None if teams else TeamForm(),
        "max_bytes": settings.MAX_UPLOAD_BYTES,
    }
    return render(request, "leaderboard/submissions/submit.html", context, status=status)


def _closed(request: SignedInRequest, phase: Phase, now: datetime) -> str:
    why = why_closed(phase, now)
    return f"{why} Nothing was submitted." if request.method == "POST" else why


@login_required_for_part_of("leaderboard:submission-create")
@rate_limited(*UPLOADS)
@parsed_late
@require_POST
@reads_upload
def submission_check(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Report the faults of a file; nothing is stored and no quota spent."""
    found = access.phase_for(request.user, challenge, phase)
    now = timezone.now()
    if not found.is_open(now):
        return _refused(request, _closed(request, found, now), HTTPStatus.CONFLICT)
    form = CandidatesForm(request.POST, request.FILES)
    if not form.is_valid():
        reason = " ".join(str(error) for errors in form.errors.values() for error in errors)
        return _refused(request, reason, HTTPStatus.UNPROCESSABLE_ENTITY)
    report = _report_of(_references(found), form)
    return render(request, "leaderboard/submissions/_file_report.html", {"report": report})


def _report_of(references: ReferenceSet, form: CandidatesForm) -> FileReport:
    """What is said of the files of a form of which the fields for files are valid."""
    package = form.package()
    try:
        _, faults = package_check(references=references.read(), package=package)
    except FileRejected as refused:
        faults = refused.faults
    return FileReport(form.upload.name, references.clip_count, faults, package)


def _refused(request: SignedInRequest, reason: str, status: int) -> HttpResponse:
    return render(
        request, "leaderboard/submissions/_file_report.html", {"refused": reason}, status=status
    )


@login_required
@require_GET
def submission_template(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Download the CSV to fill in: every clip of the phase, every caption empty."""
    found = access.phase_for(request.user, challenge, phase)
    if not access.may_see_clip_names(request.user, found, timezone.now()):
        raise Http404
    text = candidates_template(_references(found).read())
    return attachment(text.encode(), f"{found.challenge.slug}-{found.slug}.csv", "text/csv")


@require_safe
def starter_kit(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Download the baselines, with a README of the phase; for everyone who sees the phase."""
    found = access.phase_for(request.user, challenge, phase)
    return attachment(kit_packed(found), f"{kit_name(found)}.zip", "application/zip")


@login_required
@require_GET
def submission_file(request: SignedInRequest, public_id: str) -> HttpResponse:
    """Download a submission's file as it came, byte for byte."""
    submission = access.own_submission_for(request.user, public_id)
    return attachment(
        bytes(submission.file.content), submission.file_name, "application/octet-stream"
    )


def _references(phase: Phase) -> ReferenceSet:
    if phase.reference_set is None:
        raise Http404
    return phase.reference_set
