"""Responses that are downloaded or sent in parts, and pages that play media from other servers."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any, TypeAlias

from csp.decorators import csp_update
from django.core.serializers.json import DjangoJSONEncoder
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.http import content_disposition_header


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
