"""Figures of two systems side by side."""

import numpy as np

from leaderboard.selectors.analysis.comparing import MetricDifference
from leaderboard.selectors.clips.corpus import Corpus
from leaderboard.selectors.figures.bands import MOST_POINTS, band_counts
from leaderboard.selectors.figures.figure import (
    Figure,
    about,
    axis,
    base_layout,
    plain,
)


def scatter_figure(
    row: MetricDifference, names: tuple[str, str], corpus: Corpus, links: tuple[str, ...]
) -> Figure:
    """Each clip by the scores of both systems; a point opens its clip."""
    values, info = row.table.values, row.info
    known = np.flatnonzero(~np.isnan(values).any(axis=1))
    every = values[known]
    step = -(-len(known) // MOST_POINTS) or 1
    known = known[::step]
    points = values[known]
    shown = "every clip" if step == 1 else f"one in {step} clips"
    top = float(max(points.max(initial=0), info.high if info.high == 1 else 0)) or 1.0
    low = float(min(points.min(initial=0), 0))
    return Figure(
        name="clips-of-both",
        title=f"{info.label} of {shown} under both systems",
        said="Scatter plot of clips; the table counts clips by score under both systems.",
        data=[
            {
                "type": "scatter",
                "mode": "markers",
                "x": [round(x, 4) for x in points[:, 0].tolist()],
                "y": [round(y, 4) for y in points[:, 1].tolist()],
                "text": [plain(corpus.file_names[at]) for at in known],
                "marker": {"size": 6, "opacity": 0.45},
                "hovertemplate": "%{text}<br>%{x} and %{y}<extra></extra>",
            },
            {
                "type": "scatter",
                "mode": "lines",
                "x": [low, top],
                "y": [low, top],
                "line": {"width": 1, "dash": "dot"},
                "hoverinfo": "skip",
                "meta": {"tone": "soft"},
            },
        ],
        layout=base_layout(
            520,
            xaxis=axis(f"{info.label}: {plain(names[0])}", range=[low, top * 1.02]),
            yaxis=axis(f"{info.label}: {plain(names[1])}", range=[low, top * 1.02]),
        ),
        numbers=band_counts(every, f"{names[0]} (rows) by {names[1]} (columns)"),
        square=True,
        about=about(info.name),
        links=tuple(links[at] for at in known) if links else (),
    )
