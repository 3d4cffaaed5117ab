"""The pages on which a project is managed: overview, captions, files, settings."""

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from annotation import access, tasks
from annotation.forms.project_settings import ProjectForm
from annotation.forms.sources import SourceForm
from annotation.forms.work import WorkSettingsForm
from annotation.models import Project, Role
from annotation.selectors.closing import closing_of
from annotation.selectors.formats import ANSWERS, FORMATS
from annotation.selectors.imports import imports_of
from annotation.selectors.overview import forecast, pending_decisions
from annotation.selectors.progress import project_progress
from annotation.selectors.projects import events_of, worker_names
from annotation.selectors.schemes import answers_of_other_inventories
from annotation.selectors.sounds import sound_coverage
from annotation.selectors.stages.chain import stages_of
from annotation.selectors.stages.plan import outdated_items
from annotation.selectors.suggestions import labeller_state
from annotation.services.formats.imports import ImportReport
from annotation.services.formats.sources import project_fill
from annotation.services.formats.waiting_imports import import_prepare
from annotation.services.life_cycle import SettingsChanged, project_change, project_set_closed
from annotation.views.formats import FILL_FAILURES, announce, fault_of, source_form
from annotation.views.pages import act_of, manage_page, managed
from earmark.captions.faults import count_of
from leaderboard.web.body_limits import reads_upload
from leaderboard.web.requests import SignedInRequest, signed_in_form, signed_in_page

MOST_IMPORTS = 30


@signed_in_page
def overview(request: SignedInRequest, project: str) -> HttpResponse:
    """Show how far a project is, what waits for a decision, and what was done."""
    found = managed(request, project, any_kind=True)
    whole = project_progress(found)
    return manage_page(
        request,
        found,
        "overview",
        whole=whole,
        forecast=forecast(found, whole, timezone.now()),
        pending=pending_decisions(found, request.user),
        labeller=labeller_state(found) if found.work_kind.has_labels else None,
        others=answers_of_other_inventories(found).count(),
        stages=None if found.work_kind.has_labels else _stages(request, found),
        events=events_of(found),
    )


def _stages(request: SignedInRequest, project: Project) -> dict[str, object] | None:
    """The stages in their order, and the shown one's items that its source has otherwise.

    None of a project that neither feeds one nor is fed.
    """
    stages = stages_of(project)
    if len(stages) < 2:
        return None
    managed = set(access.managed_projects(request.user).values_list("pk", flat=True))
    rows = [
        {
            "project": row,
            "people": row.members.count(),
            "whole": project_progress(row),
            "manages": row.pk in managed,
        }
        for row in stages
    ]
    outdated = list(outdated_items(project).order_by("position").only("text"))
    return {"rows": rows, "outdated": outdated}


@signed_in_form("annotation.files", "30/m")
@reads_upload
def fill(request: SignedInRequest, project: str) -> HttpResponse:
    """Show where captions can come from; add some. A file first shows what it would bring."""
    found = managed(request, project)
    form = source_form(request)
    if form.is_valid() and not form.chosen:
        form.add_error(None, "Choose references, a system or a file.")
    if not form.is_valid():
        return manage_page(request, found, "captions", source=form)
    return _filled(request, found, form)


def _filled(request: SignedInRequest, project: Project, form: SourceForm) -> HttpResponse:
    source, report = form.source, ImportReport()
    try:
        if source.phase or source.submission:
            others = replace(source, file=None)
            report = project_fill(project=project, source=others, act=act_of(request))
    except FILL_FAILURES as error:
        form.add_error(*fault_of(error))
        return manage_page(request, project, "captions", source=form)
    tasks.labelling_enqueue(project)
    announce(request, report)
    if source.file is None:
        return redirect("annotation:manage", project=project.slug)
    act = act_of(request)
    record = import_prepare(project=project, file=source.file, choice=source.choice, act=act)
    return redirect("annotation:import", project=project.slug, pk=record.pk)


@signed_in_page
def files(request: SignedInRequest, project: str) -> HttpResponse:
    """List the files that came in; offer those that can be downloaded."""
    found = managed(request, project)
    return manage_page(
        request,
        found,
        "files",
        imports=imports_of(found)[:MOST_IMPORTS],
        names=sorted(worker_names(found).values()),
        formats=FORMATS.values(),
        sounds=sound_coverage(found),
        answers=ANSWERS,
    )


@signed_in_form()
def settings(request: SignedInRequest, project: str) -> HttpResponse:
    """Show and change name, rules and guidelines."""
    found = managed(request, project, any_kind=True)
    managers = found.members.filter(role=Role.MANAGER, user__is_active=True)
    shown: dict[str, Any] = {
        "owns": access.owns(request.user, found),
        "others": managers.exclude(user=found.owner_id),
    }
    settings_form = ProjectForm if found.work_kind.has_labels else WorkSettingsForm
    form = settings_form(request.POST if request.method == "POST" else None, project=found)
    if not form.is_valid():
        return manage_page(request, found, "settings", settings_form=form, **shown)
    seen = form.cleaned_data["seen"]
    try:
        project_change(project=found, settings=form.settings, act=act_of(request), seen=seen)
    except SettingsChanged as changed:
        form.refuse_changed(changed, managed(request, found.slug, any_kind=True))
        return manage_page(request, found, "settings", settings_form=form, status=409, **shown)
    tasks.labelling_enqueue(found)
    messages.success(request, "The settings were saved.")
    return redirect("annotation:manage-settings", project=found.slug)


@signed_in_form()
def state(request: SignedInRequest, project: str) -> HttpResponse:
    """Ask whether to close a project or to open it again; do it when confirmed."""
    found = managed(request, project, any_kind=True)
    closed = request.POST.get("closed") == "yes"
    if not closed and found.archived_at:
        messages.error(request, "The project is archived. Its owner can bring it back first.")
        return redirect("annotation:manage-settings", project=found.slug)
    if request.method != "POST":
        context = {"project": found, "closing": closing_of(found)}
        return render(request, "annotation/projects/state.html", context)
    counted, uncounted = project_set_closed(project=found, closed=closed, act=act_of(request))
    tasks.stages_enqueue(found)
    text = f"The project is {'closed' if closed else 'open again'}."
    if found.work_kind.has_labels:
        text += f" Annotators {'' if closed else 'no longer '}see the agreement."
    if counted:
        text += f" {count_of(counted, 'answer')} that did not count now do."
    if uncounted:
        text += f" Still not counted: {count_of(uncounted, 'answer')}."
    messages.success(request, text)
    return redirect("annotation:manage", project=found.slug)
