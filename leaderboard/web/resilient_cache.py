"""A cache on Redis that goes on without Redis.

Limits and marks are then counted in the memory of each process, for as long as Redis is away.
That is less strict with several processes, and better than a site on which nobody can log in.
"""

import logging
import threading
import time
from collections.abc import Callable
from operator import methodcaller
from typing import Any, TypeVar

from django.core.cache import caches
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

# Redis that was away is asked again after this long; others do not wait for it meanwhile.
SECONDS_WITHOUT = 10.0
# A server that takes connections and then says nothing must not hold every page.
TIMEOUTS = {"socket_connect_timeout": 1, "socket_timeout": 1}

Result = TypeVar("Result")


class _Outage:
    """Whether one Redis is away, known to all threads of the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until = 0.0
        self.away = False

    def skips(self) -> bool:
        return self.away and time.monotonic() < self._until

    def begins(self, error: Exception) -> None:
        with self._lock:
            self._until = time.monotonic() + SECONDS_WITHOUT
            if not self.away:
                logger.error("The cache is away; each process counts for itself: %s", error)
            self.away = True

    def ends(self) -> None:
        with self._lock:
            if self.away:
                logger.warning("The cache is back")
            self.away = False


_outages: dict[str, _Outage] = {}


def _asked(name: str) -> Any:
    """A method of Django's caches, of the one on Redis or else of the one in memory."""

    def method(self: "ResilientRedisCache", *args: Any, **kwargs: Any) -> Any:
        return self._ask(methodcaller(name, *args, **kwargs))

    return method


class ResilientRedisCache(BaseCache):
    """Django's cache on Redis, and one in memory wherever Redis does not answer."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        options = {**TIMEOUTS, **params.get("OPTIONS", {})}
        self._redis = RedisCache(server, {**params, "OPTIONS": options})
        self._memory = LocMemCache(f"without {server}", {**params, "OPTIONS": {}})
        self._outage = _outages.setdefault(server, _Outage())

    @property
    def away(self) -> bool:
        """Whether Redis did not answer when it was last asked."""
        return self._outage.away

    def _ask(self, question: Callable[[BaseCache], Result]) -> Result:
        if not self._outage.skips():
            try:
                answer = question(self._redis)
            except (RedisError, OSError) as error:
                self._outage.begins(error)
            else:
                self._outage.ends()
                return answer
        return question(self._memory)

    add = _asked("add")
    get = _asked("get")
    set = _asked("set")
    touch = _asked("touch")
    delete = _asked("delete")
    has_key = _asked("has_key")
    incr = _asked("incr")
    clear = _asked("clear")


def cache_is_away() -> bool:
    """Whether the shared cache did not answer when it was last asked."""
    cache = caches["default"]
    return isinstance(cache, ResilientRedisCache) and cache.away
