"""How firm differences in shares are: paired bootstrap over clips, as where systems are compared.

Both sets are drawn on the same clips, all captions of a clip together, so that neither what a
clip is about nor how many references it has counts as chance.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from leaderboard.selectors.analysis.comparing import RESAMPLES
from leaderboard.selectors.words.counts import MEASURES, ClipCounts, Measure
from scoring.results import Interval
from scoring.statistics import percentile_interval, resampled_sums

Floats = NDArray[np.float64]
Intervals: TypeAlias = Mapping[tuple[Measure, str], Interval]


# All that is counted in one pass: a page shows one measure, files and API show every one.
@lru_cache(maxsize=16)
def difference_intervals(
    sets: tuple[ClipCounts, ...], against: ClipCounts, labels: tuple[str, ...]
) -> tuple[Intervals, ...]:
    """Give for each set the 95 % intervals of its shares less those of ``against``."""
    every = (against, *sets)
    clips = max(len(one.wholes) for one in every)
    if not clips:
        return tuple({} for _ in sets)
    columns = np.concatenate([_columns(one, labels, clips) for one in every], axis=1)
    sums = resampled_sums(columns, resamples=RESAMPLES)
    base, *others = (_shares(part, len(labels)) for part in np.split(sums, len(every), axis=1))
    return tuple(_intervals(shares - base, labels) for shares in others)


def _columns(one: ClipCounts, labels: Sequence[str], clips: int) -> Floats:
    """Put a set's wholes and its labels beside one another, shape (clips, all of them)."""
    none = np.zeros_like(one.wholes)
    rows = np.concatenate([one.wholes, *(one.labels.get(name, none) for name in labels)], axis=1)
    # Clips behind the last one that is counted have nothing.
    return np.pad(rows.astype(np.float64), ((0, clips - len(rows)), (0, 0)))


def _shares(sums: Floats, labels: int) -> Floats:
    """Give the shares of each label under each measure, shape (resamples, labels, measures)."""
    table = sums.reshape(len(sums), labels + 1, len(MEASURES))
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = table[:, 1:] / table[:, :1]
    return found


def _intervals(differences: Floats, labels: Sequence[str]) -> Intervals:
    return {
        (measure, name): percentile_interval(differences[:, row, place])
        for row, name in enumerate(labels)
        for place, measure in enumerate(MEASURES)
    }
