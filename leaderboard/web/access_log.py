"""A line of the log for each request, and the request's id in every other line."""

import logging
import re
import time
import uuid

from django.http import HttpRequest, HttpResponse
from django.utils.encoding import iri_to_uri

from leaderboard import log_context
from leaderboard.web.middleware import Middleware

logger = logging.getLogger("earmark.access")

HEADER = "X-Request-ID"
# A proxy in front may have given it one; whatever else is sent is not written to the log.
_ID = re.compile(r"[\w.:-]{1,64}", re.ASCII)
# Whoever watches the site asks every few seconds, and each page asks for a dozen files.
_UNTOLD = ("/healthz", "/readyz", "/prometheus", "/static/")
# Parts of addresses that let whoever reads them in: invitations, links that were mailed.
_SECRETS = ("token", "key", "uidb36")


class AccessLogMiddleware(Middleware):
    """Gives each request an id, which the response names, and notes how it was answered."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass on."""
        given = request.headers.get(HEADER, "")
        name = given if _ID.fullmatch(given) else uuid.uuid4().hex[:16]
        marks = (log_context.request_id.set(name), log_context.request.set(request))
        start = time.perf_counter()
        try:
            response = self.get_response(request)
            response.headers[HEADER] = name
            _note(request, response, 1000 * (time.perf_counter() - start))
        finally:
            log_context.request_id.reset(marks[0])
            log_context.request.reset(marks[1])
        return response


def _note(request: HttpRequest, response: HttpResponse, milliseconds: float) -> None:
    if request.path.startswith(_UNTOLD) and response.status_code < 400:
        return
    fields = {
        "method": request.method,
        "path": _path(request),
        "status": response.status_code,
        "ms": round(milliseconds),
    }
    level = logging.ERROR if response.status_code >= 500 else logging.INFO
    text = "%(method)s %(path)s %(status)s in %(ms)s ms"
    logger.log(level, text, fields, extra={"fields": fields})


def _path(request: HttpRequest) -> str:
    """The path without secrets, and with line breaks and the like escaped."""
    path = request.path
    values = {} if request.resolver_match is None else request.resolver_match.kwargs
    for name in _SECRETS:
        if value := str(values.get(name) or ""):
            path = path.replace(value, f"<{name}>")
    return iri_to_uri(path)
