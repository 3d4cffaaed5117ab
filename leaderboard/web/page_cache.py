"""A cache of parts of pages that are costly to compute and the same for all who may see them."""

import zlib
from collections.abc import Callable, Mapping
from hashlib import sha256
from threading import Lock
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from ninja import Schema

from leaderboard.web.rate_limits import counted, identity, visitor

# A cache of its own: what visitors fill must not push out what limits their rates.
CACHE = "parts"
SECONDS = 600
# Longer than most things take; more waiting threads would leave none to answer.
PATIENCE = 5.0
# One at a time in a process: many visitors at once must not cost many times the memory.
_computing = Lock()


class Busy(Exception):
    """Not computed now; ``status`` is 429 where one visitor requests too much, else 503."""

    def __init__(self, status: int, reason: str, wait: int) -> None:
        super().__init__(reason)
        self.status = status
        self.wait = wait


def cached_text(key: tuple[object, ...], make: Callable[[], str], admit: Callable[[], None]) -> str:
    """The cached text under ``key``, made by ``make()`` where there is none; raises ``Busy``.

    The caller has checked that the visitor may see it; ``make`` knows nothing of the
    visitor and stores nothing. Before anything is made, ``admit()`` raises ``Busy`` for
    visitors who request too much.
    """
    name = sha256(repr(key).encode()).hexdigest()
    text = _lookup(name)
    if text is not None:
        return text
    admit()
    if not _computing.acquire(timeout=PATIENCE):
        raise Busy(503, "Much is being computed just now. Wait a moment, then try again.", 5)
    try:
        text = _lookup(name)
        if text is None:
            text = make()
            # Half a megabyte of HTML and numbers becomes a tenth of it.
            caches[CACHE].set(name, zlib.compress(text.encode(), 1), SECONDS)
    finally:
        _computing.release()
    return text


def _lookup(name: str) -> str | None:
    packed: bytes | None = caches[CACHE].get(name)
    return None if packed is None else zlib.decompress(packed).decode()


def parts_rate_check(request: HttpRequest, visitor: str) -> None:
    """Count something to be made for a visitor; raises ``Busy`` beyond ``PARTS_RATE``."""
    usage = counted(request, "parts", settings.PARTS_RATE, visitor)
    if usage is not None and usage["should_limit"]:
        wait = max(1, usage["time_left"])
        raise Busy(429, "Too many different views in a short time. Wait a minute.", wait)


def cached_fragment(
    request: HttpRequest,
    template: str,
    key: tuple[object, ...],
    make: Callable[[], Mapping[str, Any]],
) -> SafeString:
    """The cached HTML that the template makes of ``make()``, under ``key``; raises ``Busy``.

    The caller has checked that the visitor may see it; the template gets no request, so
    that nothing of one visitor reaches another.
    """
    html = cached_text(
        (template, *key),
        lambda: str(render_to_string(template, dict(make()))),
        lambda: parts_rate_check(request, visitor(request)),
    )
    safe: SafeString = mark_safe(html)  # noqa: S308 rendered by a template, which escapes
    return safe


def cached_json(
    request: HttpRequest, kind: str, key: tuple[object, ...], make: Callable[[], Schema]
) -> HttpResponse:
    """The cached JSON of ``make()``, kept under ``kind`` and ``key``; raises ``Busy``.

    The caller has checked that the visitor may see it.
    """
    text = cached_text(
        ("json", kind, *key),
        lambda: make().model_dump_json(),
        lambda: parts_rate_check(request, identity(request)),
    )
    return HttpResponse(text, content_type="application/json; charset=utf-8")
