"""The sounds of a project's captions: a zip of recordings, and playing one."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from annotation import access
from annotation.kinds.work_kind import SOUNDS_PAGE
from annotation.models import Project
from annotation.selectors.sounds import sound_coverage
from annotation.services.sounds import sounds_add_zip, sounds_remove
from annotation.views.pages import act_of, manage_page, managed
from earmark.captions.faults import count_of
from leaderboard.forms.references import ArchiveForm
from leaderboard.forms.uploads import parsed_late_by, upload_on_disk
from leaderboard.selectors.clips.audio import audio_path
from leaderboard.web.file_responses import audio_response
from leaderboard.web.refusals import refusal_in
from leaderboard.web.requests import SignedInRequest, signed_in_form

# More of each kind is only counted.
SHOWN = 50


@login_required
@require_safe
def sound(request: SignedInRequest, project: str, pk: int) -> HttpResponseBase:
    """Send a recording to a member of its project, whole or in parts."""
    recording = access.sound_for(request.user, project, pk)
    return audio_response(request, recording, audio_path(recording.sha256))


# The token is checked in ``_received``: only managers may send so much that it is read.
@csrf_exempt
@signed_in_form("annotation.files", "30/m")
def sounds(request: SignedInRequest, project: str) -> HttpResponse:
    """Show which captions sound; take a zip of recordings and report on it."""
    found = _managed(request, project)
    return _received(request, found) if request.method == "POST" else _page(request, found)


@parsed_late_by("MAX_AUDIO_BYTES")
def _received(request: SignedInRequest, project: Project) -> HttpResponse:
    form = ArchiveForm(request.POST, request.FILES)
    if form.is_valid():
        with refusal_in(form):
            with upload_on_disk(form.cleaned_data["file"]) as path:
                report = sounds_add_zip(project=project, path=path, act=act_of(request))
            return _page(request, project, report=report)
    return _page(request, project, archive=form)


@signed_in_form()
def remove(request: SignedInRequest, project: str) -> HttpResponse:
    """Ask whether to remove every recording; do it when confirmed."""
    found = _managed(request, project)
    if request.method != "POST":
        return manage_page(request, found, "sounds_remove", coverage=sound_coverage(found))
    number = sounds_remove(project=found, act=act_of(request))
    messages.success(request, f"{count_of(number, 'recording')} removed. The captions stay.")
    return redirect("annotation:sounds", project=found.slug)


def _managed(request: SignedInRequest, slug: str) -> Project:
    """A project that the asker manages, to which recordings can be brought."""
    project = managed(request, slug, any_kind=True)
    if project.work_kind.items_page != SOUNDS_PAGE:
        raise Http404
    return project


def _page(
    request: SignedInRequest,
    project: Project,
    *,
    archive: ArchiveForm | None = None,
    report: dict[str, Any] | None = None,
) -> HttpResponse:
    return manage_page(
        request,
        project,
        "sounds",
        archive=archive or ArchiveForm(),
        report=report,
        coverage=sound_coverage(project),
        limit=SHOWN,
    )
