"""Making projects; handing one over, archiving and deleting it, for its owner alone."""

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotation import access, tasks
from annotation.forms.project_settings import NewProjectForm
from annotation.forms.sources import SourceForm
from annotation.kinds.registry import work_kinds
from annotation.models import Member, Project
from annotation.selectors.closing import closing_of, contents_stamp, project_contents
from annotation.selectors.schemes import newest_schemes
from annotation.services.formats.imports import ImportReport
from annotation.services.formats.sources import project_fill
from annotation.services.life_cycle import (
    project_archive,
    project_delete,
    project_hand_over,
    project_unarchive,
)
from annotation.services.projects import project_start
from annotation.services.schemes import scheme_started, schemes_load
from annotation.views.formats import FILL_FAILURES, announce, fault_of, source_form
from annotation.views.pages import act_of, show_page, whole_number
from leaderboard.web.body_limits import reads_upload
from leaderboard.web.refusals import Refused, refusal_shown, refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_act, signed_in_form


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
    messages.success(request, f"{project.name} is ready. Next, add people.")
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
                source.add_error(
                    None, "None of the captions could be imported. No project was made."
                )
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


@signed_in_form()
def archive(request: SignedInRequest, project: str) -> HttpResponse:
    """Ask whether to archive a project or bring it back; do it when confirmed."""
    found = access.owned_project_for(request.user, project)
    if request.method != "POST":
        context = {"project": found, "closing": closing_of(found)}
        return render(request, "annotation/projects/archive.html", context)
    if request.POST.get("archived") == "no":
        project_unarchive(project=found, act=act_of(request))
        messages.success(request, "The project is back in the lists. It is still closed.")
    else:
        project_archive(project=found, act=act_of(request))
        messages.success(request, "The project is archived.")
    return redirect("annotation:manage-settings", project=found.slug)


@signed_in_form()
def delete(request: SignedInRequest, project: str) -> HttpResponse:
    """Say exactly what would go; delete the project where its name is written."""
    found = access.owned_project_for(request.user, project)
    written = request.POST.get("name", "")
    context = {"project": found, "fault": "", "written": written}
    if request.method == "POST":
        with refusal_shown(context, "fault"):
            if " ".join(written.split()) != found.name:
                raise Refused(f"Enter the project's name, {found.name}, to delete it.")
            seen = request.POST.get("seen", "")
            project_delete(project=found, seen=seen, act=act_of(request))
            messages.success(request, f"{found.name} is deleted.")
            return redirect("annotation:projects")
    contents = project_contents(found)
    context |= {"contents": contents, "seen": contents_stamp(contents)}
    status = 422 if context["fault"] else 200
    return render(request, "annotation/projects/delete.html", context, status=status)


@signed_in_act()
def hand_over(request: SignedInRequest, project: str) -> HttpResponse:
    """Make another manager the owner."""
    found = access.owned_project_for(request.user, project)
    members = Member.objects.filter(project=found)
    member = get_object_or_404(members, pk=whole_number(request.POST.get("member")) or 0)
    with refusal_told(request):
        project_hand_over(project=found, to=member, act=act_of(request))
        messages.success(request, f"{member.name} owns the project now.")
    return redirect("annotation:manage-settings", project=found.slug)
