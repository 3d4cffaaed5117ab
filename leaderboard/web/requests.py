"""Requests: who sent them, when they arrived, and what pages for who is logged in ask first."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from leaderboard.models import User
from leaderboard.web.rate_limits import rate_limited

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


# Set by ``ArrivalMiddleware`` before anything of the body is read.
ARRIVED = "_arrived_at"
# Five megabytes at 350 kbit/s. Who sends slowly on purpose, to go on working after a phase has
# closed, gains no more than this.
LONGEST_UPLOAD = timedelta(minutes=2)


def note_arrival(request: HttpRequest) -> None:
    """Note the moment at which a request arrived, before its body is read."""
    setattr(request, ARRIVED, timezone.now())


def arrived_at(request: HttpRequest) -> datetime:
    """The moment at which a request arrived; the upload of its body counts for two minutes at most.

    Where the body took longer, the request counts as if it had come two minutes ago.
    """
    arrived: datetime | None = getattr(request, ARRIVED, None)
    now = timezone.now()
    return now if arrived is None else max(arrived, now - LONGEST_UPLOAD)


V = TypeVar("V", bound=Callable[..., HttpResponseBase])


def signed_in_page(view: V) -> V:
    """A page to read, which no browser keeps."""
    return login_required(never_cache(require_safe(view)))


def signed_in_part(page: str) -> Callable[[V], V]:
    """A part of a page to read, which no browser keeps; who is not logged in goes to the page."""
    part_of: Any = login_required_for_part_of(page)
    return lambda view: part_of(never_cache(require_safe(view)))


def signed_in_form(group: str = "", rate: str = "") -> Callable[[V], V]:
    """A page with a form, which no browser keeps; limited where there is a ``rate``."""
    ask: Any = require_http_methods(["GET", "HEAD", "POST"])
    return lambda view: login_required(never_cache(_limited(ask(view), group, rate)))


def signed_in_act(group: str = "", rate: str = "") -> Callable[[V], V]:
    """What a button does: posts alone, limited where there is a ``rate``."""
    return lambda view: login_required(never_cache(_limited(require_POST(view), group, rate)))


def _limited(view: Any, group: str, rate: str) -> Any:
    return rate_limited(group, rate)(view) if rate else view
