"""Making projects."""

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect

from annotation import access, tasks
from annotation.forms.new_project import NewProjectForm
from annotation.forms.sources import SourceForm
from annotation.kinds.registry import work_kinds
from annotation.models import Project
from annotation.selectors.inventories import newest_schemes
from annotation.services.formats.imports import ImportReport
from annotation.services.formats.sources import project_fill
from annotation.services.labels import schemes_load
from annotation.services.projects import project_start
from annotation.services.schemes import scheme_started
from annotation.views.formats import FILL_FAILURES, announce, fault_of, source_form
from annotation.views.manage import act_of
from annotation.views.pages import show_page
from leaderboard.web.body_limits import reads_upload
from leaderboard.web.requests import SignedInRequest, signed_in_form


@signed_in_form("annotation.files", "30/m")
@reads_upload
def project_new(request: SignedInRequest) -> HttpResponse:
    """Show the form; make a project, with captions where some were chosen."""
    if not access.may_create_projects(request.user):
        raise Http404
    schemes_load()
    schemes = newest_schemes()
    others = access.projects_with_labels_for(request.user)
    data = (request.POST, request.FILES) if request.method == "POST" else (None, None)
    form = NewProjectForm(*data, schemes=schemes, projects=others)
    source = source_form(request)
    if not (form.is_valid() and source.is_valid()):
        return _new_page(request, form, source)
    project, report = _make(request, form, source)
    if project is None:
        return _new_page(request, form, source, report)
    tasks.labelling_enqueue(project)
    announce(request, report)
    if not project.scheme.labels:
        messages.info(request, f"{project.name} has no labels yet. Write them here.")
        return redirect("annotation:scheme", project=project.slug)
    messages.success(request, f"{project.name} is ready. Let the people in who label it.")
    return redirect("annotation:manage", project=project.slug)


def _make(
    request: SignedInRequest, form: NewProjectForm, source: SourceForm
) -> tuple[Project | None, ImportReport]:
    """Make the project; none at all where captions were chosen and none could be taken."""
    act, report = act_of(request), ImportReport()
    with transaction.atomic():
        scheme = scheme_started(scheme=form.cleaned_data["labels"], settings=form.settings, act=act)
        project = project_start(settings=form.settings, scheme=scheme, act=act)
        try:
            if source.chosen:
                report = project_fill(project=project, source=source.source, act=act)
        except FILL_FAILURES as error:
            source.add_error(*fault_of(error))
        if source.errors or (source.chosen and not report.captions):
            transaction.set_rollback(True)
            if not source.errors:
                source.add_error(None, "None of the captions could be taken. Nothing was made.")
            return None, report
    return project, report


def _new_page(
    request: SignedInRequest,
    form: NewProjectForm,
    source: SourceForm,
    report: ImportReport | None = None,
) -> HttpResponse:
    others = [kind for kind in work_kinds().values() if not kind.has_labels]
    context = {"form": form, "source": source, "report": report, "other_kinds": others}
    return show_page(request, "projects/new", context)
