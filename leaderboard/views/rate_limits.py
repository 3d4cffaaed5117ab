"""Keeping one person from taking the machine's time from all others."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from allauth.account.adapter import get_adapter
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django_ratelimit.core import is_ratelimited

P = ParamSpec("P")
R = TypeVar("R", bound=HttpRequest)
View = Callable[Concatenate[R, P], HttpResponse]

TOO_MANY = "Too many requests in a short time. Wait a minute, then try again."


def rate_limited(group: str, rate: str) -> Callable[[View[R, P]], View[R, P]]:
    """Answer 429 where one visitor posts more often than ``rate`` ("30/m").

    Views with the same group share one count. The body of a refused request
    is not parsed.
    """

    def decorate(view: View[R, P]) -> View[R, P]:
        @wraps(view)
        def limited(request: R, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if over_rate(request, group, rate):
                return HttpResponse(TOO_MANY, status=429, content_type="text/plain; charset=utf-8")
            return view(request, *args, **kwargs)

        return limited

    return decorate


def over_rate(request: HttpRequest, group: str, rate: str) -> bool:
    """Count a post of a visitor, and tell whether it is one too many."""
    limited: bool = is_ratelimited(
        request,
        group=group,
        key=lambda _group, request: visitor(request),
        rate=rate,
        method="POST",
        increment=True,
    )
    return limited


def visitor(request: HttpRequest) -> str:
    """Say for whom a request counts: the user, else the address that proxies we trust give."""
    if request.user.is_authenticated:
        return f"user:{request.user.pk}"
    try:
        return f"address:{get_adapter().get_client_ip(request)}"
    except PermissionDenied:
        return "address:unknown"
