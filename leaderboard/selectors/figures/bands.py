"""Clips counted by two scores, for those who cannot see the points."""

from itertools import pairwise

import numpy as np

from leaderboard.selectors.analysis.clip_scores import Floats
from leaderboard.selectors.figures.figure import Heading, Numbers

_BANDS = 8
# More would make the browser slow; Plotly's faster way of drawing needs eval, which we forbid.
MOST_POINTS = 4000


def band_counts(points: Floats, corner: str) -> Numbers:
    """Count points, shape (clips, 2), in a grid; ``corner`` says what rows and columns are."""
    edges = np.linspace(points.min(initial=0), points.max(initial=1), _BANDS + 1)
    counts, _, _ = np.histogram2d(points[:, 0], points[:, 1], bins=(edges, edges))
    told = [f"{low:.2f} to {high:.2f}" for low, high in pairwise(edges)]
    return Numbers(
        (Heading(corner, number=False), *(Heading(text) for text in told)),
        tuple(
            (text, *(str(int(count)) if count else "" for count in line))
            for text, line in zip(told, counts, strict=True)
        ),
    )
