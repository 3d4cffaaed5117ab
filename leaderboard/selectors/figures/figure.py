"""What a page needs to draw a figure, and to say the same in a table; names at ends of lines.

Colours are given in the browser from the style sheet. A trace says which it wants in
its ``meta``: ``tone`` 0 to 5 for one of the series, "soft" for the background, "ink", and
``scale`` "share", "diverging" or "steps" for a heatmap, "wash" for a density behind points;
without, it takes the accent.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, TypeVar

from django.urls import reverse

from earmark.registry import METRICS, MetricInfo

# Lines and dots differ in form as well as in colour.
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star")
# A legend above the lines, from their left edge on; it needs about 48 pixels of margin.
LEGEND_ABOVE = {
    "orientation": "h",
    "x": 0,
    "y": 1.02,
    "yanchor": "bottom",
    "traceorder": "normal",
}
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Numbers:
    """The table under a figure: rows of texts, the first cell of each its heading.

    The other columns are numbers, aligned to the right.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def of(
        cls,
        headings: Iterable[str],
        names: Iterable[str],
        rows: Iterable[Iterable[T]],
        text: Callable[[T], str] = str,
    ) -> "Numbers":
        """Rows of values as ``text`` writes them, each behind its name."""
        named = zip(names, rows, strict=True)
        return cls(tuple(headings), tuple((name, *map(text, row)) for name, row in named))


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure.

    ``name`` is its id on the page and the name of exported files, ``title`` says
    what it shows, ``alt`` the same for those who cannot see it. ``links`` are
    the addresses that the points of the first trace open, where they open any;
    ``about`` are the metrics whose numbers it shows, each of which has a page.
    ``guide`` is the document that says how they are computed, as "reference/leaderboard#anchor".
    ``point`` says what a point of its lines is of, where it draws lines: one point is no line.
    """

    name: str
    title: str
    alt: str
    data: list[dict[str, Any]]
    layout: dict[str, Any]
    numbers: Numbers
    links: tuple[str, ...] = ()
    square: bool = False
    about: tuple[MetricInfo, ...] = ()
    point: str = ""
    guide: str = ""

    @property
    def guide_url(self) -> str:
        """The address of the guide, empty where there is none."""
        document, _, anchor = self.guide.partition("#")
        if not document:
            return ""
        address = reverse("leaderboard:document", args=[document])
        return f"{address}#{anchor}" if anchor else address

    @property
    def missing(self) -> str:
        """Why it is not drawn: no line of it has two points. Empty where it is drawn."""
        if not self.point:
            return ""
        points = (sum(y is not None for y in trace["y"]) for trace in self.data)
        if (most := max(points, default=0)) > 1:
            return ""
        there = "There is only one" if most else "There is none yet"
        return f"A line needs at least two points, one for every {self.point}. {there}."

    @property
    def plot(self) -> dict[str, Any]:
        """What the browser draws."""
        return {
            "data": self.data,
            "layout": self.layout,
            "links": list(self.links),
            "missing": self.missing,
        }


def about(*names: str) -> tuple[MetricInfo, ...]:
    """The metrics of these names, each once."""
    return tuple(METRICS[name] for name in dict.fromkeys(names))


def base_layout(height: int, **own: Any) -> dict[str, Any]:
    """The layout that all figures share, updated by ``own``."""
    return {
        "height": height,
        "showlegend": False,
        "margin": {"l": 56, "r": 16, "t": 16, "b": 48},
        "hovermode": "closest",
        **own,
    }


def axis(title: str, **own: Any) -> dict[str, Any]:
    """An axis whose title keeps clear of its numbers and which does not zoom by accident."""
    return {"title": {"text": title, "standoff": 8}, "fixedrange": True, "zeroline": False, **own}


def line(
    name: str, x: Sequence[Any], y: Sequence[Any], *, mode: str = "lines+markers", **own: Any
) -> dict[str, Any]:
    """A line through its points, or the points alone where ``mode`` says so."""
    return {"type": "scatter", "mode": mode, "name": name, "x": x, "y": y, **own}


def note(text: str, x: float, **own: Any) -> dict[str, Any]:
    """A text above the upper edge of the plot, where ``x`` is on its axis."""
    place = {"x": x, "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False}
    return {**place, "text": text, **own}


def upright(x: float) -> dict[str, Any]:
    """A line from the lower to the upper edge of the plot."""
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper"}


def shortened(name: str, most: int = 22) -> str:
    """A name, cut with an ellipsis where it is longer than ``most`` characters."""
    return name if len(name) <= most else f"{name[: most - 1].rstrip()}…"


def shortened_within(name: str, most: int) -> str:
    """A name, its middle left out where it is long: names often differ at their end alone."""
    if len(name) <= most:
        return name
    end = (most - 1) // 2
    return f"{name[: most - 1 - end].rstrip()}…{name[-end:].lstrip()}"


def shortened_apart(names: Sequence[str], most: int = 22) -> list[str]:
    """Names cut to ``most`` characters, each told apart from the others.

    Those that ``shortened_within`` would cut alike are cut where they differ; names that are
    the same get numbers.
    """
    cut = [shortened_within(name, most) for name in names]
    for text in [text for text, count in Counter(cut).items() if count > 1]:
        alike = [at for at, one in enumerate(cut) if one == text and len(names[at]) > most]
        letters = zip(*(names[at] for at in alike), strict=False)
        shared = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, letters))
        for at in alike:
            cut[at] = _shortened_from(names[at], shared, most)
    return numbered(cut, most)


def numbered(names: Iterable[str], most: int | None = None) -> list[str]:
    """Names told apart by numbers where they are the same, in at most so many characters."""
    labels: dict[str, None] = {}
    for name in names:
        candidate, number = name, 1
        while candidate in labels:
            number += 1
            mark = f" ({number})"
            candidate = (name if most is None else shortened(name, most - len(mark))) + mark
        labels[candidate] = None
    return list(labels)


def _shortened_from(name: str, differs: int, most: int) -> str:
    """The beginning of a name, and the word in which it differs from others."""
    word = max(name.rfind(" ", 0, differs) + 1, differs - 4)
    begin = name[: min(word, most // 3)].rstrip()
    return f"{begin}…{shortened(name[word:], most - 1 - len(begin))}"


def plain(text: str) -> str:
    """Make a text harmless where Plotly reads a little markup and fills in templates."""
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return safe.replace("%{", "%\N{WORD JOINER}{")


def three(value: float | None) -> str:
    """Write a number with three decimals, nothing for what is not defined."""
    return "" if value is None else f"{value:.3f}"


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
