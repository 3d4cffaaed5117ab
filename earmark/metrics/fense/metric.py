"""FENSE: similarity of sentence embeddings, less a penalty where the caption is not fluent.

Source: Zhou et al., FENSE, ICASSP 2022, equation 2.
"""

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.metrics.fense import FAMILY
from earmark.metrics.fluency.metric import PENALTY, THRESHOLD, FluencyPenalty, Penalised
from earmark.metrics.sbert.metric import Sbert, SbertReferences, mean_per_clip, similarity_details
from earmark.models.encoder import DEFAULT
from earmark.results import Details
from earmark.workspace import Workspace


class Fense(Penalised[SbertReferences]):
    """Similarity times (1 - ``penalty``) where the caption is flagged, else similarity.

    ``encoder`` as for ``Sbert``; ``detector`` and ``threshold`` as for
    ``Fluency``. Raises ``EncoderMissing`` or ``DetectorMissing``.
    """

    name = "fense"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("fense",)

    def __init__(
        self,
        *,
        encoder: str = DEFAULT,
        detector: str = "",
        threshold: float = THRESHOLD,
        penalty: float = PENALTY,
    ) -> None:
        self._similarity = Sbert(encoder=encoder)
        penalised = FluencyPenalty(detector, float(threshold), float(penalty))
        super().__init__(self._similarity, penalised)

    def _parts(
        self,
        candidates: Candidates,
        references: References,
        prepared: SbertReferences,
        workspace: Workspace,
    ) -> tuple[NDArray[np.float64], Details]:
        cosines = self._similarity.cosines(candidates, prepared, workspace)
        rows = similarity_details(cosines, prepared.sizes) if workspace.details else []
        return mean_per_clip(cosines, prepared.sizes), rows
