"""Pages that play sound from a server that organisers named."""

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse


def with_media_from(request: HttpRequest, page: HttpResponse, origins: list[str]) -> HttpResponse:
    """Let this one page, and no other, play sound from these servers."""
    if not origins:
        return page
    csp_update({"media-src": origins})(lambda _request: page)(request)
    return page
