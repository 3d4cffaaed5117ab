"""Keeping one person from taking the machine's time from all others."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from django.http import HttpRequest, HttpResponse
from django_ratelimit.core import is_ratelimited

from leaderboard.visitors import counted_as

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
                told = TOO_MANY.format(wait=WAIT[rate[-1]])
                return HttpResponse(told, status=429, content_type="text/plain; charset=utf-8")
            return view(request, *args, **kwargs)

        return limited

    return decorate


def over_rate(request: HttpRequest, group: str, rate: str) -> bool:
    """Count a post of a visitor, and tell whether it is one too many.

    Parts of the API with the same group and rate share the count (``api.throttles.Rate``).
    """
    if request.method != "POST":
        return False
    limited: bool = is_ratelimited(
        request,
        group=group,
        key=lambda _group, request: visitor(request),
        rate=rate,
        increment=True,
    )
    return limited


def visitor(request: HttpRequest) -> str:
    """Say for whom a request to a page counts."""
    return counted_as(request, request.user)
