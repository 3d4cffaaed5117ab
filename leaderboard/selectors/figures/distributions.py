"""Figures of how the scores of clips are spread: histograms, violins, events of a caption.

Histograms stand one below the other on one axis, where overlaid lines would tangle.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaderboard.selectors.analysis.distributions import Distribution, MetricSpread, SystemSpread
from leaderboard.selectors.figures.figure import (
    Figure,
    Numbers,
    about,
    axis,
    base_layout,
    note,
    plain,
    shortened_apart,
    upright,
)
from leaderboard.selectors.figures.scatter import MOST_POINTS
from leaderboard.selectors.visibility.visible_submissions import AnySubmission

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


def tone_of(system: AnySubmission, place: int) -> int | str:
    """The colour of a system by its place; the human row is drawn in the background."""
    return place % 6 if system.competes else "soft"


def histogram_figure(metric: MetricSpread) -> Figure:
    """Shares of clips by score, one histogram below the other, with their means."""
    info = metric.info
    rows = [_row_of(spread, place) for place, spread in enumerate(metric.spreads)]
    edges = rows[0].edges
    return Figure(
        name=f"spread-{info.name}",
        title=f"Clips by {info.label}",
        alt="Histograms of the clips' scores, one for each system, with their means; "
        "the table has the same numbers.",
        data=bars_in_rows(rows),
        layout=rows_layout(
            rows, axis(f"{info.label} of a clip", range=[edges[0], edges[-1]]), "clips"
        ),
        numbers=Numbers.of(
            (info.label, *(row.name for row in rows)),
            rows[0].texts,
            zip(*(row.shares for row in rows), strict=True),
            "{:.2%}".format,
        ),
        about=(info,),
    )


def _row_of(spread: SystemSpread, place: int) -> BarRow:
    shown = spread.distribution
    return BarRow(
        name=spread.system.system_name,
        edges=shown.edges,
        shares=shown.shares,
        texts=[f"{bin_.low:g} to {bin_.high:g}" for bin_ in shown.bins],
        mean=shown.mean,
        mean_text=f"{shown.mean:.{shown.info.decimals or 1}f}",
        tone=tone_of(spread.system, place),
    )


def violin_figure(metric: MetricSpread) -> Figure:
    """Scores of the clips as violins with their quartiles and means."""
    info = metric.info
    edges = metric.spreads[0].distribution.edges
    names = shortened_apart([spread.system.system_name for spread in metric.spreads])
    return Figure(
        name=f"spread-{info.name}",
        title=f"Clips by {info.label}",
        alt="Violins of the clips' scores with quartiles; the table has mean and quartiles.",
        data=[_violin(spread, place, names[place]) for place, spread in enumerate(metric.spreads)],
        layout=base_layout(
            100 + 64 * len(metric.spreads),
            margin={"l": 150, "r": 16, "t": 16, "b": 48},
            xaxis=axis(f"{info.label} of a clip", range=[edges[0], edges[-1]]),
            yaxis=axis("", autorange="reversed", type="category"),
        ),
        numbers=Numbers.of(
            ("System", "Mean", "Lower quartile", "Median", "Upper quartile"),
            (spread.system.system_name for spread in metric.spreads),
            (
                (one.distribution.mean, one.quartiles[0], one.distribution.median, one.quartiles[1])
                for one in metric.spreads
            ),
            f"{{:.{info.decimals or 1}f}}".format,
        ),
        about=(info,),
    )


def _violin(spread: SystemSpread, place: int, name: str) -> dict[str, object]:
    scores = spread.values[~np.isnan(spread.values)]
    step = -(-scores.size // MOST_POINTS)
    return {
        "type": "violin",
        "orientation": "h",
        "name": plain(name),
        "x": [round(score, 4) for score in scores[::step].tolist()],
        "points": False,
        "spanmode": "hard",
        "scalemode": "width",
        "box": {"visible": True},
        "meanline": {"visible": True},
        "meta": {"tone": tone_of(spread.system, place)},
    }


def events_figure(counts: Sequence[tuple[str, Sequence[float], int | str]]) -> Figure:
    """Shares of captions by number of sound events, (name, shares from 0 events on, tone) each."""
    most = max(len(shares) for _, shares, _ in counts)
    texts = [f"{events} event{'' if events == 1 else 's'}" for events in range(most)]
    rows = [
        row_of_counts(name, dict(enumerate(shares)), range(most), tone, texts)
        for name, shares, tone in counts
    ]
    return Figure(
        name="events-by-system",
        title="Captions by number of sound events",
        alt="Histograms of the number of sound events in a caption, one for each system, "
        "with their means; the table has the same numbers.",
        data=bars_in_rows(rows),
        layout=rows_layout(
            rows,
            axis("Sound events in a caption", range=[-0.5, most - 0.5], dtick=1, showgrid=False),
            "captions",
        ),
        numbers=Numbers.of(
            ("Events", *(row.name for row in rows)),
            map(str, range(most)),
            zip(*(row.shares for row in rows), strict=True),
            "{:.1%}".format,
        ),
        about=about("cb_score"),
    )


def system_histogram(shown: Distribution) -> Figure:
    """Clips by score, with their mean."""
    info = shown.info
    return Figure(
        name="clip-scores",
        title=f"Clips by {info.label}",
        alt="Histogram of single clips with their mean; the table has the same numbers.",
        data=[
            {
                "type": "bar",
                "name": "Clips",
                "x": [round((bin_.low + bin_.high) / 2, 12) for bin_ in shown.bins],
                "y": [bin_.count for bin_ in shown.bins],
                "text": [f"{bin_.low:g} to {bin_.high:g}" for bin_ in shown.bins],
                "textposition": "none",
                "hovertemplate": "%{text}<br>%{y} clips<extra></extra>",
            }
        ],
        layout=base_layout(
            280,
            bargap=0.04,
            margin={"l": 48, "r": 12, "t": 28, "b": 44},
            xaxis=axis(f"{info.label} of a clip", range=[shown.bins[0].low, shown.bins[-1].high]),
            yaxis=axis("Clips", rangemode="tozero"),
            shapes=[upright(shown.mean)],
            annotations=[note(f"mean {shown.mean:.{info.decimals or 1}f}", shown.mean)],
        ),
        numbers=Numbers(
            ("From", "up to", "Clips", "Share"),
            tuple(
                (
                    f"{bin_.low:,.10g}",
                    f"{bin_.high:,.10g}",
                    f"{bin_.count:,}",
                    f"{100 * bin_.count / shown.clips:.1f} %",
                )
                for bin_ in shown.bins
            ),
        ),
        about=(info,),
    )
