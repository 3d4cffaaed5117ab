"""Starting a project."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation import access, tasks
from annotation.forms.projects import NewProjectForm
from annotation.forms.sources import SourceForm
from annotation.models import Project
from annotation.selectors.managing import newest_schemes
from annotation.services.filling import project_fill
from annotation.services.imports import ImportReport
from annotation.services.managing import Act, project_start
from annotation.services.schemes import schemes_load
from annotation.views.filling import FILL_FAILURES, announce, fault_of, source_form
from leaderboard.views.rate_limits import rate_limited
from leaderboard.views.requests import SignedInRequest


@login_required
@never_cache
@rate_limited("annotation.files", "30/m")
@require_http_methods(["GET", "HEAD", "POST"])
def project_new(request: SignedInRequest) -> HttpResponse:
    """Show the form; make a project, with captions where some were chosen."""
    if not access.may_create_projects(request.user):
        raise Http404
    schemes_load()
    schemes = newest_schemes()
    if request.method != "POST":
        return _page(request, NewProjectForm(schemes=schemes), source_form(request))
    form, source = NewProjectForm(request.POST, schemes=schemes), source_form(request, bound=True)
    if not (form.is_valid() and source.is_valid()):
        return _page(request, form, source, status=422)
    project, report = _make(request, form, source)
    if project is None:
        return _page(request, form, source, report=report, status=422)
    tasks.labelling_enqueue(project)
    announce(request, report)
    messages.success(request, f"{project.name} is ready. Let the people in who label it.")
    return redirect("annotation:manage", project=project.slug)


def _make(
    request: SignedInRequest, form: NewProjectForm, source: SourceForm
) -> tuple[Project | None, ImportReport]:
    """Make the project; none at all where captions were chosen and none could be taken."""
    act, report = Act(request.user, timezone.now()), ImportReport()
    with transaction.atomic():
        project = project_start(settings=form.settings, scheme=form.cleaned_data["scheme"], act=act)
        try:
            report = project_fill(project=project, source=source.source, act=act)
        except FILL_FAILURES as error:
            source.add_error(*fault_of(error))
        if source.errors or (source.chosen and not report.captions):
            transaction.set_rollback(True)
            if not source.errors:
                source.add_error(None, "None of the captions could be taken. Nothing was made.")
            return None, report
    return project, report


def _page(
    request: SignedInRequest,
    form: NewProjectForm,
    source: SourceForm,
    *,
    report: ImportReport | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {"form": form, "source": source, "report": report}
    return render(request, "annotation/new.html", context, status=status)
