"""The references of a phase, of which a file is looked at first, and the sound of its clips."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Sum
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from leaderboard import access
from leaderboard.forms.references import AddressForm, ArchiveForm, ReferencesForm, ReferencesUseForm
from leaderboard.forms.uploads import parsed_late_by, upload_on_disk
from leaderboard.models import Phase, StagedReferences
from leaderboard.selectors.clips.audio import clips_without
from leaderboard.selectors.organising.references import preview_of
from leaderboard.services.clips.audio import (
    AudioReport,
    audio_add,
    audio_base_url_set,
    audio_remove,
)
from leaderboard.services.organising.references import (
    NOTHING_STAGED,
    references_stage,
    staged_references_discard,
    staged_references_read,
    staged_references_use,
)
from leaderboard.services.submissions.human_row import human_row_create
from leaderboard.tasks import submission_enqueue
from leaderboard.views.pages import act_on, form_rendered, phase_context, with_acts
from leaderboard.views.submissions.upload import FileReport
from leaderboard.web.body_limits import reads_upload
from leaderboard.web.refusals import Refused, refusal_in, refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_form


def phase_human_row(request: SignedInRequest, phase: Phase) -> None:
    """Make the human row of a phase and have it scored; where there can be none, say why."""
    with refusal_told(request):
        submission_enqueue(human_row_create(phase=phase, actor=request.user, now=timezone.now()))


@act_on(access.organised_phase_for)
def references_use(request: SignedInRequest, found: Phase) -> None:
    """Use the references that were shown."""
    form = ReferencesUseForm(request.POST)
    if not form.is_valid():
        raise Refused(NOTHING_STAGED)
    stored = staged_references_use(
        phase=found,
        user=request.user,
        content_hash=form.cleaned_data["content_hash"],
        confirmed=form.cleaned_data["confirmed"],
        now=timezone.now(),
    )
    messages.success(
        request,
        f"{found.name} has its references: {stored.clip_count:,} clips, "
        f"{stored.caption_count:,} captions.",
    )
    if form.cleaned_data["human_row"]:
        phase_human_row(request, found)


@act_on(access.organised_phase_for)
def references_discard(request: SignedInRequest, found: Phase) -> None:
    """Discard the references that were shown."""
    staged_references_discard(phase=found, user=request.user, now=timezone.now())
    messages.success(request, "The file was discarded. The phase is as it was.")


@signed_in_form("leaderboard.references", "20/m")
@parsed_late_by("MAX_REFERENCES_BYTES")
@with_acts(use=references_use, discard=references_discard)
@reads_upload
def references(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Show the references of a phase; read a file of others and show what it holds."""
    found = access.organised_phase_for(request.user, challenge, phase)
    form = ReferencesForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    report = status = None
    if form.is_valid():
        file: UploadedFile[bytes] = form.cleaned_data["file"]
        file_name = file.name or "references.csv"
        try:
            references_stage(
                phase=found,
                user=request.user,
                name=form.cleaned_data["name"] or file_name.rsplit(".", 1)[0],
                file_name=file_name,
                data=file.read(),
                now=timezone.now(),
            )
        except Refused as refused:
            status = refused.status
            if refused.faults:
                report = FileReport(file_name, 0, refused.faults)
            else:
                form.add_error(None, str(refused))
        else:
            return redirect("leaderboard:manage-references", challenge=challenge, phase=phase)
    context: dict[str, object] = {
        **phase_context(found),
        "fixed": found.submissions.of_teams().exists(),
        "form": form,
        "report": report,
        "max_bytes": settings.MAX_REFERENCES_BYTES,
    }
    staged = StagedReferences.objects.filter(phase=found, user=request.user).first()
    if staged is not None and report is None and not context["fixed"]:
        context |= _shown(request, found, staged)
    template = "leaderboard/organising/references.html"
    return form_rendered(request, template, context, refused=status)


def _shown(request: SignedInRequest, phase: Phase, staged: StagedReferences) -> dict[str, object]:
    read, warnings = staged_references_read(staged)
    organised = access.organised_challenges(request.user)
    return {
        "staged": staged,
        "preview": preview_of(read, phase, organised, request.user),
        "report": FileReport(staged.file_name, 0, warnings),
        "use_form": ReferencesUseForm(initial={"content_hash": read.content_hash}),
    }


# More of each kind is only counted.
SHOWN = 50


@act_on(access.organised_phase_for)
def audio_address(request: SignedInRequest, found: Phase) -> HttpResponse | None:
    """Set the address of recordings on another server, or remove it."""
    form = AddressForm(request.POST)
    if form.is_valid():
        url = form.cleaned_data["address"]
        try:
            audio_base_url_set(phase=found, url=url, actor=request.user, now=timezone.now())
        except Refused as refused:
            form.add_error("address", str(refused))
        else:
            messages.success(
                request, "The address was saved." if url else "The address was removed."
            )
            return None
    return _audio_page(request, found, address=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)


@act_on(access.organised_phase_for)
def audio_delete(request: SignedInRequest, found: Phase) -> None:
    """Take every recording away."""
    number = audio_remove(phase=found, actor=request.user, now=timezone.now())
    messages.success(request, f"{number:,} recordings were removed.")


def _organisers_first(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Only organisers may send so much that it is read, and its token checked."""

    @wraps(view)
    def checked(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
        access.organised_phase_for(request.user, challenge, phase)
        return view(request, challenge=challenge, phase=phase)

    return checked


@signed_in_form("leaderboard.audio", "20/m")
@_organisers_first
@parsed_late_by("MAX_AUDIO_BYTES")
@with_acts(address=audio_address, delete=audio_delete)
def audio(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Show what sound a phase has; take a zip of recordings and report on it."""
    found = access.organised_phase_for(request.user, challenge, phase)
    if request.method != "POST":
        return _audio_page(request, found)
    form = ArchiveForm(request.POST, request.FILES)
    if form.is_valid():
        with refusal_in(form):
            with upload_on_disk(form.cleaned_data["file"]) as path:
                report = audio_add(phase=found, path=path, actor=request.user, now=timezone.now())
            return _audio_page(request, found, report=report)
    return _audio_page(request, found, archive=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)


def _audio_page(
    request: SignedInRequest,
    phase: Phase,
    *,
    archive: ArchiveForm | None = None,
    address: AddressForm | None = None,
    report: AudioReport | None = None,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    stored = phase.reference_set
    context: dict[str, object] = {
        **phase_context(phase),
        "archive": archive or ArchiveForm(),
        "address": address
        or AddressForm(initial={"address": stored.audio_base_url if stored else ""}),
        "report": report,
        "shown": SHOWN,
    }
    if stored is not None:
        missing = clips_without(stored)
        size = stored.audio.aggregate(size=Sum("size"))["size"] or 0
        context |= {"have": stored.clip_count - len(missing), "missing": missing, "size": size}
    return render(request, "leaderboard/organising/audio.html", context, status=status)
