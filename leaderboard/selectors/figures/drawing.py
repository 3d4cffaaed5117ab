"""Figures as SVG and PNG files for papers, in the light colours of the site.

For lines, dots and matrices, which is what the results of a phase have; in the browser Plotly
draws all figures.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any, Literal
from warnings import catch_warnings, filterwarnings

from django.conf import settings
from matplotlib import dates, rc_context
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure as Canvas

from leaderboard.selectors.figures.figure import SYMBOLS, Figure

Kind = Literal["svg", "png"]
_WIDTH = 760  # pixels, as wide as on a page
_PER_INCH = 100
# Text stays text, and the same figure gives the same bytes.
_STYLE: Any = {"svg.fonttype": "none", "svg.hashsalt": "earmark", "font.size": 9}
# Plotly's names of ``figure.SYMBOLS``.
_SIGNS = dict(zip(SYMBOLS, "osD^P*", strict=True))
_DATES: Any = dates  # it has no types
_NO_DATE: Mapping[Kind, dict[str, str | None]] = {"svg": {"Date": None}, "png": {"Software": None}}


def drawn(figure: Figure, kind: Kind) -> bytes:
    """Draw a figure; raises ``ValueError`` for traces that are neither lines nor matrices."""
    height = figure.layout["height"]
    output = BytesIO()
    # Names in scripts that its typeface lacks are boxes in the PNG, and text in the SVG.
    with rc_context(_STYLE), catch_warnings():
        filterwarnings("ignore", message="Glyph")
        canvas = Canvas(figsize=(_WIDTH / _PER_INCH, height / _PER_INCH), layout="constrained")
        axes = canvas.add_subplot()
        axes.spines[["top", "right"]].set_visible(False)
        if figure.data[0]["type"] == "heatmap":
            _matrix(canvas, axes, figure)
        else:
            _lines(axes, figure)
        canvas.savefig(output, format=kind, dpi=2 * _PER_INCH, metadata=_NO_DATE[kind])
    return output.getvalue()


@cache
def _colours() -> dict[str, str]:
    """The light colours of the style sheet by name: its first ones."""
    sheet = Path(str(settings.STATICFILES_DIRS[0])) / "css" / "tokens.css"
    pairs = re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", sheet.read_text(encoding="utf-8"))
    return dict(reversed(pairs))


def _tone(tone: int | str | None) -> str:
    colours = _colours()
    if isinstance(tone, int):
        return colours[f"series-{tone}"]
    return colours[{"soft": "rule-strong", "ink": "ink"}.get(tone or "", "mark")]


def _text(markup: str) -> str:
    """What Plotly would show of a text (see ``figure.plain``)."""
    return unescape(markup.replace("<br>", "\n").replace("\N{WORD JOINER}", ""))


def _lines(axes: Axes, figure: Figure) -> None:
    x, y = _places(figure, "x"), _places(figure, "y")
    for trace in figure.data:
        if trace["type"] != "scatter":
            raise ValueError(f"A trace of the type {trace['type']} cannot be drawn into a file.")
        points = [
            (x(one), y(other))
            for one, other in zip(trace["x"], trace["y"], strict=True)
            if other is not None
        ]
        sides = [[point[0] for point in points], [point[1] for point in points]]
        marker = trace.get("marker", {})
        symbol, size = marker.get("symbol", "circle"), marker.get("size", 6)
        symbols = symbol if isinstance(symbol, list) else [symbol] * len(points)
        sizes = size if isinstance(size, list) else [size] * len(points)
        colour = _tone(trace.get("meta", {}).get("tone"))
        if "lines" in trace["mode"]:
            way = trace.get("line", {})
            style = "steps-post" if way.get("shape") == "hv" else "default"
            axes.plot(
                *zip(*points, strict=True), color=colour, lw=way.get("width", 2) * 0.7, ds=style
            )
        for point, sign, wide in zip(points, symbols, sizes, strict=False):
            axes.plot(
                *point,
                marker=_SIGNS[sign.removesuffix("-open")],
                color=colour,
                mfc="none" if sign.endswith("-open") else colour,
                ms=wide * 0.7,
            )
        if ends := trace.get("error_x"):
            reach = [ends["arrayminus"], ends["array"]]
            axes.errorbar(sides[0], sides[1], xerr=reach, fmt="none", ecolor=colour, lw=1.5)
    axes.grid(color=_colours()["rule"], lw=0.6)
    axes.set_axisbelow(True)
    _scaled(axes, figure)
    for mark in figure.layout.get("shapes", ()):
        # Brackets, so many pixels right of the plot.
        axes.plot(
            [1 + mark[end] / _WIDTH for end in ("x0", "x1")],
            (mark["y0"], mark["y1"]),
            color=_colours()["ink"],
            lw=1.2,
            transform=axes.get_yaxis_transform(),
            clip_on=False,
        )
    for label in figure.layout.get("annotations", ()):
        _label(axes, label, x, y)


def _places(figure: Figure, axis: str) -> Any:
    """What gives the place of a value on an axis: of names in their order, of times, of numbers."""
    kind = figure.layout[f"{axis}axis"].get("type")
    if kind == "category":
        names = {name: at for at, name in enumerate(_names(figure, axis))}
        return names.__getitem__
    if kind == "date":
        return lambda time: float(_DATES.date2num(datetime.fromisoformat(time)))
    return lambda number: number


def _names(figure: Figure, axis: str) -> list[str]:
    return list(dict.fromkeys(name for trace in figure.data for name in trace[axis]))


def _scaled(axes: Axes, figure: Figure) -> None:
    """Titles, ends and marks of both axes."""
    for name, axis, limit in (("x", axes.xaxis, axes.set_xlim), ("y", axes.yaxis, axes.set_ylim)):
        layout = figure.layout[f"{name}axis"]
        axis.set_label_text(_text(layout["title"]["text"]))
        if layout.get("side") == "right":
            axes.yaxis.tick_right()
            axes.yaxis.set_label_position("right")
        ends = layout.get("range")
        if layout.get("type") == "log":
            (axes.set_yscale if name == "y" else axes.set_xscale)("log")
            axis.set_ticks(layout["tickvals"], map(str, layout["tickvals"]))
            axis.minorticks_off()
            ends = [10**end for end in ends]
        elif layout.get("type") == "date":
            locator = _DATES.AutoDateLocator()
            axis.set_major_locator(locator)
            axis.set_major_formatter(_DATES.ConciseDateFormatter(locator))
            place = _places(figure, name)
            ends = ends and [place(end) for end in ends]
        elif layout.get("type") == "category":
            names = [_text(text) for text in _names(figure, name)]
            turned: Any = {"rotation": 45, "ha": "right"} if layout.get("tickangle") else {}
            axis.set_ticks(range(len(names)), names, parse_math=False, **turned)
        elif step := layout.get("dtick"):
            low, high = sorted(ends)
            first = layout["tick0"]
            axis.set_ticks([at for at in range(first, int(high) + 1, step) if at >= low])
        if ends:
            limit(*ends)
        elif layout.get("autorange") == "reversed":
            limit(len(_names(figure, name)) - 0.5, -0.5)


def _label(axes: Axes, label: Mapping[str, Any], x: Any, y: Any) -> None:
    """A text beside a point, or at a place of the figure."""
    paper = label.get("xref") == "paper", label.get("yref") == "paper"
    place = (label["x"] if paper[0] else x(label["x"]), label["y"] if paper[1] else y(label["y"]))
    across, up = ("axes fraction" if one else "data" for one in paper)
    axes.annotate(
        _text(label["text"]),
        place,
        xytext=(label.get("ax", 0) * 0.72, -label.get("ay", 0) * 0.72),
        xycoords=(across, up),
        textcoords="offset points",
        ha=label.get("xanchor", "center"),
        va="bottom" if label.get("yanchor") == "bottom" else "center",
        arrowprops={"arrowstyle": "-", "color": _tone(label.get("tone"))}
        if label.get("showarrow")
        else None,
        parse_math=False,
        annotation_clip=False,
    )


def _matrix(canvas: Canvas, axes: Axes, figure: Figure) -> None:
    """A matrix with the numbers in its cells and its key beside it."""
    matrix, key = figure.data
    values = [[float("nan") if x is None else x for x in row] for row in matrix["z"]]
    colours = _colours()
    ends: Sequence[str] = (colours["paper"], colours["mark"])
    if matrix["meta"]["scale"] == "diverging":
        ends = (colours["series-1"], *ends)
    scale = LinearSegmentedColormap.from_list("site", list(ends))
    picture = axes.imshow(
        values, cmap=scale, vmin=key["zmin"], vmax=key["zmax"], aspect="auto", alpha=0.7
    )
    for down, row in enumerate(matrix["text"]):
        for across, cell in enumerate(row):
            axes.text(across, down, _text(cell), ha="center", va="center", fontsize=6)
    columns, rows = (list(map(_text, matrix[axis])) for axis in ("x", "y"))
    axes.set_xticks(range(len(columns)), columns, rotation=45, ha="right", parse_math=False)
    axes.set_yticks(range(len(rows)), rows, parse_math=False)
    axes.spines[:].set_visible(False)
    bar = canvas.colorbar(picture, ax=axes, shrink=0.6)
    bar.set_label(_text(figure.layout["annotations"][0]["text"]))
