"""What views know about a request once it has passed their decorators."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
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
