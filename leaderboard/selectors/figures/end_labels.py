"""Names at the ends of lines, instead of a legend far from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.selectors.figures.figure import plain, shortened_apart

_APART = 14  # pixels between two names
_LETTERS = 17  # as many as have room beside the lines on a phone
ROOM = 122  # pixels beside the lines


@dataclass(frozen=True, slots=True)
class LineEnd:
    """An end of a line; ``pixels`` is how far it lies below the upper end of the axis."""

    name: str
    y: float
    pixels: float
    tone: int | str


def end_labels(
    ends: Sequence[LineEnd], x: str, height: float, *, left: bool = False
) -> list[dict[str, Any]]:
    """Annotations right of the ``ends``, which lie at ``x`` on an axis of ``height`` pixels.

    ``left``: they stand left of them, where the lines begin. Where ends lie close together
    names move apart, each tied to its end by a short rule.
    """
    places = spread_apart([end.pixels for end in ends], height)
    names = shortened_apart([end.name for end in ends], _LETTERS)
    return [
        {
            "x": x,
            "y": end.y,
            "text": plain(name),
            "showarrow": True,
            "arrowhead": 0,
            "arrowwidth": 1.5,
            "standoff": 5,
            "ax": -18 if left else 18,
            "ay": round(place - end.pixels, 1),
            "xanchor": "right" if left else "left",
            "borderpad": 0,
            "tone": end.tone,
        }
        for end, place, name in zip(ends, places, names, strict=True)
    ]


def spread_apart(wanted: Sequence[float], height: float) -> list[float]:
    """Places (pixels) near those wanted, in their order, with room for names, within the height.

    Where that many do not fit into the height they stand closer.
    """
    least = min(_APART, height / max(1, len(wanted) - 1))
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    places = [0.0] * len(wanted)
    before = -least
    for at in order:
        before = places[at] = max(wanted[at], before + least)
    after = height + least
    for at in reversed(order):
        after = places[at] = min(places[at], after - least)
    return places
