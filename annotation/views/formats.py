"""Files of a project: bringing one in, sending one, and a whole project as one zip."""

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.csrf import csrf_exempt

from annotation import access, tasks
from annotation.forms.imports import ArchivedPeopleForm, ImportForm, ProjectArchiveForm
from annotation.forms.sources import SourceForm
from annotation.kinds.registry import work_kinds
from annotation.models import Import, ImportState, Role
from annotation.selectors.formats import ALL, ExportSelection, download_of
from annotation.selectors.imports import import_undoing, label_rows
from annotation.selectors.schemes import UndecidedLabels, UnreadableLabels, newest_schemes
from annotation.services.formats.file_imports import import_undo
from annotation.services.formats.imports import ImportReport
from annotation.services.formats.project_archives import project_archive_download
from annotation.services.formats.waiting_imports import (
    archive_confirm,
    archive_discard,
    archive_prepare,
    archive_waiting,
    import_confirm,
    import_discard,
    import_look,
    not_waiting,
)
from annotation.services.schemes import schemes_load
from annotation.views.pages import act_of, managed, show_page
from earmark.captions.faults import count_of
from leaderboard.forms.uploads import parsed_late_by, upload_on_disk
from leaderboard.selectors.clips.corpus import CaptionsUnreadable
from leaderboard.web.body_limits import reads_upload
from leaderboard.web.file_responses import download_response
from leaderboard.web.refusals import Refused, refusal_in, refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_act, signed_in_form, signed_in_page

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
            f"{count_of(report.annotations, 'annotation')} imported{there}.",
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


@signed_in_form("annotation.files", "30/m")
@reads_upload
def detail(request: SignedInRequest, project: str, pk: int) -> HttpResponse:
    """Show what a file would bring or has brought; preview, import or discard it."""
    record = _import(request, project, pk)
    if record.state != ImportState.WAITING:
        if request.method == "POST":
            messages.error(request, str(not_waiting()))
        return _page(request, record)
    if request.method != "POST":
        return _page(request, record, ImportForm(record=record))
    with refusal_told(request):
        return _decided(request, record)
    return redirect("annotation:manage-files", project=project)


def _decided(request: SignedInRequest, record: Import) -> HttpResponse:
    """Do what a button says; refused where the file waits no more."""
    act = act_of(request)
    if "discard" in request.POST:
        import_discard(record=record)
        messages.success(request, "The file was discarded. Nothing was imported.")
        return redirect("annotation:manage-files", project=record.project.slug)
    form = ImportForm(request.POST, record=record)
    if not form.is_valid():
        return _page(request, record, form)
    if "import" not in request.POST:
        import_look(record=record, choice=form.choice, act=act)
        return redirect("annotation:import", project=record.project.slug, pk=record.pk)
    try:
        report = import_confirm(record=record, choice=form.choice, act=act)
    except UnreadableLabels as error:
        looked = import_look(record=record, choice=form.choice, act=act)
        form = ImportForm(request.POST, record=looked)
        form.add_error(None, str(error))
        return _page(request, looked, form)
    tasks.labelling_enqueue(record.project)
    announce(request, report)
    if Import.objects.filter(pk=record.pk).exists():
        return redirect("annotation:import", project=record.project.slug, pk=record.pk)
    return redirect("annotation:manage-files", project=record.project.slug)


@signed_in_form()
def undo(request: SignedInRequest, project: str, pk: int) -> HttpResponse:
    """Ask whether to take an import back, with what goes; do it when confirmed."""
    record, status = _import(request, project, pk), 200
    if request.method == "POST":
        with refusal_told(request):
            gone = import_undo(record=record, act=act_of(request))
            messages.success(
                request,
                f"The import was taken back: {count_of(gone['captions'], 'caption')} and "
                f"{count_of(gone['annotations'], 'annotation')} removed.",
            )
            return redirect("annotation:import", project=project, pk=pk)
        status = 422
    context = {"project": record.project, "record": record, "undoing": import_undoing(record)}
    return render(request, "annotation/formats/import_undo.html", context, status=status)


def _import(request: SignedInRequest, project: str, pk: int) -> Import:
    found = access.project_for(request.user, project, role=Role.MANAGER)
    record: Import = get_object_or_404(
        Import.objects.defer("content", "copies").select_related("by", "undone_by"),
        project=found,
        pk=pk,
    )
    record.project = found
    return record


def _page(request: SignedInRequest, record: Import, form: ImportForm | None = None) -> HttpResponse:
    fields = {} if form is None else form.label_fields
    sessions = {} if form is None else form.session_fields
    report = record.report
    context = {
        "project": record.project,
        "record": record,
        "report": report,
        "form": form,
        "waiting": form is not None,
        "labels": [(row, fields.get(row["name"])) for row in label_rows(record)],
        "sessions": [
            (name, row, sessions.get(name)) for name, row in report.get("sessions", {}).items()
        ],
        "brings": report.get("captions", 0) + report.get("annotations", 0),
    }
    return show_page(request, "formats/import", context)


@signed_in_act("annotation.archive", "6/m")
def download(request: SignedInRequest, project: str) -> HttpResponseBase:
    """Send a whole project, of any kind."""
    found = managed(request, project, any_kind=True)
    named = access.reads_phase_of(request.user, found)
    return download_response(project_archive_download(found, named=named))


# The token is checked in ``_received``: only who may make projects sends so much that it is read.
@csrf_exempt
@signed_in_form("annotation.files", "30/m")
def upload(request: SignedInRequest) -> HttpResponse:
    """Take an archive, and lead on to what it would become."""
    if not access.may_create_projects(request.user):
        raise Http404
    if request.method == "POST":
        return _received(request)
    return show_page(request, "projects/archive_upload", {"form": ProjectArchiveForm()})


@parsed_late_by("MAX_AUDIO_BYTES")
@reads_upload
def _received(request: SignedInRequest) -> HttpResponse:
    form = ProjectArchiveForm(request.POST, request.FILES)
    if form.is_valid():
        schemes_load()
        try:
            with upload_on_disk(form.cleaned_data["file"]) as path:
                waiting = archive_prepare(path=path, act=act_of(request))
        except Refused as refused:
            form.add_error("file", str(refused))
        else:
            return redirect("annotation:new-of-archive", archive=waiting.key)
    return show_page(request, "projects/archive_upload", {"form": form})


@signed_in_form("annotation.files", "30/m")
@reads_upload
def preview(request: SignedInRequest, archive: str) -> HttpResponse:
    """Show what an archive would become; make the project, or discard the archive."""
    if not access.may_create_projects(request.user):
        raise Http404
    try:
        waiting = archive_waiting(key=archive, user=request.user)
    except Refused as error:
        raise Http404(str(error)) from error
    if "discard" in request.POST:
        archive_discard(waiting=waiting)
        messages.success(request, "The archive was discarded. No project was made of it.")
        return redirect("annotation:new")
    data = request.POST if request.method == "POST" else None
    kind = work_kinds()[waiting.report.kind]
    sources = access.sources_for(request.user, kind.sources)
    form = ArchivedPeopleForm(data, report=waiting.report, own=request.user, sources=sources)
    if form.is_valid():
        with refusal_in(form):
            project = archive_confirm(
                waiting=waiting, people=form.people, act=act_of(request), source=form.source
            )
            tasks.labelling_enqueue(project)
            if project.source is not None:
                tasks.stages_enqueue(project.source)
            messages.success(request, f"{project.name} is ready, and you manage it.")
            return redirect("annotation:people", project=project.slug)
    people = [(person, form.person_fields[person["name"]]) for person in waiting.report.people]
    context = {"report": waiting.report, "kind": kind, "form": form, "people": people}
    return show_page(request, "projects/archive_preview", context)
