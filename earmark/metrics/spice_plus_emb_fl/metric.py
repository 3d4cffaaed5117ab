"""SPICE+ with embeddings, less a penalty where the caption is not fluent.

Source: Gontier et al., SPICE+, ICASSP 2023, section 3.2, with the detector and the penalty of
FENSE (Zhou et al., ICASSP 2022).
"""

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.metrics.fluency.metric import PENALTY, THRESHOLD, FluencyPenalty, Penalised
from earmark.metrics.spice_plus_emb.metric import SpicePlusEmb, TupleReferences, Weights
from earmark.metrics.spice_plus_emb_fl import FAMILY
from earmark.models.encoder import DEFAULT
from earmark.results import Details
from earmark.workspace import Workspace


class SpicePlusEmbFl(Penalised[TupleReferences]):
    """SPICE+emb times (1 - ``penalty``) where the caption is flagged, else SPICE+emb.

    ``encoder``, ``of_phrases``, ``recall_weight`` and ``tuple_weights`` as for
    ``SpicePlusEmb``; ``detector`` and ``threshold`` as for ``Fluency``. Raises
    ``EncoderMissing``, ``DetectorMissing`` and ``UnusableParameter``.
    """

    name = "spice_plus_emb_fl"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("spice_plus_emb_fl",)

    def __init__(
        self,
        *,
        encoder: str = DEFAULT,
        of_phrases: str = "second",
        recall_weight: float = 1.0,
        tuple_weights: Weights = "uniform",
        detector: str = "",
        threshold: float = THRESHOLD,
        penalty: float = PENALTY,
    ) -> None:
        self._content = SpicePlusEmb(
            encoder=encoder,
            of_phrases=of_phrases,
            recall_weight=recall_weight,
            tuple_weights=tuple_weights,
        )
        penalised = FluencyPenalty(detector, float(threshold), float(penalty))
        super().__init__(self._content, penalised)

    def _parts(
        self,
        candidates: Candidates,
        references: References,
        prepared: TupleReferences,
        workspace: Workspace,
    ) -> tuple[NDArray[np.float64], Details]:
        content = self._content.score(candidates, references, prepared, workspace)["spice_plus_emb"]
        return np.asarray(content.counts, np.float64), content.details or []
