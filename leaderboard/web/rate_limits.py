"""Rate limits for pages and the API, per user or network."""

import threading
from collections.abc import Callable
from functools import wraps
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, Concatenate, ParamSpec, TypeVar

from allauth.account.adapter import get_adapter
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django_ratelimit.core import get_usage
from ninja.throttling import BaseThrottle

from leaderboard.models import User

P = ParamSpec("P")
R = TypeVar("R", bound=HttpRequest)
View = Callable[Concatenate[R, P], HttpResponse]

# By the last letter of a rate.
WAIT = {"s": "a moment", "m": "a minute", "h": "an hour", "d": "a day"}
TOO_MANY = "Too many requests in a short time. Wait {wait}, then try again."


def rate_limited(group: str, rate: str) -> Callable[[View[R, P]], View[R, P]]:
    """Answer 429 where one visitor posts more often than ``rate`` ("30/m").

    Views with the same group share one count. The body of a refused request
    is not parsed.
    """

    def decorate(view: View[R, P]) -> View[R, P]:
        @wraps(view)
        def limited(request: R, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if over_rate(request, group, rate):
                message = TOO_MANY.format(wait=WAIT[rate[-1]])
                return HttpResponse(message, status=429, content_type="text/plain; charset=utf-8")
            return view(request, *args, **kwargs)

        return limited

    return decorate


def over_rate(request: HttpRequest, group: str, rate: str) -> bool:
    """Count a post of a visitor; returns whether it is over the rate.

    Parts of the API with the same group and rate share the count (``Rate``).
    """
    if request.method != "POST":
        return False
    usage = counted(request, group, rate, visitor(request))
    return usage is not None and bool(usage["should_limit"])


def counted(request: HttpRequest, group: str, rate: str, who: str) -> dict[str, Any] | None:
    """Count a request for whom it counts; None where nothing is limited."""
    usage: dict[str, Any] | None = get_usage(
        request, group=group, key=lambda _group, _request: who, rate=rate, increment=True
    )
    return usage


def visitor(request: HttpRequest) -> str:
    """Whom a request to a page counts for."""
    return rate_limit_key(request, request.user)


# Who has one IPv6 address mostly has all 2 ** 64 of its network, and could count as so many.
IPV6_NETWORK = 64


def rate_limit_key(request: HttpRequest, user: object) -> str:
    """Whom a request counts for: the user, else the network that it comes from.

    The same for pages and the API. The address is the one that proxies we trust give.
    """
    if isinstance(user, User):
        return f"user:{user.pk}"
    try:
        return f"address:{network_of(get_adapter().get_client_ip(request))}"
    except PermissionDenied:
        return "address:unknown"


def network_of(address: str) -> str:
    """An IPv4 address as it is; of an IPv6 address the first 64 bits."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((int(parsed), IPV6_NETWORK), strict=False))


class Rate(BaseThrottle):
    """At most so many requests per user, or per address of those who are not known.

    What has the same group and rate shares a count, pages too
    (``over_rate``).

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
        """Count a request; returns whether it is still within the rate."""
        usage = counted(request, self._group, self._rate, identity(request))
        if usage is None:
            return True
        self._latest.wait = max(1, usage["time_left"])
        return not usage["should_limit"]

    def wait(self) -> float | None:
        """Seconds until the count starts anew."""
        return getattr(self._latest, "wait", None)


def identity(request: HttpRequest) -> str:
    """Whom a request to the API counts for."""
    return rate_limit_key(request, getattr(request, "auth", None))
