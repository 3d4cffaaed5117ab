"""Running a project: people, captions, settings, files."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access, tasks
from annotation.forms.projects import MemberForm, NewProjectForm, ProjectForm, SourceForm
from annotation.models import Member, Project, Role
from annotation.selectors.closing import closing_of, member_work
from annotation.selectors.formats import ANSWERS, FORMATS
from annotation.selectors.projects import (
    events_of,
    member_rows,
    names_of,
    newest_schemes,
    project_progress,
    remarks_of,
)
from annotation.selectors.suggestions import labeller_state
from annotation.services.formats.imports import ImportReport
from annotation.services.formats.sources import project_fill
from annotation.services.labels import schemes_load
from annotation.services.projects import (
    NobodyManages,
    ProjectAct,
    member_let_in,
    member_take_out,
    project_change,
    project_set_closed,
    project_start,
)
from annotation.views.formats import FILL_FAILURES, announce, fault_of, source_form
from leaderboard.web.rate_limits import rate_limited
from leaderboard.web.requests import SignedInRequest
from leaderboard.web.upload_turns import reads_upload

P = ParamSpec("P")
View = Callable[Concatenate[SignedInRequest, P], HttpResponse]


def post_or_back(view: View[P]) -> View[P]:
    """Send who comes to a form's own address, say by loading a refused form anew, to the page."""

    @require_http_methods(["GET", "HEAD", "POST"])
    @wraps(view)
    def checked(request: SignedInRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if request.method == "POST":
            return view(request, *args, **kwargs)
        return redirect(reverse("annotation:manage", kwargs=kwargs))

    return checked


@login_required
@require_safe
@never_cache
def manage(request: SignedInRequest, project: str) -> HttpResponse:
    """Show how far a project is, who is in it, and what can be done."""
    return _page(request, _managed(request, project))


@login_required
@post_or_back
def settings(request: SignedInRequest, project: str) -> HttpResponse:
    """Change name, rules and guidelines."""
    found = _managed(request, project)
    form = ProjectForm(request.POST, project=found)
    if not form.is_valid():
        return _page(request, found, settings_form=form, status=422)
    project_change(project=found, settings=form.settings, act=_act(request))
    tasks.labelling_enqueue(found)
    messages.success(request, "The settings were saved.")
    return _back(found)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def state(request: SignedInRequest, project: str) -> HttpResponse:
    """Ask whether to close a project or to open it again; do it when confirmed."""
    found = _managed(request, project)
    if request.method != "POST":
        context = {"project": found, "closing": closing_of(found)}
        return render(request, "annotation/projects/state.html", context)
    closed = request.POST.get("closed") == "yes"
    project_set_closed(project=found, closed=closed, act=_act(request))
    text = (
        "The project is closed: no more captions are handed out, annotators see the agreement."
        if closed
        else "The project is open again, and its agreement hidden from annotators."
    )
    messages.success(request, text)
    return _back(found)


@login_required
@post_or_back
@rate_limited("annotation.files", "30/m")
@reads_upload
def fill(request: SignedInRequest, project: str) -> HttpResponse:
    """Add captions; where records were left out, say which and why."""
    found = _managed(request, project)
    form = source_form(request, found, bound=True)
    if form.is_valid() and not form.chosen:
        form.add_error(None, "Choose references, a system or a file.")
    if not form.is_valid():
        return _page(request, found, source=form, status=422)
    try:
        report = project_fill(project=found, source=form.source, act=_act(request))
    except FILL_FAILURES as error:
        form.add_error(*fault_of(error))
        return _page(request, found, source=form, status=422)
    tasks.labelling_enqueue(found)
    announce(request, report)
    if report.left_out:
        # No redirect, which would lose the list; sent again, the file changes nothing.
        return _page(request, found, report=report)
    return _back(found)


@login_required
@post_or_back
@rate_limited("annotation.people", "30/m")
def member_add(request: SignedInRequest, project: str) -> HttpResponse:
    """Let someone in."""
    found = _managed(request, project)
    form = MemberForm(request.POST)
    if not form.is_valid() or form.user is None:
        return _page(request, found, member_form=form, status=422)
    role = Role(form.cleaned_data["role"])
    try:
        member = member_let_in(project=found, user=form.user, role=role, act=_act(request))
    except NobodyManages as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{member.name} is in the project: {role.label.lower()}.")
    return _back(found)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def member_change(request: SignedInRequest, project: str, pk: int) -> HttpResponse:
    """Ask whether to remove a member; change the role, or remove them when confirmed."""
    found = _managed(request, project)
    member = get_object_or_404(
        Member.objects.select_related("project", "user"), project=found, pk=pk
    )
    if request.method != "POST":
        context = {"project": found, "member": member, "work": member_work(member)}
        return render(request, "annotation/projects/member_remove.html", context)
    role = request.POST.get("role", "")
    try:
        if "remove" in request.POST:
            member_take_out(member=member, act=_act(request))
            messages.success(request, f"{member.name} is out of the project. The work stays.")
        elif role in Role.values:
            member_let_in(project=found, user=member.user, role=Role(role), act=_act(request))
            messages.success(request, f"{member.name}: {Role(role).label.lower()}.")
    except NobodyManages as error:
        messages.error(request, str(error))
    # Who is no longer a manager cannot come back here.
    return (
        _back(found)
        if access.has_role(request.user, found, Role.MANAGER)
        else redirect("annotation:projects")
    )


def _managed(request: SignedInRequest, slug: str) -> Project:
    return access.project_for(request.user, slug, role=Role.MANAGER)


def _act(request: SignedInRequest) -> ProjectAct:
    return ProjectAct(request.user, timezone.now())


def _back(project: Project) -> HttpResponse:
    return redirect("annotation:manage", project=project.slug)


def _page(
    request: SignedInRequest, project: Project, *, status: int = 200, **shown: Any
) -> HttpResponse:
    """Show the page; ``shown`` are forms with faults, or the report of an import."""
    # What a refused form has set on the project is not how it stands.
    project.refresh_from_db()
    names = names_of(project)
    context = {
        "project": project,
        "whole": project_progress(project),
        "labeller": labeller_state(project),
        "members": member_rows(project, timezone.now()),
        "roles": Role.choices,
        "remarks": [
            (row, names.get(row.user_id, row.user.username)) for row in remarks_of(project)
        ],
        "events": events_of(project),
        "formats": FORMATS.values(),
        "answers": ANSWERS,
        "may_label": request.user.pk in names,
        "settings_form": ProjectForm(project=project),
        "source": source_form(request, project),
        "member_form": MemberForm(),
        **shown,
    }
    return render(request, "annotation/projects/manage.html", context, status=status)


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
        return _new_page(request, NewProjectForm(schemes=schemes), source_form(request))
    form, source = NewProjectForm(request.POST, schemes=schemes), source_form(request, bound=True)
    if not (form.is_valid() and source.is_valid()):
        return _new_page(request, form, source, status=422)
    project, report = _make(request, form, source)
    if project is None:
        return _new_page(request, form, source, report=report, status=422)
    tasks.labelling_enqueue(project)
    announce(request, report)
    messages.success(request, f"{project.name} is ready. Let the people in who label it.")
    return redirect("annotation:manage", project=project.slug)


def _make(
    request: SignedInRequest, form: NewProjectForm, source: SourceForm
) -> tuple[Project | None, ImportReport]:
    """Make the project; none at all where captions were chosen and none could be taken."""
    act, report = ProjectAct(request.user, timezone.now()), ImportReport()
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


def _new_page(
    request: SignedInRequest,
    form: NewProjectForm,
    source: SourceForm,
    *,
    report: ImportReport | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {"form": form, "source": source, "report": report}
    return render(request, "annotation/projects/new.html", context, status=status)
