"""SPIDEr-FL: SPIDEr, less a penalty where the caption is not fluent.

Source: DCASE 2023 task 6a; the fluency detector is FENSE's (Zhou et al., ICASSP 2022).
"""

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.metrics.fluency.metric import PENALTY, THRESHOLD, FluencyPenalty, Penalised
from earmark.metrics.spider.metric import Spider, SpiderReferences
from earmark.metrics.spider_fl import FAMILY
from earmark.results import Details
from earmark.workspace import Workspace


class SpiderFl(Penalised[SpiderReferences]):
    """SPIDEr times (1 - ``penalty``) where the caption is flagged, else SPIDEr.

    ``detector`` and ``threshold`` as for ``Fluency``. Raises ``DetectorMissing``.
    """

    name = "spider_fl"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("spider_fl",)

    def __init__(
        self,
        *,
        sigma: float = 6.0,
        detector: str = "",
        threshold: float = THRESHOLD,
        penalty: float = PENALTY,
    ) -> None:
        self._spider = Spider(sigma=sigma)
        penalised = FluencyPenalty(detector, float(threshold), float(penalty))
        super().__init__(self._spider, penalised)

    def _parts(
        self,
        candidates: Candidates,
        references: References,
        prepared: SpiderReferences,
        workspace: Workspace,
    ) -> tuple[NDArray[np.float64], Details]:
        spice, cider = self._spider.parts(candidates.first, references, prepared, workspace)
        rows: Details = []
        if workspace.details:
            pairs = zip(spice, cider, strict=True)
            rows = [{"spice": float(a), "cider_d": float(b)} for a, b in pairs]
        return (spice + cider) / 2, rows
