"""FENSE: similarity of sentence embeddings, less a penalty where the caption is not fluent.

Source: Zhou et al., FENSE, ICASSP 2022, equation 2.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from scoring.captions import Candidates, References
from scoring.metrics.family import Arrays
from scoring.metrics.fluency import PENALTY, THRESHOLD, FluencyPenalty
from scoring.metrics.sbert import Sbert, SbertReferences, mean_per_clip
from scoring.models.encoder import DEFAULT
from scoring.results import Details, MetricResult
from scoring.signature import signature
from scoring.statistics import mean_and_interval
from scoring.text.packing import Ints, split
from scoring.workspace import Workspace


class _Similarity(Sbert):
    """The similarity as a part of FENSE, under whose name progress is told."""

    name = "fense"


class Fense:
    """Similarity times (1 - ``penalty``) where the caption is flagged, else similarity.

    ``encoder`` as for ``Sbert``; ``detector`` and ``threshold`` as for
    ``Fluency``. Raises ``EncoderMissing`` or ``DetectorMissing``.
    """

    name = "fense"
    metrics: tuple[str, ...] = ("fense",)

    def __init__(
        self,
        *,
        encoder: str = DEFAULT,
        detector: str = "",
        threshold: float = THRESHOLD,
        penalty: float = PENALTY,
    ) -> None:
        self._similarity = _Similarity(encoder=encoder)
        self._penalty = FluencyPenalty(detector, float(threshold), float(penalty))

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name encoder and detector with the hashes of their weights, threshold and penalty."""
        return {
            **self._similarity.parameters,
            **self._penalty.parameters,
        }

    def prepare(self, references: References, workspace: Workspace) -> SbertReferences:
        """Embed the references; progress stays at 0 clips meanwhile."""
        return self._similarity.prepare(references, workspace)

    def dump(self, prepared: SbertReferences) -> Arrays:
        """Turn what was prepared into arrays."""
        return self._similarity.dump(prepared)

    def load(self, arrays: Arrays) -> SbertReferences:
        """Read what ``dump`` wrote."""
        return self._similarity.load(arrays)

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: SbertReferences,
        workspace: Workspace,
    ) -> dict[str, MetricResult]:
        """Score the first candidate of every clip."""
        clips = len(candidates)
        verdicts = self._penalty.judge(
            candidates.first,
            workspace,
            heartbeat=lambda _done, _total: workspace.progress(self.name, 0, clips),
        )
        cosines = self._similarity.cosines(candidates, prepared, workspace)
        scores = mean_per_clip(cosines, prepared.sizes) * verdicts.kept
        value, interval = mean_and_interval(scores)
        workspace.progress(self.name, clips, clips)
        signed = signature("fense", self.parameters, references.counts_label)
        details = _details(cosines, prepared.sizes, verdicts.details) if workspace.details else None
        per_clip = scores.astype(np.float32)
        return {"fense": MetricResult("fense", value, interval, per_clip, signed, details)}


def _details(cosines: NDArray[np.float64], sizes: Ints, verdicts: Details) -> Details:
    """List per clip the similarity to each reference, in their order, and the fluency verdict."""
    rows = split([round(value, 6) for value in cosines.tolist()], sizes)
    return [
        {"similarities": row, "fluency": verdict}
        for row, verdict in zip(rows, verdicts, strict=True)
    ]
