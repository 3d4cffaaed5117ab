"""The page of a project's label scheme: its labels, its versions, and making the next one."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from annotation import access, tasks
from annotation.formats.scheme_file import LARGEST, SchemeFileFault, read_scheme, write_scheme
from annotation.forms.schemes import SchemeForm
from annotation.models import Project, Scheme
from annotation.selectors.relabelling import asks, proposal_to_restore, scheme_effect
from annotation.selectors.schemes import (
    SchemeProposal,
    changes_between,
    has_labels,
    newest_schemes,
    scheme_changes,
    scheme_versions,
)
from annotation.services.schemes import scheme_moved, scheme_publish
from annotation.views.pages import act_of, manage_page, managed
from earmark.captions.faults import count_of
from leaderboard.web.body_limits import reads_upload
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import SignedInRequest, signed_in_form, signed_in_page

EMPTY = "empty"
NOT_YET = "Nothing changes until you have seen the effects and confirmed them."
NOT_WRITTEN = {"csrfmiddlewaretoken", "preview", "publish", "asks_again"}


@signed_in_form()
def scheme(request: SignedInRequest, project: str) -> HttpResponse:
    """Show a project's labels in a form; say what a change of them does; make it."""
    found = managed(request, project)
    if request.method != "POST":
        return _page(request, found, **_asked_back(request, found))
    form = SchemeForm(request.POST, base=found.scheme, versions=scheme_versions(found))
    if request.POST.get("base", "") != str(found.scheme.pk):
        form.add_error(None, str(scheme_moved(found.scheme)))
        return _page(request, found, form, status=409)
    if "add" in request.POST or "edit" in request.POST:
        return _page(request, found, form)
    if not form.is_valid():
        return _page(request, found, form, status=422)
    act = _publish if "publish" in request.POST else _preview
    return act(request, found, form)


def _publish(request: SignedInRequest, project: Project, form: SchemeForm) -> HttpResponse:
    draft, act = form.draft, act_of(request)
    if "asks_again" not in request.POST and asks(project, draft):
        return _preview(request, project, form, unsaid=True)
    try:
        scheme, done, again = scheme_publish(project=project, draft=draft, base=form.base, act=act)
    except Refused as refused:
        form.add_error(None, str(refused))
        return _page(request, project, form, status=refused.status)
    project.refresh_from_db()
    tasks.labelling_enqueue(project)
    text = f"Version {scheme.version} is in use from now on."
    if done.answers:
        text += f" Labels changed in {count_of(len(done.answers), 'answer')}"
        text += f" and {count_of(len(done.gold), 'settled caption')}." if done.gold else "."
    if again:
        text += f" {count_of(again, 'answer')} sent back for review."
    messages.success(request, text)
    return redirect("annotation:scheme", project=project.slug)


def _asked_back(request: SignedInRequest, project: Project) -> dict[str, Any]:
    """The form with the labels of now, or with those of the version that the address asks for."""
    version_id = request.GET.get("version", "")
    version = next((row for row in scheme_versions(project) if str(row.pk) == version_id), None)
    if version is None or version == project.scheme:
        return {"form": SchemeForm(base=project.scheme)}
    return {
        "form": SchemeForm(base=project.scheme, proposal=proposal_to_restore(project, version)),
        "proposed": f"These are the labels of version {version.version}. {NOT_YET}",
    }


@signed_in_page
def download(request: SignedInRequest, project: str) -> HttpResponse:
    """Send a version as a file, JSON or YAML."""
    found = managed(request, project)
    version_id, kind = request.GET.get("version", ""), request.GET.get("format", "")
    kind = "json" if kind == "json" else "yaml"
    every = scheme_versions(found)
    version = next((row for row in every if str(row.pk) == version_id), found.scheme)
    name = f"{version.slug}-{version.version}.{kind}"
    response = HttpResponse(write_scheme(version, kind), content_type=f"application/{kind}")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@signed_in_form("annotation.files", "30/m")
@reads_upload
def start(request: SignedInRequest, project: str) -> HttpResponse:
    """Put labels from elsewhere into the form."""
    found = managed(request, project)
    if request.method != "POST":
        return redirect("annotation:scheme", project=found.slug)
    proposal, faults = _proposed(request, found)
    form = SchemeForm(base=found.scheme, proposal=proposal, unused=not has_labels(found))
    if proposal is None:
        return _page(request, found, form, faults=faults, status=422)
    return _page(request, found, form, proposed=f"These labels are proposed. {NOT_YET}")


def _proposed(
    request: SignedInRequest, project: Project
) -> tuple[SchemeProposal | None, list[str]]:
    """The labels that a form chose, or why there are none."""
    source, file = request.POST.get("source", ""), request.FILES.get("file")
    chosen = _sources(request, project).get(source)
    if chosen is not None:
        return SchemeProposal(chosen.title, chosen.summary, chosen.inventory), []
    if source == EMPTY:
        return SchemeProposal(project.name, "", ()), []
    if file is None:
        return None, ["Choose labels, or a file."]
    try:
        return SchemeProposal(*read_scheme(file.read(LARGEST + 1))), []
    except SchemeFileFault as error:
        return None, error.faults


def _sources(request: SignedInRequest, project: Project) -> dict[str, Scheme]:
    """Published schemes, and those of the asker's other projects, by what the form calls them."""
    published = {f"scheme-{row.pk}": row for row in newest_schemes()}
    helpers = access.helpers_for(request.user, project).filter(scheme__published=False)
    return published | {f"project-{row.pk}": row.scheme for row in helpers}


def _page(
    request: SignedInRequest, project: Project, form: SchemeForm, *, status: int = 200, **shown: Any
) -> HttpResponse:
    """Show the form, open where something is wrong, and the versions."""
    sources = [(key, str(row)) for key, row in _sources(request, project).items()]
    sources.append((EMPTY, "No labels: begin with none"))
    versions = [(version, scheme_changes(version)) for version in scheme_versions(project)]
    return manage_page(
        request,
        project,
        "scheme",
        status=status,
        form=form,
        versions=versions,
        sources=sources,
        **shown,
    )


def _preview(
    request: SignedInRequest, project: Project, form: SchemeForm, *, unsaid: bool = False
) -> HttpResponse:
    draft, base = form.draft, form.base
    if draft.same_as(base):
        messages.info(request, "Nothing was changed, so there is no new version.")
        return redirect("annotation:scheme", project=project.slug)
    context = {
        "draft": draft,
        "number": base.version + 1,
        "changes": changes_between(base, draft, draft.becomes),
        "effect": scheme_effect(project, draft),
        "unsaid": unsaid,
        "is_refused": project.closed and draft.touches(base),
        # What was written goes on to the next request as it came.
        "fields": [
            (name, value)
            for name, values in request.POST.lists()
            for value in values
            if name not in NOT_WRITTEN
        ],
    }
    status = 422 if unsaid else 200
    return manage_page(request, project, "scheme_preview", status=status, **context)
