"""Reading what the address of a leaderboard asks for; nonsense asks for nothing."""

import math

from django.http import QueryDict

from leaderboard.selectors.board_asked import Asked, External, Filters, Sort
from leaderboard.selectors.presets import presets
from scoring.registry import METRICS

LONGEST = 80
_EXTERNAL: tuple[External, ...] = ("yes", "no")


def asked_of(query: QueryDict) -> Asked:
    """Read an address."""
    preset = query.get("preset", "")
    return Asked(
        every_system=query.get("systems") == "all",
        columns=_columns(query),
        preset=preset if preset in presets() else "",
        sort=Sort.read(query.get("sort", "")),
        own=query.get("own") == "1",
        filters=_filters(query),
        page=_whole(query.get("page", "")),
        as_visitor=query.get("as") == "visitor",
    )


def _columns(query: QueryDict) -> tuple[str, ...] | None:
    if "columns" not in query:
        return None
    asked = set(query.getlist("columns"))
    return ("all",) if "all" in asked else tuple(name for name in METRICS if name in asked)


def _filters(query: QueryDict) -> Filters:
    external = query.get("external", "")
    return Filters(
        q=_words(query.get("q", "")),
        encoder=_words(query.get("encoder", "")),
        decoder=_words(query.get("decoder", "")),
        smallest=_millions(query.get("smallest", "")),
        largest=_millions(query.get("largest", "")),
        external=next((name for name in _EXTERNAL if name == external), ""),
    )


def _words(text: str) -> str:
    return " ".join(text.replace("\0", " ").split())[:LONGEST]


def _millions(text: str) -> float | None:
    try:
        number = float(text[:20])
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _whole(text: str) -> int:
    return int(text[:9]) if text.isascii() and text.isdigit() else 1
