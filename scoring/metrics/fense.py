"""FENSE: similarity of sentence embeddings, less a penalty where the caption is not fluent.

Source: Zhou et al., FENSE, ICASSP 2022, equation 2.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from scoring.captions import Candidates, References
from scoring.metrics.family import Arrays
from scoring.metrics.fluency import THRESHOLD, flagged, fluency_details, probabilities
from scoring.metrics.sbert import Sbert, SbertReferences, mean_per_clip
from scoring.models.encoder import DEFAULT
from scoring.models.fluency import find_detector
from scoring.results import Details, MetricResult
from scoring.signature import plain_number, signature
from scoring.statistics import mean_and_interval
from scoring.text.packing import Ints, split
from scoring.workspace import Workspace

PENALTY = 0.9


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
        self.detector = detector
        self.threshold = float(threshold)
        self.penalty = float(penalty)

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name encoder and detector with the hashes of their weights, threshold and penalty."""
        return {
            **self._similarity.parameters,
            "fl": find_detector(self.detector).identity,
            "thr": plain_number(self.threshold),
            "pen": plain_number(self.penalty),
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
        found = probabilities(
            workspace,
            candidates.first,
            find_detector(self.detector),
            heartbeat=lambda _done, _total: workspace.progress(self.name, 0, clips),
        )
        cosines = self._similarity.cosines(candidates, prepared, workspace)
        kept = 1 - self.penalty * flagged(found, self.threshold)
        scores = mean_per_clip(cosines, prepared.sizes) * kept
        value, interval = mean_and_interval(scores)
        workspace.progress(self.name, clips, clips)
        signed = signature("fense", self.parameters, references.counts_label)
        verdicts = fluency_details(found, self.threshold) if workspace.details else None
        details = None if verdicts is None else _details(cosines, prepared.sizes, verdicts)
        per_clip = scores.astype(np.float32)
        return {"fense": MetricResult("fense", value, interval, per_clip, signed, details)}


def _details(cosines: NDArray[np.float64], sizes: Ints, verdicts: Details) -> Details:
    """List per clip the similarity to each reference, in their order, and the fluency verdict."""
    rows = split([round(value, 6) for value in cosines.tolist()], sizes)
    return [
        {"similarities": row, "fluency": verdict}
        for row, verdict in zip(rows, verdicts, strict=True)
    ]
