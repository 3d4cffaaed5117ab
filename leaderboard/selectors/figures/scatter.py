"""Clips as points: one metric of two systems, or two metrics of one system."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from django.urls import reverse

from earmark.registry import MetricInfo
from leaderboard.selectors.analysis.clip_scores import Floats
from leaderboard.selectors.analysis.comparing import MetricDifference
from leaderboard.selectors.analysis.distributions import SystemSpread, bin_edges
from leaderboard.selectors.board.files import Contents
from leaderboard.selectors.clips.corpus import Corpus
from leaderboard.selectors.figures.figure import (
    Figure,
    Numbers,
    about,
    axis,
    base_layout,
    line,
    plain,
    shortened,
    shortened_apart,
)

_BANDS = 8
_SMALL = 380  # pixels of one of several figures
_NAMED = 30  # systems whose names have room beside them
EVERY = "every clip"
# More would make the browser slow; Plotly's faster way of drawing needs eval, which we forbid.
MOST_POINTS = 4000


def band_counts(points: Floats, corner: str) -> Numbers:
    """Count points, shape (clips, 2), in a grid; ``corner`` says what rows and columns are."""
    edges = np.linspace(points.min(initial=0), points.max(initial=1), _BANDS + 1)
    counts, _, _ = np.histogram2d(points[:, 0], points[:, 1], bins=(edges, edges))
    ranges = [f"{low:.2f} to {high:.2f}" for low, high in pairwise(edges)]
    return Numbers.of(
        (corner, *ranges), ranges, counts, lambda count: str(int(count)) if count else ""
    )


def scatter_figure(
    row: MetricDifference, names: tuple[str, str], corpus: Corpus, links: tuple[str, ...]
) -> Figure:
    """Each clip by the scores of both systems; a point opens its clip."""
    values, info = row.table.values, row.info
    every, drawn, shown = _drawn(values)
    low, top = range_ = _range(every, info)
    return Figure(
        name="clips-of-both",
        title=f"{info.label} of {shown} under both systems",
        alt="Scatter plot of clips with histograms along both axes; the table counts clips by "
        "score under both systems.",
        data=[
            _points(values[drawn], [_clip_text(corpus, at) for at in drawn], opacity=0.45),
            line(
                "equal",
                [low, top],
                [low, top],
                mode="lines",
                line={"width": 1, "dash": "dot"},
                hoverinfo="skip",
                meta={"tone": "soft"},
            ),
            *_marginals(every, (info, info)),
        ],
        layout=_square_layout(
            axis(f"{info.label}: {plain(names[0])}", range=range_),
            axis(f"{info.label}: {plain(names[1])}", range=range_),
        ),
        numbers=band_counts(every, f"{names[0]} (rows) by {names[1]} (columns)"),
        square=True,
        about=about(info.name),
        links=tuple(links[at] for at in drawn) if links else (),
    )


def against_figure(
    x: SystemSpread,
    y: SystemSpread,
    infos: tuple[MetricInfo, MetricInfo],
    corpus: Corpus,
    links: Sequence[str],
) -> Figure:
    """Each clip of a system by two metrics, over their density; a point opens its clip.

    ``corpus`` and ``links`` are of the clips.
    """
    points = np.stack([x.values, y.values], axis=1)
    every, drawn, shown = _drawn(points)
    system = x.system
    labels = infos[0].label, infos[1].label
    title = system.system_name if shown == EVERY else f"{system.system_name}, {shown}"
    return Figure(
        name=f"clips-of-{system.public_id}",
        title=title,
        alt="Scatter plot of clips over their density, with histograms along both axes; the "
        "table counts clips by both scores.",
        data=[
            _points(points[drawn], [_clip_text(corpus, at) for at in drawn], opacity=0.4),
            _density(every),
            *_marginals(every, infos),
        ],
        layout=_square_layout(
            axis(f"{labels[0]} of a clip", range=_range(every[:, 0], infos[0])),
            axis(f"{labels[1]} of a clip", range=_range(every[:, 1], infos[1])),
            height=_SMALL,
        ),
        numbers=band_counts(every, f"{labels[0]} (rows) by {labels[1]} (columns)"),
        square=True,
        links=tuple(links[at] for at in drawn) if links else (),
        about=infos,
    )


def means_figure(table: Contents, infos: tuple[MetricInfo, MetricInfo]) -> Figure | None:
    """All systems by two metrics, with their intervals; None where fewer than two have both.

    Numbers have the decimals that the leaderboard shows.
    """
    every = [
        (row, [row.shown(info.name) for info in infos])
        for row in (*table.rows(), *table.unranked())
    ]
    rows = [
        (
            row,
            [[table.text(end, one.info) for end in (one.value, one.low, one.high)] for one in both],
        )
        for row, both in every
        if all(one.value is not None for one in both)
    ]
    if len(rows) < 2:
        return None
    labels = infos[0].label, infos[1].label
    names = shortened_apart([row.system_name for row, _ in rows])
    return Figure(
        name="systems-by-both",
        title=f"{labels[0]} and {labels[1]} of all systems, with 95 % intervals",
        alt="Dots with intervals along both axes, one for each system; the table has the numbers.",
        data=[
            line(
                "Systems",
                [float(x[0]) for _, (x, _) in rows],
                [float(y[0]) for _, (_, y) in rows],
                mode="markers+text" if len(rows) <= _NAMED else "markers",
                text=[plain(name) for name in names],
                textposition=_sides([(float(x[0]), float(y[0])) for _, (x, y) in rows]),
                marker={"size": 9},
                error_x=_reach([x for _, (x, _) in rows]),
                error_y=_reach([y for _, (_, y) in rows]),
                hovertemplate="%{text}<br>%{x} and %{y}<extra></extra>",
            )
        ],
        layout=base_layout(
            480,
            xaxis=axis(f"{labels[0]} ({infos[0].direction} is better)"),
            yaxis=axis(f"{labels[1]} ({infos[1].direction} is better)"),
        ),
        numbers=Numbers(
            ("System", *(f"{name}{end}" for name in labels for end in ("", ", low", ", high"))),
            tuple((row.system_name, *x, *y) for row, (x, y) in rows),
        ),
        links=tuple(reverse("leaderboard:system", args=[row.public_id]) for row, _ in rows),
        about=infos,
    )


def _sides(points: Sequence[tuple[float, float]]) -> list[str]:
    """Where names stand: towards the middle, below a point that has another close above it."""
    middle = (min(points)[0] + max(points)[0]) / 2
    close = (max(y for _, y in points) - min(y for _, y in points)) / 20
    return [
        f"{'bottom' if any(0 < other - y < close for _, other in points) else 'top'} "
        f"{'left' if x > middle else 'right'}"
        for x, y in points
    ]


def _reach(ends: Sequence[Sequence[str]]) -> dict[str, Any]:
    """How far intervals reach; each is value, low and high as they are written."""
    known = [[float(end) if end else None for end in one] for one in ends]
    return {
        "type": "data",
        "symmetric": False,
        "array": [0 if v is None or high is None else high - v for v, _, high in known],
        "arrayminus": [0 if v is None or low is None else v - low for v, low, _ in known],
        "width": 0,
        "thickness": 1,
    }


def _drawn(points: Floats) -> tuple[Floats, list[int], str]:
    """The points that have both values, which are drawn of them, and this in words."""
    known = np.flatnonzero(~np.isnan(points).any(axis=1))
    step = -(-len(known) // MOST_POINTS) or 1
    shown = EVERY if step == 1 else f"one in {step} clips"
    return points[known], known[::step].tolist(), shown


def _clip_text(corpus: Corpus, at: int) -> str:
    """What the point of a clip says: its name and what the system says of it."""
    return f"{plain(corpus.file_names[at])}<br>{plain(shortened(corpus.captions[at], 80))}"


def _points(points: Floats, texts: Sequence[str], *, opacity: float) -> dict[str, object]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [round(value, 4) for value in points[:, 0].tolist()],
        "y": [round(value, 4) for value in points[:, 1].tolist()],
        "text": list(texts),
        "marker": {"size": 6, "opacity": opacity},
        "hovertemplate": "%{text}<br>%{x} and %{y}<extra></extra>",
    }


def _density(points: Floats) -> dict[str, object]:
    return {
        "type": "histogram2dcontour",
        "x": [round(value, 4) for value in points[:, 0].tolist()],
        "y": [round(value, 4) for value in points[:, 1].tolist()],
        "ncontours": 6,
        "contours": {"coloring": "fill", "showlines": False},
        "showscale": False,
        "hoverinfo": "skip",
        "meta": {"scale": "wash"},
    }


def _marginals(points: Floats, infos: tuple[MetricInfo, MetricInfo]) -> list[dict[str, Any]]:
    """Histograms of both columns of ``points``, above and to the right of them."""
    traces = []
    for values, info, along, up, axes in zip(
        points.T, infos, "xy", "yx", ({"yaxis": "y2"}, {"xaxis": "x2"}), strict=True
    ):
        if not values.size:
            continue
        scores = values.astype(np.float32)
        edges = bin_edges(scores, info)
        counts, _ = np.histogram(np.clip(scores, edges[0], edges[-1]), bins=edges)
        ends = edges.tolist()
        traces.append(
            {
                "type": "bar",
                "orientation": "v" if along == "x" else "h",
                along: [round((low + high) / 2, 12) for low, high in pairwise(ends)],
                up: counts.tolist(),
                "width": [round(0.94 * (high - low), 12) for low, high in pairwise(ends)],
                "text": [f"{low:g} to {high:g}" for low, high in pairwise(ends)],
                "textposition": "none",
                "meta": {"tone": "soft"},
                "hovertemplate": f"{info.label} %{{text}}: %{{{up}}} clips<extra></extra>",
                **axes,
            }
        )
    return traces


def _square_layout(
    xaxis: dict[str, Any], yaxis: dict[str, Any], height: int = 560
) -> dict[str, Any]:
    """Room for the points, and beyond them for their histograms on axes without numbers."""
    beside = {"domain": [0.87, 1], "visible": False, "fixedrange": True, "rangemode": "tozero"}
    return base_layout(
        height,
        margin={"l": 56, "r": 8, "t": 8, "b": 48},
        xaxis={**xaxis, "domain": [0, 0.85]},
        yaxis={**yaxis, "domain": [0, 0.85]},
        xaxis2=beside,
        yaxis2=beside,
    )


def _range(values: Floats, info: MetricInfo) -> list[float]:
    """From the lowest to the highest score a clip may have, a little room beyond for markers.

    A metric without a highest score ends at the highest one there is.
    """
    low = min(0.0, float(values.min(initial=0)))
    high = max(1.0 if info.high == 1 else 0.0, float(values.max(initial=low)))
    high = high if high > low else low + 1.0
    room = 0.03 * (high - low)
    return [round(low - room, 4), round(high + room, 4)]
