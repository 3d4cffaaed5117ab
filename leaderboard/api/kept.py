"""Answers that cost a second to compute, kept as JSON as pages keep their HTML."""

from collections.abc import Callable

from django.http import HttpResponse
from ninja import Schema

from leaderboard.kept import kept


def kept_answer(kind: str, key: tuple[object, ...], make: Callable[[], Schema]) -> HttpResponse:
    """Give what ``make()`` says as JSON, kept under ``kind`` and ``key``.

    Whoever calls has asked whether the visitor may see it.
    """
    text = kept(("json", kind, *key), lambda: make().model_dump_json())
    return HttpResponse(text, content_type="application/json; charset=utf-8")
