"""The sound of a phase's clips: a zip of recordings, or where they lie."""

from http import HTTPStatus

from django.contrib import messages
from django.db.models import Sum
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from leaderboard import access
from leaderboard.forms.references import AddressForm, ArchiveForm, AudioUpload
from leaderboard.forms.uploads import parsed_late_by, upload_on_disk
from leaderboard.models import Phase
from leaderboard.selectors.clips.audio import clips_without
from leaderboard.services.clips.audio import (
    AudioReport,
    audio_add,
    audio_base_url_set,
    audio_remove,
)
from leaderboard.views.pages import phase_context
from leaderboard.web.refusals import Refused, refusal_in, refusal_told
from leaderboard.web.requests import SignedInRequest
from leaderboard.web.signed_in import signed_in_act, signed_in_form

# More of each kind is only counted.
SHOWN = 50


# The token is checked in ``_received``: only organisers may send so much that it is read.
@csrf_exempt
@signed_in_form("leaderboard.audio", "20/m")
def audio(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Show what sound a phase has; take a zip of recordings and report on it."""
    found = access.organised_phase_for(request.user, challenge, phase)
    return _received(request, found) if request.method == "POST" else _page(request, found)


@parsed_late_by(AudioUpload)
def _received(request: SignedInRequest, phase: Phase) -> HttpResponse:
    form = ArchiveForm(request.POST, request.FILES)
    if form.is_valid():
        with refusal_in(form):
            with upload_on_disk(form.cleaned_data["file"]) as path:
                report = audio_add(phase=phase, path=path, actor=request.user, now=timezone.now())
            return _page(request, phase, report=report)
    return _page(request, phase, archive=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)


@signed_in_act("leaderboard.audio", "20/m")
def audio_address(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Set the address of recordings on another server, or remove it."""
    found = access.organised_phase_for(request.user, challenge, phase)
    form = AddressForm(request.POST)
    if form.is_valid():
        url = form.cleaned_data["address"]
        try:
            audio_base_url_set(phase=found, url=url, actor=request.user, now=timezone.now())
        except Refused as refused:
            form.add_error("address", str(refused))
        else:
            messages.success(request, "The address was noted." if url else "No address is used.")
            return redirect("leaderboard:manage-audio", challenge=challenge, phase=phase)
    return _page(request, found, address=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)


@signed_in_act()
def audio_delete(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Take every recording away."""
    found = access.organised_phase_for(request.user, challenge, phase)
    with refusal_told(request):
        number = audio_remove(phase=found, actor=request.user, now=timezone.now())
        messages.success(request, f"{number:,} recordings were removed.")
    return redirect("leaderboard:manage-audio", challenge=challenge, phase=phase)


def _page(
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
