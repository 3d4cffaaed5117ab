"""Parts of pages that cost a second to make and are the same for all who may see them."""

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from leaderboard.kept import admit_within_rate, kept
from leaderboard.views.rate_limits import visitor


def part_of_page(
    request: HttpRequest,
    template: str,
    key: tuple[object, ...],
    make: Callable[[], Mapping[str, Any]],
) -> SafeString:
    """Give what the template makes of ``make()``, kept under ``key``; raises ``Busy``.

    Whoever calls has asked whether the visitor may see it; the template gets no
    request, so that nothing of one visitor reaches another.
    """
    html = kept(
        (template, *key),
        lambda: str(render_to_string(template, dict(make()))),
        lambda: admit_within_rate(request, visitor(request)),
    )
    safe: SafeString = mark_safe(html)  # noqa: S308 rendered by a template, which escapes
    return safe
