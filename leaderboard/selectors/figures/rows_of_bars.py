"""Histograms one below the other on one axis, where overlaid lines would tangle."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.selectors.figures.figure import base_layout, note, plain, shortened_apart

_FILLED = 0.86  # of the height of a row, by the highest bar of all
_LEAST, _MOST, _WHOLE = 54, 160, 280  # pixels: of a row, and of few rows together


@dataclass(frozen=True, slots=True)
class BarRow:
    """One histogram.

    Bar i lies from ``edges[i]`` to ``edges[i + 1]``, is as high as ``shares[i]`` (0 to 1)
    and is called ``texts[i]`` on hover; ``mean`` is marked and written as ``mean_text``.
    """

    name: str
    edges: Sequence[float]
    shares: Sequence[float]
    texts: Sequence[str]
    mean: float
    mean_text: str
    tone: int | str


def row_of_counts(
    name: str, shares: Mapping[int, float], places: range, tone: int | str, texts: Iterable[str]
) -> BarRow:
    """The histogram of a whole number, which stands below the middle of its bar."""
    mean = sum(value * share for value, share in shares.items())
    return BarRow(
        name=name,
        edges=[place - 0.5 for place in (*places, places.stop)],
        shares=[shares.get(place, 0.0) for place in places],
        texts=list(texts),
        mean=mean,
        mean_text=f"{mean:.2f}",
        tone=tone,
    )


def bars_in_rows(rows: Sequence[BarRow]) -> list[dict[str, Any]]:
    """Traces of the rows, the first at the top, and of their means; all have the same scale."""
    highest = _highest(rows)
    bars: list[dict[str, Any]] = [
        {
            "type": "bar",
            "name": plain(row.name),
            "x": list(row.edges[:-1]),
            "width": [
                round(high - low, 12)
                for low, high in zip(row.edges[:-1], row.edges[1:], strict=True)
            ],
            "offset": 0,
            "base": -place,
            "y": [round(_FILLED * share / highest, 5) for share in row.shares],
            "customdata": [round(share, 5) for share in row.shares],
            "text": list(row.texts),
            "textposition": "none",
            "meta": {"tone": row.tone},
            "hovertemplate": "%{text}: %{customdata:.1%}<extra>%{fullData.name}</extra>",
        }
        for place, row in enumerate(rows)
    ]
    return [*bars, _means(rows)]


def _means(rows: Sequence[BarRow]) -> dict[str, Any]:
    # The empty place between two lines ends the first one.
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x for row in rows for x in (row.mean, row.mean, None)],
        "y": [y for place in range(len(rows)) for y in (-place, _FILLED + 0.06 - place, None)],
        "text": [text for row in rows for text in (*[plain(row.name)] * 2, "")],
        "customdata": [text for row in rows for text in (*[row.mean_text] * 2, "")],
        "line": {"width": 2, "dash": "dot"},
        "meta": {"tone": "ink"},
        "hovertemplate": "%{text}<br>mean %{customdata}<extra></extra>",
    }


def rows_layout(rows: Sequence[BarRow], xaxis: dict[str, Any], of: str) -> dict[str, Any]:
    """The layout for ``bars_in_rows``; the shares are shares of ``of``."""
    height = max(_LEAST, min(_MOST, _WHOLE // len(rows)))
    return base_layout(
        64 + 32 + height * len(rows),
        margin={"l": 16, "r": 16, "t": 32, "b": 48},
        barmode="overlay",
        xaxis=xaxis,
        yaxis={
            "tickvals": [-place for place in range(len(rows))],
            "ticktext": [
                f"{plain(name)}<br>mean {row.mean_text}"
                for row, name in zip(rows, shortened_apart([row.name for row in rows]), strict=True)
            ],
            # From the foot of a row to its middle.
            "ticklabelshift": -height * 2 // 5,
            "range": [0.96 - len(rows), 1],
            "fixedrange": True,
            "zeroline": False,
        },
        annotations=[
            note(f"highest bar: {_highest(rows):.0%} of {of}", 1, xref="paper", xanchor="right")
        ],
    )


def _highest(rows: Sequence[BarRow]) -> float:
    return max((share for row in rows for share in row.shares), default=0) or 1.0
