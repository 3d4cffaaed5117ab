"""SPIDEr-FL: SPIDEr, less a penalty where the caption is not fluent.

Source: DCASE 2023 task 6a; the fluency detector is FENSE's (Zhou et al., ICASSP 2022).
"""

from collections.abc import Mapping

import numpy as np

from scoring.captions import Candidates, References
from scoring.metrics.family import Arrays
from scoring.metrics.fluency import PENALTY, THRESHOLD, FluencyPenalty
from scoring.metrics.spice.spider import Spider, SpiderReferences
from scoring.results import Details, MetricResult
from scoring.signature import signature
from scoring.statistics import mean_and_interval
from scoring.workspace import Workspace


class _Part(Spider):
    """SPIDEr as a part of SPIDEr-FL, under whose name progress is told."""

    name = "spider_fl"


class SpiderFl:
    """SPIDEr times (1 - ``penalty``) where the caption is flagged, else SPIDEr.

    ``detector`` and ``threshold`` as for ``Fluency``. Raises ``DetectorMissing``.
    """

    name = "spider_fl"
    metrics: tuple[str, ...] = ("spider_fl",)

    def __init__(
        self,
        *,
        sigma: float = 6.0,
        detector: str = "",
        threshold: float = THRESHOLD,
        penalty: float = PENALTY,
    ) -> None:
        self._spider = _Part(sigma=sigma)
        self._penalty = FluencyPenalty(detector, float(threshold), float(penalty))

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name what SPIDEr depends on, the detector, threshold and penalty."""
        return {
            **self._spider.parameters,
            **self._penalty.parameters,
        }

    def prepare(self, references: References, workspace: Workspace) -> SpiderReferences:
        """Do what SPIDEr does."""
        return self._spider.prepare(references, workspace)

    def dump(self, prepared: SpiderReferences) -> Arrays:
        """Turn what was prepared into arrays."""
        return self._spider.dump(prepared)

    def load(self, arrays: Arrays) -> SpiderReferences:
        """Read what ``dump`` wrote."""
        return self._spider.load(arrays)

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: SpiderReferences,
        workspace: Workspace,
    ) -> dict[str, MetricResult]:
        """Score the first candidate of every clip."""
        clips = len(candidates)
        verdicts = self._penalty.judge(
            candidates.first,
            workspace,
            heartbeat=lambda _done, _total: workspace.progress(self.name, 0, clips),
        )
        spice, cider = self._spider.parts(candidates.first, references, prepared, workspace)
        scores = (spice + cider) / 2 * verdicts.kept
        value, interval = mean_and_interval(scores)
        workspace.progress(self.name, clips, clips)
        details: Details | None = None
        if workspace.details:
            rows = zip(spice, cider, verdicts.details, strict=True)
            details = [
                {"spice": float(a), "cider_d": float(b), "fluency": verdict}
                for a, b, verdict in rows
            ]
        signed = signature(self.name, self.parameters, references.counts_label)
        per_clip = scores.astype(np.float32)
        return {self.name: MetricResult(self.name, value, interval, per_clip, signed, details)}
