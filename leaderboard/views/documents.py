"""The documents of the project: guides, reference, measurements, decisions."""

import mimetypes

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.selectors.documents.document import (
    INDEX,
    document_of,
    document_paths,
    documents_beside,
    picture_paths,
)
from leaderboard.web.visitors_cache import cached_for_visitors


@require_safe
@cached_for_visitors()
def document_page(request: HttpRequest, document: str = INDEX) -> HttpResponse:
    """Show a document, or the index of all."""
    if document not in document_paths():
        raise Http404
    context = {
        "document": document_of(document),
        "is_index": document == INDEX,
        "beside": documents_beside(document),
    }
    return render(request, "leaderboard/documents/document.html", context)


@require_safe
def document_picture(_request: HttpRequest, picture: str) -> FileResponse:
    """Send a picture of the documents."""
    path = picture_paths().get(picture)
    if path is None:
        raise Http404
    # Not every machine's own list knows WebP; Python's longer one does.
    kind, _ = mimetypes.guess_type(path.name, strict=False)
    return FileResponse(
        path.open("rb"), content_type=kind, headers={"Cache-Control": "public, max-age=3600"}
    )


@require_safe
def components(request: HttpRequest) -> HttpResponse:
    """Show every component of the pages, to who builds them: only where DEBUG is on."""
    if not settings.DEBUG:
        raise Http404
    return render(request, "styleguide.html")
