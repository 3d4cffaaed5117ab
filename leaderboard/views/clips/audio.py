"""Sending the sound of a clip, whole or in the parts that players ask for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.models import AudioFile, ReferenceSet, User
from leaderboard.selectors.clips.audio import address_elsewhere, audio_path
from leaderboard.web.extensions import audio_listeners
from leaderboard.web.file_responses import ByteRange, Unsatisfiable, requested_range

_CHUNK = 1 << 16
KEPT = "private, max-age=3600"


@require_safe
def audio(request: HttpRequest, reference_set: int, number: int) -> HttpResponseBase:
    """Send the recording of a clip, or say where it lies on the organisers' server."""
    _authorise(request, reference_set, number - 1)
    found = AudioFile.objects.filter(reference_set=reference_set, position=number - 1).first()
    if found is None:
        return _elsewhere(reference_set, number - 1)
    etag = f'"{found.sha256}"'
    unchanged: HttpResponse | None = get_conditional_response(request, etag=etag)
    response = unchanged if unchanged is not None else _sent(request, found, etag)
    response["ETag"] = etag
    response["Cache-Control"] = KEPT
    return response


def _authorise(request: HttpRequest, reference_set: int, position: int) -> None:
    if position < 0 or max(reference_set, position) > 2**31 - 1:
        raise Http404
    user = request.user
    if isinstance(user, User) and any(
        may_hear(user, reference_set, position) for may_hear in audio_listeners
    ):
        return
    access.audio_for(user, reference_set, position, timezone.now())


def _elsewhere(reference_set: int, position: int) -> HttpResponse:
    found = get_object_or_404(ReferenceSet.objects.defer("payload"), pk=reference_set)
    address = address_elsewhere(found, position)
    if address is None:
        raise Http404
    response = HttpResponseRedirect(address)
    response["Cache-Control"] = "private, no-cache"
    response["Referrer-Policy"] = "no-referrer"
    return response


def _sent(request: HttpRequest, found: AudioFile, etag: str) -> HttpResponseBase:
    path = audio_path(found.sha256)
    if not path.is_file():
        raise Http404
    if settings.AUDIO_SENDFILE:
        return _sent_by_server(found, path)
    headers: dict[str, Any] = {"Accept-Ranges": "bytes", "Content-Type": found.media_type}
    if request.method == "HEAD":
        return HttpResponse(headers={**headers, "Content-Length": found.size})
    try:
        part = _part(request, found.size, etag)
    except Unsatisfiable:
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{found.size}"})
    if part is None:
        headers["Content-Length"] = found.size
        return StreamingHttpResponse(
            _read(path, ByteRange(0, found.size, found.size)), headers=headers
        )
    headers |= {"Content-Length": len(part), "Content-Range": part.header}
    return StreamingHttpResponse(_read(path, part), status=206, headers=headers)


def _part(request: HttpRequest, size: int, etag: str) -> ByteRange | None:
    """Read which part is asked for; the whole where the asker has parts of another file."""
    since = request.headers.get("If-Range")
    if since is not None and since.strip() != etag:
        return None
    return requested_range(request.headers.get("Range", ""), size)


def _read(path: Path, part: ByteRange) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(part.start)
        left = len(part)
        while left and (chunk := file.read(min(_CHUNK, left))):
            left -= len(chunk)
            yield chunk


def _sent_by_server(found: AudioFile, path: Path) -> HttpResponse:
    """Leave the sending, ranges and all, to the web server in front."""
    header, _, place = settings.AUDIO_SENDFILE.partition(":")
    response = HttpResponse(content_type=found.media_type)
    if header.lower() == "x-accel-redirect":
        below = path.relative_to(settings.AUDIO_DIR)
        response["X-Accel-Redirect"] = f"{place.rstrip('/')}/{below}"
    else:
        response["X-Sendfile"] = str(path.resolve())
    return response
