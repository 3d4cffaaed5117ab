"""Refusing bodies that are too large before they are read, and turns for reading uploads.

Reading the largest file keeps a processor busy for a second. However many are sent at once, few
are read at a time, and few requests wait for their turn: the other threads answer everyone else.
"""

from collections.abc import Callable
from functools import wraps
from threading import BoundedSemaphore
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from leaderboard.web.api_errors import problem, too_large
from leaderboard.web.page_cache import Busy
from leaderboard.web.request_counts import UPLOADS_REFUSED

# What the other fields and the boundaries of a multipart body may need.
ROOM_FOR_FIELDS = 200_000

View = Callable[..., HttpResponseBase]


def body_capped(limit: Callable[[], int], detail: Callable[[], str]) -> Callable[[View], View]:
    """Refuse a body whose length says that it has more bytes than ``limit()``.

    It comes before authentication, which parses a form to find a CSRF token, and before anything
    is counted.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def capped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            length = request.META.get("CONTENT_LENGTH") or "0"
            if not length.isdecimal():
                return problem(400, "Content-Length is not a number.")
            if int(length) > limit():
                return problem(413, detail())
            return view(request, *args, **kwargs)

        return capped

    return decorate


# Captions, metadata and report may come as three files.
upload_capped = body_capped(
    lambda: 3 * settings.MAX_UPLOAD_BYTES + ROOM_FOR_FIELDS, lambda: str(too_large())
)


# Of a process's threads half are left for everyone else, however many files come.
INSIDE_AT_ONCE = max(1, settings.WEB_THREADS // 2)
READ_AT_ONCE = max(1, settings.WEB_THREADS // 4)
PATIENCE_SECONDS = 20.0
WAIT_SECONDS = 5
BUSY = "Many files are being read just now, and yours was not. Wait a moment, then send it again."

Rest = ParamSpec("Rest")
Answer = TypeVar("Answer")
Request = TypeVar("Request", bound=HttpRequest)

_inside = BoundedSemaphore(INSIDE_AT_ONCE)
_reading = BoundedSemaphore(READ_AT_ONCE)


def reads_upload(
    view: Callable[Concatenate[Request, Rest], Answer],
) -> Callable[Concatenate[Request, Rest], Answer]:
    """Have a view take a turn for whatever is sent to it; raises ``Busy`` where too many wait.

    Stands behind the check of the CSRF token or ninja's parsing, which have received the whole
    file by then: who sends slowly holds no turn.
    """

    @wraps(view)
    def in_turn(request: Request, /, *args: Rest.args, **kwargs: Rest.kwargs) -> Answer:
        if request.method != "POST":
            return view(request, *args, **kwargs)
        if not _inside.acquire(blocking=False):
            UPLOADS_REFUSED.labels("many wait").inc()
            raise Busy(503, BUSY, WAIT_SECONDS)
        try:
            if not _reading.acquire(timeout=PATIENCE_SECONDS):
                UPLOADS_REFUSED.labels("waited long").inc()
                raise Busy(503, BUSY, WAIT_SECONDS)
            try:
                return view(request, *args, **kwargs)
            finally:
                _reading.release()
        finally:
            _inside.release()

    return in_turn
