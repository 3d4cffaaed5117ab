"""Downloads, recordings whole or in parts, and pages that play media from other servers."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias

from csp.decorators import csp_update
from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header

from leaderboard.models import RecordingRow


def attachment(content: bytes, file_name: str, content_type: str) -> HttpResponse:
    """A download; no browser may show it as a page of this site."""
    return HttpResponse(content, content_type=content_type, headers=_download_headers(file_name))


def file_attachment(file: IO[bytes], file_name: str, content_type: str) -> FileResponse:
    """A download of an open file, which is sent piece by piece."""
    return FileResponse(file, content_type=content_type, headers=_download_headers(file_name))


@dataclass(frozen=True, slots=True)
class Download:
    """A file about to be sent, made while it is."""

    name: str
    content_type: str
    pieces: Iterator[bytes]


def download_response(download: Download) -> StreamingHttpResponse:
    """Answer with a file that is made while it is sent."""
    headers = _download_headers(download.name)
    return StreamingHttpResponse(
        download.pieces, content_type=download.content_type, headers=headers
    )


def _download_headers(file_name: str) -> dict[str, str]:
    return {
        "Content-Disposition": content_disposition_header(as_attachment=True, filename=file_name),
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, no-store",
    }


JsonPart: TypeAlias = Mapping[str, object] | Iterable[Mapping[str, object]]


def json_stream(parts: Iterable[tuple[str, JsonPart]]) -> Iterator[str]:
    """Write an object of named parts: mappings as they are, other iterables as lists."""
    before = "{\n"
    for name, part in parts:
        yield f"{before}{json.dumps(name)}: "
        before = ",\n"
        if isinstance(part, Mapping):
            yield _text(part)
        else:
            yield from _listed(part)
    yield "\n}\n"


def _listed(rows: Iterable[Any]) -> Iterator[str]:
    before = "[\n  "
    for row in rows:
        yield before + _text(row)
        before = ",\n  "
    yield "\n]" if before.startswith(",") else "[]"


def _text(value: Any) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)


def allow_media_from(request: HttpRequest, page: HttpResponse, origins: list[str]) -> HttpResponse:
    """Allow this page, and no other, to play sound from these servers."""
    if not origins:
        return page
    csp_update({"media-src": origins})(lambda _request: page)(request)
    return page


_ONE = re.compile(r"\s*(\d*)\s*-\s*(\d*)\s*", re.ASCII)
# No file has more digits; longer numbers would only be work.
_MOST_DIGITS = 19


class Unsatisfiable(Exception):
    """A part that begins behind the end."""


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Bytes from ``start`` up to and without ``end`` of a file of ``size``."""

    start: int
    end: int
    size: int

    def __len__(self) -> int:
        return self.end - self.start

    @property
    def header(self) -> str:
        """The value of Content-Range."""
        return f"bytes {self.start}-{self.end - 1}/{self.size}"


def requested_range(header: str, size: int) -> ByteRange | None:
    """The one range that ``header`` requests; None stands for the whole file.

    Anything but a range of bytes is ignored, as the standard demands; so are several
    ranges at once, which no player needs and of which there can be thousands. Raises
    ``Unsatisfiable``.
    """
    unit, _, rest = header.partition("=")
    match = _ONE.fullmatch(rest) if unit.strip().lower() == "bytes" else None
    if match is None or not any(match.groups()):
        return None
    first, last = (text[:_MOST_DIGITS] for text in match.groups())
    if not first:
        if not int(last) or not size:
            raise Unsatisfiable
        return ByteRange(max(0, size - int(last)), size, size)
    start = int(first)
    end = min(int(last) + 1, size) if last else size
    if last and int(last) < start:
        return None
    if start >= size:
        raise Unsatisfiable
    return ByteRange(start, end, size)


_CHUNK = 1 << 16
KEPT = "private, max-age=3600"


def audio_response(request: HttpRequest, recording: RecordingRow, path: Path) -> HttpResponseBase:
    """Send a recording that somebody may hear, whose file lies at ``path``."""
    etag = f'"{recording.sha256}"'
    unchanged: HttpResponse | None = get_conditional_response(request, etag=etag)
    response = unchanged if unchanged is not None else _sent(request, recording, path, etag)
    response["ETag"] = etag
    response["Cache-Control"] = KEPT
    return response


def _sent(request: HttpRequest, recording: RecordingRow, path: Path, etag: str) -> HttpResponseBase:
    if not path.is_file():
        raise Http404
    if settings.AUDIO_SENDFILE:
        return _sent_by_server(recording, path)
    headers: dict[str, Any] = {"Accept-Ranges": "bytes", "Content-Type": recording.media_type}
    if request.method == "HEAD":
        return HttpResponse(headers={**headers, "Content-Length": recording.size})
    try:
        part = _part(request, recording.size, etag)
    except Unsatisfiable:
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{recording.size}"})
    if part is None:
        headers["Content-Length"] = recording.size
        return StreamingHttpResponse(
            _read(path, ByteRange(0, recording.size, recording.size)), headers=headers
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


def _sent_by_server(recording: RecordingRow, path: Path) -> HttpResponse:
    """Leave the sending, ranges and all, to the web server in front."""
    header, _, place = settings.AUDIO_SENDFILE.partition(":")
    response = HttpResponse(content_type=recording.media_type)
    if header.lower() == "x-accel-redirect":
        below = path.relative_to(settings.AUDIO_DIR)
        response["X-Accel-Redirect"] = f"{place.rstrip('/')}/{below}"
    else:
        response["X-Sendfile"] = str(path.resolve())
    return response
