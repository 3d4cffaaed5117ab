"""Parts of pages that cost a second to make and are the same for all who may see them."""

from collections.abc import Callable, Mapping
from hashlib import sha256
from threading import Lock
from typing import Any

from django.core.cache import caches
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

# A cache of its own: what visitors fill must not push out what limits their rates.
CACHE = "parts"
SECONDS = 600
# One at a time in a process: many visitors at once must not cost many times the memory.
_making = Lock()


def part_of_page(
    template: str, key: tuple[object, ...], make: Callable[[], Mapping[str, Any]]
) -> SafeString:
    """Give what the template makes of ``make()``, kept under ``key``.

    Whoever calls has asked whether the visitor may see it; the template gets no
    request, so that nothing of one visitor reaches another.
    """
    cache = caches[CACHE]
    name = sha256(repr((template, *key)).encode()).hexdigest()
    html = cache.get(name)
    if html is None:
        with _making:
            html = cache.get(name)
            if html is None:
                html = str(render_to_string(template, dict(make())))
                cache.set(name, html, SECONDS)
    safe: SafeString = mark_safe(html)  # noqa: S308 rendered by a template, which escapes
    return safe
