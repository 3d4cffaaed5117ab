"""What the pages that add captions have in common."""

from django.contrib import messages
from django.http import Http404, HttpResponseBase

from annotation import access
from annotation.file_responses import download_response
from annotation.forms.sources import SourceForm
from annotation.models import Role
from annotation.selectors.formats import ALL, ExportSelection, download_of
from annotation.selectors.inventories import UndecidedLabels, UnreadableLabels, newest_schemes
from annotation.services.formats.imports import ImportReport
from leaderboard.selectors.clips.corpus import CaptionsUnreadable
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import SignedInRequest, signed_in_page
from scoring.captions.faults import count_of

FILL_FAILURES = (UnreadableLabels, CaptionsUnreadable)


def source_form(request: SignedInRequest) -> SourceForm:
    """Make the form with what the asker may bring into a project."""
    sent = request.method == "POST"
    return SourceForm(
        request.POST if sent else None,
        request.FILES if sent else None,
        phases=access.phases_for(request.user),
        submissions=access.submissions_for(request.user),
        schemes=[(scheme.slug, scheme.title) for scheme in newest_schemes()],
    )


def fault_of(error: Exception) -> tuple[str, str]:
    """The field by which an import failed, and why."""
    if isinstance(error, UndecidedLabels):
        there = "Or make the project without the file, and add it there: each label is asked for."
        return "map_from", f"{error} {there}"
    if isinstance(error, UnreadableLabels):
        return "map_from", str(error)
    return "submission", "The captions of this system can no longer be read."


def announce(request: SignedInRequest, report: ImportReport) -> None:
    """Show messages about what was imported."""
    if report.captions or report.annotations or report.unchanged:
        there = f", {report.unchanged:,} were there already" if report.unchanged else ""
        messages.success(
            request,
            f"{count_of(report.captions, 'caption')} and "
            f"{count_of(report.annotations, 'annotation')} came in{there}.",
        )
    if report.people:
        names = ", ".join(report.people[:5]) + (" and others" if len(report.people) > 5 else "")
        messages.info(request, f"New members without a log-in, from sessions of the file: {names}.")
    if report.to_settle:
        count = count_of(report.to_settle, "annotation")
        messages.warning(request, f"{count} flagged: a label has several equivalents.")
    if report.incomplete:
        count = count_of(report.incomplete, "annotation")
        messages.warning(request, f"{count} incomplete, flagged, and not counted.")
    if report.left_out:
        first = f" First: {report.skipped[0]}"
        messages.warning(request, f"{count_of(report.left_out, 'record')} left out.{first}")


@signed_in_page
def export(request: SignedInRequest, project: str) -> HttpResponseBase:
    """Send a file: ``?format=``, ``?who=`` (all, gold or a member) and ``?answer=``."""
    found = access.project_for(request.user, project, role=Role.MANAGER)
    query = request.GET
    choice = ExportSelection(query.get("who") or ALL, query.get("answer", ""))
    try:
        download = download_of(found, query.get("format", "prodigy"), choice)
    except Refused as error:
        raise Http404(str(error)) from error
    return download_response(download)
