"""How pages are shown, and what their addresses say."""

from collections.abc import Mapping
from typing import Any

from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


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
