"""On which clips two metrics disagree."""

import numpy as np
from scipy.stats import rankdata

from leaderboard.selectors.analysis.clip_scores import Floats

MOST_CLIPS = 6


def disagreements(x: Floats, y: Floats) -> list[int]:
    """Positions of the clips whose ranks by ``x`` and ``y``, shape (clips,), differ most.

    Only clips with both values; the largest difference first, equal ones in their order.
    """
    known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    gaps = np.abs(rankdata(x[known]) - rankdata(y[known]))
    largest = known[np.argsort(-gaps, kind="stable")][:MOST_CLIPS]
    return [int(at) for at in largest if gaps[np.searchsorted(known, at)] > 0]
