"""How long the parts that are cut from recordings are."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

STEP = 0.05
"""Seconds between durations (Drossos et al. 2020, section 2.1)."""


def drawn_seconds(
    whole: Sequence[float],
    cut: int,
    *,
    shortest: float,
    longest: float,
    shares: Sequence[float],
    draws: np.random.Generator,
) -> list[float]:
    """Seconds of each of ``cut`` parts, so that all durations are spread as asked.

    ``whole`` are the seconds of the recordings that are not cut. ``shares`` are the proportions of
    bins of equal width between shortest and longest. Each part takes a duration that is furthest
    behind its proportion, drawn among equals: with one bin, the highest entropy of all durations in
    steps of 0.05 s that these parts can give.
    """
    steps = np.arange(round(shortest / STEP), round(longest / STEP) + 1)
    seconds = steps.astype(np.float64) * STEP
    wanted = _shares_of(seconds, shares)
    counts = np.zeros(len(seconds), dtype=np.int64)
    for known in whole:
        counts[np.abs(seconds - known).argmin()] += 1
    with np.errstate(divide="ignore"):
        behind = 1 / wanted
    found = []
    for _ in range(cut):
        filled = (counts + 1) * behind
        place = int(draws.choice(np.flatnonzero(filled == filled.min())))
        counts[place] += 1
        found.append(float(seconds[place]))
    return found


def _shares_of(seconds: NDArray[np.float64], shares: Sequence[float]) -> NDArray[np.float64]:
    """The share of the bin in which each duration is; the last bin has its upper edge, too."""
    edges = np.linspace(seconds[0], seconds[-1], len(shares) + 1)[1:-1]
    # Steps are no exact floats: an edge belongs to the bin above it.
    return np.asarray(shares, dtype=np.float64)[np.searchsorted(edges, seconds + STEP / 9)]
