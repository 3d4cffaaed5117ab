"""What every page asks of a request first, and how it is shown."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.contrib.auth.decorators import login_required
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def read_page(view: View) -> View:
    """A page that is only looked at, by who is logged in; browsers ask for it anew each time."""
    return login_required(require_safe(never_cache(view)))


def form_page(view: View) -> View:
    """A page with a form that is sent to the same address; else as ``read_page``."""
    return login_required(never_cache(require_http_methods(["GET", "HEAD", "POST"])(view)))


def post_only(view: View) -> View:
    """What a button does; who is logged in is led on to a page."""
    return login_required(require_POST(view))


def show_page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any],
    *,
    status: int | None = None,
) -> HttpResponse:
    """Show a page; where no status is given, it is 422 if a form on it has faults."""
    if status is None:
        forms = (one for one in context.values() if isinstance(one, BaseForm))
        status = 422 if any(form.errors for form in forms) else 200
    return render(request, f"annotation/{template}.html", context, status=status)


def whole_number(text: str | None) -> int | None:
    """The number that an address or a form has; None for none, and for more than databases keep."""
    good = text is not None and text.isascii() and text.isdigit() and len(text) < 19
    return int(text) if good and text else None
