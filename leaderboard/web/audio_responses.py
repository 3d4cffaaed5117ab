"""Sending a recording, whole or in the parts that players ask for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.utils.cache import get_conditional_response

from leaderboard.models import RecordingRow
from leaderboard.web.file_responses import ByteRange, Unsatisfiable, requested_range

_CHUNK = 1 << 16
KEPT = "private, max-age=3600"


def audio_response(request: HttpRequest, found: RecordingRow, path: Path) -> HttpResponseBase:
    """Send a recording that somebody may hear, whose file lies at ``path``."""
    etag = f'"{found.sha256}"'
    unchanged: HttpResponse | None = get_conditional_response(request, etag=etag)
    response = unchanged if unchanged is not None else _sent(request, found, path, etag)
    response["ETag"] = etag
    response["Cache-Control"] = KEPT
    return response


def _sent(request: HttpRequest, found: RecordingRow, path: Path, etag: str) -> HttpResponseBase:
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


def _sent_by_server(found: RecordingRow, path: Path) -> HttpResponse:
    """Leave the sending, ranges and all, to the web server in front."""
    header, _, place = settings.AUDIO_SENDFILE.partition(":")
    response = HttpResponse(content_type=found.media_type)
    if header.lower() == "x-accel-redirect":
        below = path.relative_to(settings.AUDIO_DIR)
        response["X-Accel-Redirect"] = f"{place.rstrip('/')}/{below}"
    else:
        response["X-Sendfile"] = str(path.resolve())
    return response
