"""Giving files to keep."""

from django.http import HttpResponse
from django.utils.http import content_disposition_header


def attachment(content: bytes, file_name: str, content_type: str) -> HttpResponse:
    """Give a file to keep; no browser may show it as a page of this site."""
    disposition = content_disposition_header(as_attachment=True, filename=file_name)
    return HttpResponse(
        content,
        content_type=content_type,
        headers={
            "Content-Disposition": disposition,
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-store",
        },
    )
