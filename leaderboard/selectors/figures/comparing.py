"""Figures of two systems side by side."""

from itertools import pairwise

import numpy as np

from leaderboard.selectors.analysis.clip_scores import Floats
from leaderboard.selectors.analysis.comparing import MetricDifference
from leaderboard.selectors.clips import Corpus
from leaderboard.selectors.figures.figure import Figure, Heading, Numbers, axis, base_layout, plain

_BANDS = 8
# More would make the browser slow; Plotly's faster way of drawing needs eval, which we forbid.
MOST_POINTS = 4000


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
        numbers=_bands(every, names),
        square=True,
        links=tuple(links[at] for at in known) if links else (),
    )


def _bands(points: Floats, names: tuple[str, str]) -> Numbers:
    """Count the clips in a grid of score bands, for those who cannot see the points."""
    edges = np.linspace(points.min(initial=0), points.max(initial=1), _BANDS + 1)
    counts, _, _ = np.histogram2d(points[:, 0], points[:, 1], bins=(edges, edges))
    told = [f"{low:.2f} to {high:.2f}" for low, high in pairwise(edges)]
    corner = Heading(f"{names[0]} (rows) by {names[1]} (columns)", number=False)
    return Numbers(
        (corner, *(Heading(text) for text in told)),
        tuple(
            (text, *(str(int(count)) if count else "" for count in line))
            for text, line in zip(told, counts, strict=True)
        ),
    )
