"""Requests: who sent them, when they arrived, and logins for parts of pages."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import wraps
from typing import Concatenate, ParamSpec, TypeAlias

from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from leaderboard.models import User

P = ParamSpec("P")


class SignedInRequest(HttpRequest):
    """A request behind a login; htmx's details are added by its middleware."""

    user: User
    htmx: HtmxDetails


View = Callable[Concatenate[SignedInRequest, P], HttpResponse]


def login_required_for_part_of(page: str) -> Callable[[View[P]], View[P]]:
    """Send visitors who are not logged in to log in, and from there to ``page``.

    The view answers with a part of that page, for htmx, which would put the
    login page into the middle of it if it met a plain redirect.
    """

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def checked(request: SignedInRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if request.user.is_authenticated:
                return view(request, *args, **kwargs)
            login = redirect_to_login(reverse(page, kwargs=kwargs))
            return HttpResponseClientRedirect(login.url) if request.htmx else login

        return checked

    return decorate


Visitor: TypeAlias = User | AnonymousUser


_ATTRIBUTE = "_arrived_at"
# Five megabytes at 350 kbit/s. Who sends slowly on purpose, to go on working after a phase has
# closed, gains no more than this.
LONGEST_UPLOAD = timedelta(minutes=2)


def note_arrival(request: HttpRequest) -> None:
    """Note that a request arrives now, before anything of its body is read."""
    setattr(request, _ATTRIBUTE, timezone.now())


def arrived_at(request: HttpRequest) -> datetime:
    """The moment at which a request arrived; the upload of its body counts for two minutes at most.

    Where the body took longer, the request counts as if it had come two minutes ago.
    """
    arrived: datetime | None = getattr(request, _ATTRIBUTE, None)
    now = timezone.now()
    return now if arrived is None else max(arrived, now - LONGEST_UPLOAD)
