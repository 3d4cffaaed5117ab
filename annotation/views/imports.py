"""The files of a project: what one would bring, bringing it in, taking it back."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotation import access, tasks
from annotation.forms.imports import ImportForm
from annotation.models import Import, ImportState, Role
from annotation.selectors.imports import import_undoing, label_rows
from annotation.selectors.inventories import UnreadableLabels
from annotation.services.formats.undo import import_undo
from annotation.services.formats.waiting_imports import (
    import_confirm,
    import_discard,
    import_look,
    not_waiting,
)
from annotation.views.formats import announce
from annotation.views.manage import act_of
from annotation.views.pages import show_page
from leaderboard.web.body_limits import reads_upload
from leaderboard.web.refusals import refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_form
from scoring.captions.faults import count_of


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
        messages.success(request, "The file was discarded. Nothing of it came in.")
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
                f"The import was taken back: {count_of(gone.captions, 'caption')} and "
                f"{count_of(gone.annotations, 'annotation')} are gone.",
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
        "labels": [(row, fields.get(row.name)) for row in label_rows(record)],
        "sessions": [
            (name, row, sessions.get(name)) for name, row in report.get("sessions", {}).items()
        ],
        "brings": report.get("captions", 0) + report.get("annotations", 0),
    }
    return show_page(request, "formats/import", context)
