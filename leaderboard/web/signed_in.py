"""What pages for who is logged in ask of a request first."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.contrib.auth.decorators import login_required
from django.http import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard.web.rate_limits import rate_limited
from leaderboard.web.requests import login_required_for_part_of

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
