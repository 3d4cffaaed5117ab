"""Sending files that are made while they are sent."""

from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header

from annotation.selectors.downloads import Download


def sent(download: Download) -> StreamingHttpResponse:
    """Answer with a file that is made while it is sent."""
    disposition = content_disposition_header(as_attachment=True, filename=download.name)
    return StreamingHttpResponse(
        download.pieces,
        content_type=download.content_type,
        headers={"Content-Disposition": disposition},
    )
