"""Sending the sound of a clip, whole or in the parts that players ask for."""

from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
)
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.models import AudioFile, ReferenceSet, User
from leaderboard.selectors.clips.audio import address_elsewhere, audio_path
from leaderboard.web.audio_responses import audio_response
from leaderboard.web.extensions import audio_listeners


@require_safe
def audio(request: HttpRequest, reference_set: int, number: int) -> HttpResponseBase:
    """Send the recording of a clip, or say where it lies on the organisers' server."""
    user, position = request.user, number - 1
    if position < 0 or max(reference_set, position) > 2**31 - 1:
        raise Http404
    heard = isinstance(user, User) and any(
        may_hear(user, reference_set, position) for may_hear in audio_listeners
    )
    if not heard:
        access.audio_for(user, reference_set, position, timezone.now())
    found = AudioFile.objects.filter(reference_set=reference_set, position=position).first()
    if found is None:
        return _elsewhere(reference_set, position)
    return audio_response(request, found, audio_path(found.sha256))


def _elsewhere(reference_set: int, position: int) -> HttpResponse:
    found = get_object_or_404(ReferenceSet.objects.defer("payload"), pk=reference_set)
    address = address_elsewhere(found, position)
    if address is None:
        raise Http404
    response = HttpResponseRedirect(address)
    response["Cache-Control"] = "private, no-cache"
    response["Referrer-Policy"] = "no-referrer"
    return response
