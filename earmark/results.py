"""Results of metrics: values per clip, corpus value, interval."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

PerClip = NDArray[np.float32]
Details = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % confidence interval; both ends NaN where none can be given."""

    low: float
    high: float

    def within(self, low: float, high: float) -> "Interval":
        """The part of the interval that lies between two bounds; NaN stays NaN."""
        low_end, high_end = (
            end if math.isnan(end) else min(max(end, low), high) for end in (self.low, self.high)
        )
        return Interval(low_end, high_end)


NO_INTERVAL = Interval(math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class MetricScore:
    """One metric of one system over one corpus.

    ``per_clip`` has shape (clips,), float32, in the order of the references;
    NaN where the metric says nothing about a clip. ``value`` is the corpus
    value (NaN where no clip is covered). ``coverage`` counts the clips that
    have a value. ``details`` has one JSON-ready mapping per clip, or is None
    where the workspace has ``details`` off. ``counts``, (clips,) or (clips, counts),
    is what the corpus value is computed from, so that parts of a corpus can be
    put together; None where that takes more than numbers per clip.
    """

    name: str
    value: float
    interval: Interval
    per_clip: PerClip
    signature: str
    details: Details | None = None
    counts: NDArray[np.float64] | None = None

    @property
    def coverage(self) -> int:
        """Number of clips that the metric has a value for."""
        return int(np.count_nonzero(~np.isnan(self.per_clip)))
