"""MACE: CLAP similarity to recording and references, less a penalty for captions with errors.

Source: Dixit, Deshmukh and Raj, MACE: Leveraging Audio for Evaluating Audio Captioning Systems,
2024, as its authors' program combines both (penalty 0.3). The threshold is our detector's own,
and the model is any CLAP model: the authors use Microsoft's of 2023.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.metrics.clap_score.metric import ClipSounds, Vectors, cosines, rounded
from earmark.metrics.family import Arrays, mean_score
from earmark.metrics.fluency.metric import THRESHOLD, FluencyPenalty, Verdicts
from earmark.metrics.mace import FAMILY
from earmark.metrics.sbert.metric import mean_per_clip, similarity_details
from earmark.results import Details, MetricScore
from earmark.text.arrays import Ints
from earmark.workspace import Workspace

PENALTY = 0.3


@dataclass(frozen=True, slots=True)
class MaceReferences:
    """Vectors of recordings, one a clip, and of all references, ``sizes`` of them a clip."""

    sounds: Vectors
    texts: Vectors
    sizes: Ints


class Mace:
    """Mean of the cosines with recording and references, times (1 - ``penalty``) where flagged.

    ``model`` and ``recordings`` as for ``ClipSounds``; ``detector`` and ``threshold`` as for
    ``Fluency``. A clip without a recording that can be read has NaN. Raises ``ClapMissing``,
    ``RecordingsMissing`` or ``DetectorMissing``.
    """

    name = "mace"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("mace",)

    def __init__(
        self,
        *,
        model: str | None = None,
        recordings: str | None = None,
        detector: str = "",
        threshold: float = THRESHOLD,
        penalty: float = PENALTY,
    ) -> None:
        self._sounds = ClipSounds(model, recordings)
        self._penalty = FluencyPenalty(detector, float(threshold), float(penalty))

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name model, recordings, detector, threshold and penalty."""
        return {**self._sounds.parameters, **self._penalty.parameters}

    def prepare(self, references: References, workspace: Workspace) -> MaceReferences:
        """Listen to the recordings and read the references; progress stays at 0 clips."""
        heartbeat = workspace.waiting(self.name, len(references))
        return MaceReferences(
            self._sounds.sounds(references.file_names, workspace, heartbeat),
            self._sounds.texts(references.captions, workspace, heartbeat),
            np.array([len(clip.references) for clip in references.clips]),
        )

    def dump(self, prepared: MaceReferences) -> Arrays:
        """Turn what was prepared into arrays."""
        return {"sounds": prepared.sounds, "texts": prepared.texts, "sizes": prepared.sizes}

    def load(self, arrays: Arrays) -> MaceReferences:
        """Read what ``dump`` wrote."""
        return MaceReferences(arrays["sounds"], arrays["texts"], arrays["sizes"])

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: MaceReferences,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip."""
        clips = len(candidates)
        verdicts = self._penalty.judge(
            candidates.first, workspace, heartbeat=workspace.waiting(self.name, clips)
        )
        heartbeat = workspace.partly_done(self.name, clips)
        texts = self._sounds.texts(candidates.first, workspace, heartbeat)
        heard = cosines(texts, prepared.sounds)
        read = cosines(np.repeat(texts, prepared.sizes, axis=0), prepared.texts)
        scores = (heard + mean_per_clip(read, prepared.sizes)) / 2 * verdicts.kept
        workspace.progress(self.name, clips, clips)
        details = _details(heard, read, prepared.sizes, verdicts) if workspace.details else None
        return {self.name: mean_score(self, self.name, scores, references, details)}


def _details(
    heard: NDArray[np.float64], read: NDArray[np.float64], sizes: Ints, verdicts: Verdicts
) -> Details:
    rows = zip(heard, similarity_details(read, sizes), verdicts.details, strict=True)
    return [
        {"heard": rounded(one), **similar, "fluency": verdict} for one, similar, verdict in rows
    ]
