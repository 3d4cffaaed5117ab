"""Answers that cost a second to compute, kept as JSON as pages keep their HTML."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from ninja import Schema

from leaderboard.api.throttles import identity
from leaderboard.kept import admit_within_rate, kept


def kept_answer(
    request: HttpRequest, kind: str, key: tuple[object, ...], make: Callable[[], Schema]
) -> HttpResponse:
    """Give what ``make()`` says as JSON, kept under ``kind`` and ``key``; raises ``Busy``.

    Whoever calls has asked whether the visitor may see it.
    """
    text = kept(
        ("json", kind, *key),
        lambda: make().model_dump_json(),
        lambda: admit_within_rate(request, identity(request)),
    )
    return HttpResponse(text, content_type="application/json; charset=utf-8")
