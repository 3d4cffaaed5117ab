"""Middleware, the log of requests, and the variables that every template has."""

import logging
import re
import time
import uuid
from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.encoding import iri_to_uri
from requests import RequestException

import earmark
from leaderboard import log_context
from leaderboard.web.page_cache import Busy
from leaderboard.web.requests import note_arrival


class Middleware:
    """Passes requests on."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass on."""
        return self.get_response(request)


class ArrivalMiddleware(Middleware):
    """Note when a request arrives; comes first, since other middleware takes time."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Note it and pass on."""
        note_arrival(request)
        return self.get_response(request)


class PrivateMiddleware(Middleware):
    """Keep what one person was shown out of caches that others use."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass on, and mark responses to visitors with a session or token as private."""
        response = self.get_response(request)
        if settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers:
            response.headers.setdefault("Cache-Control", "private")
        return response


class BusyMiddleware(Middleware):
    """Answer in plain words where something was not computed because of too many requests."""

    def process_exception(self, _request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer 429 or 503 with the time to wait."""
        if not isinstance(error, Busy):
            return None
        response = HttpResponse(
            str(error), status=error.status, content_type="text/plain; charset=utf-8"
        )
        response["Retry-After"] = str(error.wait)
        return response


class LeavingMiddleware(Middleware):
    """Send those who log in elsewhere there by a page and not by a redirect.

    The site's policy lets forms send to the site alone, and browsers hold the redirect
    that answers a form to it. Where providers have their log-in is not known beforehand.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass on, or put the page in the place of a form's redirect to another site."""
        response = self.get_response(request)
        target = response.get("Location", "")
        host = urlsplit(target).netloc
        if request.method != "POST" or not host or host == request.get_host():
            return response
        page = render(request, "socialaccount/login_redirect.html", {"target": target})
        page.cookies = response.cookies
        return page

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer with a page where the other site is down or sends nonsense."""
        if not isinstance(error, RequestException):
            return None
        return render(request, "socialaccount/authentication_error.html", status=502)


def site(_request: HttpRequest) -> dict[str, str]:
    """Name the site, its address, who to write to, and the scorer's version."""
    return {
        "site_contact": settings.SITE_CONTACT,
        "site_name": settings.SITE_NAME,
        "site_url": settings.SITE_URL,
        "scorer_version": earmark.__version__,
    }


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
        header = request.headers.get(HEADER, "")
        name = header if _ID.fullmatch(header) else uuid.uuid4().hex[:16]
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
