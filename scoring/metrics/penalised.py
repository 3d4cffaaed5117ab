"""A metric of another kind, less a penalty where the caption is not fluent."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from scoring.captions import Candidates, References
from scoring.metrics.family import Arrays, Family, P
from scoring.metrics.fluency.metric import FluencyPenalty
from scoring.results import Details, MetricScore
from scoring.signature import signature
from scoring.statistics import mean_and_interval
from scoring.workspace import Workspace


class Penalised(ABC, Generic[P]):
    """``part``'s score of the first candidate, times (1 - penalty) where the caption is flagged.

    ``part`` tells its progress under this metric's name.
    """

    name: str
    revision: int
    metrics: tuple[str, ...]

    def __init__(self, part: Family[P], penalty: FluencyPenalty) -> None:
        self._part = part
        self._penalty = penalty

    @abstractmethod
    def _parts(
        self,
        candidates: Candidates,
        references: References,
        prepared: P,
        workspace: Workspace,
    ) -> tuple[NDArray[np.float64], Details]:
        """Give the scores before the penalty, shape (clips,), and the details of each clip."""

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name what the part depends on, the detector, threshold and penalty."""
        return {**self._part.parameters, **self._penalty.parameters}

    def prepare(self, references: References, workspace: Workspace) -> P:
        """Do what the part does."""
        return self._part.prepare(references, workspace)

    def dump(self, prepared: P) -> Arrays:
        """Turn what was prepared into arrays."""
        return self._part.dump(prepared)

    def load(self, arrays: Arrays) -> P:
        """Read what ``dump`` wrote."""
        return self._part.load(arrays)

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: P,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip; the details have the verdict as "fluency"."""
        clips = len(candidates)
        verdicts = self._penalty.judge(
            candidates.first,
            workspace,
            heartbeat=lambda _done, _total: workspace.progress(self.name, 0, clips),
        )
        whole, rows = self._parts(candidates, references, prepared, workspace)
        scores = whole * verdicts.kept
        value, interval = mean_and_interval(scores)
        workspace.progress(self.name, clips, clips)
        details: Details | None = None
        if workspace.details:
            told = zip(rows, verdicts.details, strict=True)
            details = [{**row, "fluency": verdict} for row, verdict in told]
        signed = signature(self.name, self.parameters, references.counts_label, self.revision)
        per_clip = scores.astype(np.float32)
        return {self.name: MetricScore(self.name, value, interval, per_clip, signed, details)}
