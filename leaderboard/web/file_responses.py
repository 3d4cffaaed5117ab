"""Responses that are downloaded, and pages that play media from other servers."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, TypeAlias

from csp.decorators import csp_update
from django.core.serializers.json import DjangoJSONEncoder
from django.http import FileResponse, HttpRequest, HttpResponse
from django.utils.http import content_disposition_header


def attachment(content: bytes, file_name: str, content_type: str) -> HttpResponse:
    """A download; no browser may show it as a page of this site."""
    return HttpResponse(content, content_type=content_type, headers=_download_headers(file_name))


def file_attachment(file: IO[bytes], file_name: str, content_type: str) -> FileResponse:
    """A download of an open file, which is sent piece by piece."""
    return FileResponse(file, content_type=content_type, headers=_download_headers(file_name))


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
