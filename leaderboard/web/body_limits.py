"""Refusing bodies that are too large before they are read."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from leaderboard.web.api_errors import problem, too_large

# What the other fields and the boundaries of a multipart body may need.
ROOM_FOR_FIELDS = 200_000

View = Callable[..., HttpResponseBase]


def body_capped_at(limit: int, detail: str) -> Callable[[View], View]:
    """Refuse a body of more bytes before it is read and before anything is counted."""

    def decorate(view: View) -> View:
        @wraps(view)
        def capped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            length = request.META.get("CONTENT_LENGTH") or "0"
            if length.isdecimal() and int(length) > limit:
                return problem(413, detail)
            return view(request, *args, **kwargs)

        return capped

    return decorate


def upload_capped(view: View) -> View:
    """Refuse a body whose length says that it is too large.

    It comes before authentication, which parses the form to find a CSRF token.
    """

    @wraps(view)
    def capped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not length.isdecimal():
            return problem(400, "Content-Length is not a number.")
        # Captions, metadata and report may come as three files.
        if int(length) > 3 * settings.MAX_UPLOAD_BYTES + ROOM_FOR_FIELDS:
            return problem(413, str(too_large()))
        return view(request, *args, **kwargs)

    return capped
