"""Sending a labeller as a file, from pages and from the API."""

from django.http import FileResponse
from django.utils.http import content_disposition_header

from leaderboard.selectors.labellers.listing import Kept
from leaderboard.selectors.labellers.packing import file_name_of, packed


def labeller_sent(kept: Kept) -> FileResponse:
    """Answer with the zip of a labeller; raises as ``packed`` does."""
    name = file_name_of(kept)
    return FileResponse(
        packed(kept),
        content_type="application/zip",
        headers={
            "Content-Disposition": content_disposition_header(as_attachment=True, filename=name),
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-store",
        },
    )
