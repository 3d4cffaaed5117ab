"""Matrices as heatmaps with a key; of symmetric ones each pair once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaderboard.selectors.analysis.clip_scores import Floats
from leaderboard.selectors.figures.figure import axis, base_layout, note, numbered, plain

_KEY, _BAR = 56, 0.24  # pixels of the key with its numbers, and the part of its colours
CHANCE = 0.05  # from this p-value on, a difference is not significant
# The classes of p-values, each from its bound down to that of the next.
P_CLASSES = ((1.0, "n.s."), (CHANCE, "< .05"), (0.01, "< .01"), (0.001, "< .001"))
SHARES = ((0, "0 %"), (0.5, "50 %"), (1, "100 %"))


@dataclass(frozen=True, slots=True)
class Key:
    """What the colours of a matrix mean: from ``low`` to ``high``, in so many ``steps``."""

    title: str
    scale: str
    low: float
    high: float
    marks: tuple[tuple[float, str], ...]
    steps: int = 64

    @property
    def trace(self) -> dict[str, Any]:
        """The colours in their order. Plotly's own key breaks our content security policy."""
        width = (self.high - self.low) / self.steps
        values = [round(self.low + (at + 0.5) * width, 6) for at in range(self.steps)]
        return {
            "type": "heatmap",
            "x": values,
            "y": [0],
            "z": [values],
            "zmin": self.low,
            "zmax": self.high,
            "xaxis": "x2",
            "yaxis": "y2",
            "showscale": False,
            # Without a gap Plotly draws a picture with a style attribute, which is refused, too.
            "ygap": 1,
            "hoverinfo": "skip",
            "meta": {"scale": self.scale},
        }


def matrix_traces(
    values: Floats,
    columns: Sequence[str],
    rows: Sequence[str],
    key: Key,
    *,
    cell: Callable[[float], str],
    spoken: Callable[[float], str] | None = None,
    **own: Any,
) -> list[dict[str, Any]]:
    """Traces of ``values``, shape (rows, columns), NaN where there is nothing, and of the key.

    ``cell`` writes a value in its cell where it fits there, ``spoken`` on hover; ``own`` replaces
    parts of the trace.
    """
    hover = spoken or cell
    trace = {
        "type": "heatmap",
        "x": distinct(columns),
        "y": distinct(rows),
        "z": [[None if np.isnan(x) else round(float(x), 4) for x in row] for row in values],
        "zmin": key.low,
        "zmax": key.high,
        "text": [["" if np.isnan(x) else cell(float(x)) for x in row] for row in values],
        "customdata": [["" if np.isnan(x) else hover(float(x)) for x in row] for row in values],
        "texttemplate": "%{text}",
        "hovertemplate": "%{y}<br>%{x}: %{customdata}<extra></extra>",
        "hoverongaps": False,
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "meta": {"scale": key.scale},
    }
    return [trace | own, key.trace]


def matrix_layout(
    row: int,
    rows: Sequence[str],
    columns: Sequence[str],
    key: Key,
    titles: tuple[str, str] = ("", ""),
) -> dict[str, Any]:
    """The layout of a matrix below its key: ``row`` pixels a row, and room for slanted names.

    ``titles`` are those of the columns and of the rows, where they have any.
    """
    longest = max(map(len, columns), default=0)
    slanted = longest > 4
    below = (round(20 + 4.6 * longest) if slanted else 28) + (24 if titles[0] else 0)
    body = row * max(1, len(rows))
    top = body / (body + _KEY)
    bar = {"fixedrange": True, "showgrid": False, "zeroline": False}
    return base_layout(
        16 + _KEY + body + below,
        margin={"l": 130, "r": 16, "t": 8, "b": below},
        xaxis=axis(
            titles[0],
            type="category",
            showgrid=False,
            **({"tickangle": -45, "dtick": 1} if slanted else {}),
        ),
        yaxis=axis(
            titles[1],
            type="category",
            autorange="reversed",
            showgrid=False,
            domain=[0, round(top, 4)],
        ),
        xaxis2={
            **bar,
            "domain": [0.45, 1],
            "anchor": "y2",
            "range": [key.low, key.high],
            "tickvals": [value for value, _ in key.marks],
            "ticktext": [text for _, text in key.marks],
        },
        yaxis2={
            **bar,
            "domain": [round(1 - _BAR * (1 - top), 4), 1],
            "anchor": "x2",
            "visible": False,
        },
        annotations=[note(key.title, 0.43, xref="paper", xanchor="right", yanchor="top")],
    )


def lower_triangle(values: Floats) -> Floats:
    """The pairs of a symmetric matrix (n, n), each once: (n - 1, n - 1), NaN above.

    Its rows are those of the matrix from the second on, its columns all but the last.
    """
    below = np.tril(np.ones_like(values, dtype=bool), -1)
    return np.where(below, values, np.nan)[1:, :-1]


def p_class(value: float) -> int:
    """The place of a p-value among ``P_CLASSES``, 0 where it is not significant."""
    return sum(value < bound for bound, _ in P_CLASSES[1:])


def p_text(value: float) -> str:
    """Write a p-value as papers do, nothing for what is not defined."""
    if np.isnan(value):
        return ""
    return "<.001" if value < 0.001 else f"{value:.3f}".lstrip("0") if value < 1 else "1"


def distinct(names: Sequence[str]) -> list[str]:
    """Names made distinct by numbers, since a category axis draws equal ones as one."""
    return [plain(name) for name in numbered(names)]
