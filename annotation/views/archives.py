"""A whole project as one zip: sending it, and making a project of one after a look at it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from annotation import access, tasks
from annotation.file_responses import download_response
from annotation.forms.imports import ArchivedPeopleForm, ProjectArchiveForm
from annotation.kinds.registry import work_kinds
from annotation.services.formats.project_archives import project_archive_download
from annotation.services.formats.waiting_imports import (
    WaitingArchive,
    archive_confirm,
    archive_discard,
    archive_prepare,
    archive_waiting,
)
from annotation.services.labels import schemes_load
from annotation.views.manage import act_of, managed
from annotation.views.pages import show_page
from leaderboard.forms.uploads import parsed_late_by, upload_on_disk
from leaderboard.web.body_limits import reads_upload
from leaderboard.web.rate_limits import rate_limited
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import SignedInRequest, signed_in_form


@login_required
@rate_limited("annotation.archive", "6/m")  # type: ignore[arg-type]  # sent piece by piece
@require_POST
@never_cache
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
    return _upload_page(request, ProjectArchiveForm())


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
    return _upload_page(request, form)


def _upload_page(request: SignedInRequest, form: ProjectArchiveForm) -> HttpResponse:
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
    if not form.is_valid():
        return _preview_page(request, waiting, form)
    act = act_of(request)
    try:
        project = archive_confirm(waiting=waiting, people=form.people, act=act, source=form.source)
    except Refused as refused:
        form.add_error(None, str(refused))
        return _preview_page(request, waiting, form)
    tasks.labelling_enqueue(project)
    if project.source is not None:
        tasks.stages_enqueue(project.source)
    messages.success(request, f"{project.name} is ready, and you manage it.")
    return redirect("annotation:people", project=project.slug)


def _preview_page(
    request: SignedInRequest, waiting: WaitingArchive, form: ArchivedPeopleForm
) -> HttpResponse:
    report, fields = waiting.report, form.person_fields
    context = {
        "report": report,
        "kind": work_kinds()[report.kind],
        "form": form,
        "people": [(person, fields[person.name]) for person in report.people],
    }
    return show_page(request, "projects/archive_preview", context)
