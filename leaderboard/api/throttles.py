"""How often one person or one machine may ask."""

import threading

from django.http import HttpRequest
from django_ratelimit.core import get_usage
from ninja.throttling import BaseThrottle

from leaderboard.visitors import counted_as


class Rate(BaseThrottle):
    """At most so many requests per user, or per address of those who are not known.

    What has the same group and rate shares a count, pages too
    (``views.rate_limits.over_rate``).

    The throttles that come with ninja keep what they count on themselves, where
    two threads of a server would mix it up, and believe every X-Forwarded-For.
    ``rate`` is written as in django-ratelimit, "30/m"; RATELIMIT_ENABLE turns
    all of them off.
    """

    def __init__(self, group: str, rate: str) -> None:
        self._group = group
        self._rate = rate
        self._latest = threading.local()

    def allow_request(self, request: HttpRequest) -> bool:
        """Count a request and tell whether it is still within the rate."""
        usage = get_usage(
            request,
            group=self._group,
            key=lambda _group, request: identity(request),
            rate=self._rate,
            increment=True,
        )
        if usage is None:
            return True
        self._latest.wait = max(1, usage["time_left"])
        return not usage["should_limit"]

    def wait(self) -> float | None:
        """Give the seconds until the count starts anew."""
        return getattr(self._latest, "wait", None)


def identity(request: HttpRequest) -> str:
    """Say for whom a request to the API counts."""
    return counted_as(request, getattr(request, "auth", None))
