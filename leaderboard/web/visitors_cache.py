"""Whole pages for visitors who are not logged in, kept until something on them changes.

A page is kept with the version of all that visitors may be shown (``public_version``) and a
span of some seconds, as pages tell of the clock. Spans begin at whole multiples of their
length: with the usual ten seconds a phase opens and closes on time, as organisers write
minutes. What differs from request to request (its id, security headers) is added outside.
"""

import gzip
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from hashlib import sha256
from threading import Lock
from typing import Concatenate, NamedTuple, ParamSpec

from django.conf import settings
from django.contrib.messages import get_messages
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_vary_headers

from leaderboard.models.public_change import public_version

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

CACHE = "pages"
# Bounds the memory, with the number of pages in the settings.
LARGEST = 100_000
# Longer than any of these pages takes to be made.
PATIENCE = 5.0


class Stamp(NamedTuple):
    """What was so at a moment of this process's clock, before a page was made."""

    at: float
    state: tuple[int | None, ...]


class Page(NamedTuple):
    """A kept page; ``body`` is compressed as browsers take it."""

    stamp: Stamp
    etag: str
    kind: str
    body: bytes


def cached_for_visitors(*parameters: str) -> Callable[[View[P]], View[P]]:
    """Keep the pages of a view for visitors.

    ``parameters`` are those of the query that the view reads. It is not shown others, so
    that links with marks of where they were found are one page.
    """

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def cached(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if not _is_visitor(request):
                return view(request, *args, **kwargs)
            _leave_only(request, parameters)
            return _answer(request, lambda: view(request, *args, **kwargs))

        return cached

    return decorate


def _is_visitor(request: HttpRequest) -> bool:
    """Whether nothing about a request tells who sent it, or has something to be told."""
    cookies = request.COOKIES.keys() & {settings.SESSION_COOKIE_NAME, "messages"}
    headers = request.headers.keys() & {"Authorization", "Hx-Request"}
    asks = request.method in ("GET", "HEAD")
    return bool(settings.VISITORS_CACHE_SECONDS) and asks and not cookies and not headers


def _leave_only(request: HttpRequest, parameters: tuple[str, ...]) -> None:
    if set(request.GET) <= set(parameters):
        return
    left = QueryDict(mutable=True)
    for name in parameters:
        if name in request.GET:
            left.setlist(name, request.GET.getlist(name))
    request.META["QUERY_STRING"] = left.urlencode()
    request.GET = QueryDict(request.META["QUERY_STRING"])


def _answer(request: HttpRequest, make: Callable[[], HttpResponse]) -> HttpResponse:
    name = _name(request)
    arrival = _stamp()
    page = _kept(name, arrival)
    if page is not None:
        return _response(request, page)
    with _turn(name):
        page = _kept(name, arrival)
        if page is not None:
            return _response(request, page)
        stamp = _stamp()
        response = make()
        if not _may_be_kept(request, response):
            return response
        page = _page(stamp, response)
        if len(page.body) <= LARGEST:
            caches[CACHE].set(name, page, None)
    return _response(request, page)


def _name(request: HttpRequest) -> str:
    address = (request.get_host(), request.path, sorted(request.GET.lists()))
    return sha256(repr(address).encode()).hexdigest()


def _stamp() -> Stamp:
    at = time.monotonic()
    span = int(timezone.now().timestamp()) // settings.VISITORS_CACHE_SECONDS
    return Stamp(at, (span, *public_version()))


def _kept(name: str, arrival: Stamp) -> Page | None:
    """The page, where nothing has changed since, or it was made since the request arrived."""
    page: Page | None = caches[CACHE].get(name)
    if page is None or (page.stamp.state != arrival.state and page.stamp.at < arrival.at):
        return None
    return page


# A page is made by one thread at a time, and others wait for it; now and then for another's.
_locks = [Lock() for _ in range(256)]


@contextmanager
def _turn(name: str) -> Iterator[None]:
    lock = _locks[int(name[:2], 16)]
    mine = lock.acquire(timeout=PATIENCE)
    try:
        yield
    finally:
        if mine:
            lock.release()


def _page(stamp: Stamp, response: HttpResponse) -> Page:
    etag = f'W/"{sha256(response.content).hexdigest()[:32]}"'
    body = gzip.compress(response.content, 4, mtime=0)
    return Page(stamp, etag, response["Content-Type"], body)


def _may_be_kept(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether a page is nobody's own, and says nothing of how long it may be kept."""
    return (
        response.status_code == 200
        and not response.streaming
        and not response.cookies
        and "Cache-Control" not in response
        and "CSRF_COOKIE_NEEDS_UPDATE" not in request.META
        and not request.session.modified
        and not getattr(get_messages(request), "added_new", False)
    )


def _response(request: HttpRequest, page: Page) -> HttpResponse:
    response = HttpResponse(content_type=page.kind)
    response["ETag"] = page.etag
    # Anyone may keep it, and asks before showing it again.
    response["Cache-Control"] = "public, no-cache"
    patch_vary_headers(response, ("Accept-Encoding", "Cookie"))
    known = get_conditional_response(request, etag=page.etag, response=response)
    if known is not None and known is not response:
        return known
    # Nothing on the page is secret, so that its compressed length tells nothing.
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        response["Content-Encoding"] = "gzip"
        response.content = page.body
    else:
        response.content = gzip.decompress(page.body)
    return response
