"""What costs a second to compute and is the same for all who may see it, kept for a while."""

from collections.abc import Callable
from hashlib import sha256
from threading import Lock

from django.core.cache import caches

# A cache of its own: what visitors fill must not push out what limits their rates.
CACHE = "parts"
SECONDS = 600
# One at a time in a process: many visitors at once must not cost many times the memory.
_making = Lock()


def kept(key: tuple[object, ...], make: Callable[[], str]) -> str:
    """Give the text that ``make()`` makes, kept under ``key``.

    Whoever calls has asked whether the visitor may see it; ``make`` knows nothing
    of the visitor, and keeps nothing itself.
    """
    cache = caches[CACHE]
    name = sha256(repr(key).encode()).hexdigest()
    text: str | None = cache.get(name)
    if text is None:
        with _making:
            text = cache.get(name)
            if text is None:
                text = make()
                cache.set(name, text, SECONDS)
    return text
