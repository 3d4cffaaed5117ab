"""CLAPScore: cosine between a recording and its caption, as a CLAP model places them.

Source: Elizalde et al., CLAP, ICASSP 2023; as a metric of captions: Dixit et al., MACE, 2024.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.metrics.clap_score import FAMILY
from earmark.metrics.family import Arrays, mean_score
from earmark.models.clap import Clap, embed_sounds, embed_texts, find_clap
from earmark.recordings import RecordingsMissing
from earmark.results import MetricScore
from earmark.runtime import Heartbeat
from earmark.workspace import Workspace

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ClipSounds:
    """A CLAP model, and the recordings that it hears.

    ``model`` is the model's folder. ``recordings`` is the digest of the recordings that the
    workspace has to have (``Recordings.digest``), so that signatures name them.
    """

    model: str | None
    recordings: str | None

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name the model with the hash of its files, and the recordings.

        Raises ``ClapMissing``, or ``RecordingsMissing`` where no recordings are named.
        """
        return {"clap": self.clap.identity, "recordings": self._named}

    @property
    def _named(self) -> str:
        if not self.recordings:
            raise RecordingsMissing("It is not said which recordings are heard.")
        return self.recordings

    @property
    def clap(self) -> Clap:
        """The model; raises ``ClapMissing``."""
        return find_clap(self.model)

    def sounds(self, names: Sequence[str], workspace: Workspace, heartbeat: Heartbeat) -> Vectors:
        """Vector of each clip's recording, shape (clips, dimensions); NaN where there is none.

        Raises ``RecordingsMissing`` where no clip has one, or where they are not those that the
        signature names.
        """
        clap, files = self.clap, workspace.recordings.files
        heard = {name: files[name].path for name in names if name in files}
        if not heard:
            raise RecordingsMissing("No clip has a recording, so there is nothing to listen to.")
        if self._named != workspace.recordings.digest:
            raise RecordingsMissing(
                "The recordings changed since this metric was turned on. Organisers can turn it on "
                "again with those that are there now."
            )
        vectors = workspace.computed_once(
            f"clap sounds {clap.identity}",
            list(heard.values()),
            lambda new: embed_sounds(clap, new, device=workspace.device, heartbeat=heartbeat),
        )
        if np.isnan(vectors).all():
            raise RecordingsMissing("None of the recordings can be read.")
        vector_of = dict(zip(heard, vectors, strict=True))
        nothing = np.full(len(vectors[0]), np.nan, np.float32)
        return np.array([vector_of.get(name, nothing) for name in names], np.float32)

    def texts(self, captions: Sequence[str], workspace: Workspace, heartbeat: Heartbeat) -> Vectors:
        """Vector of each caption, shape (captions, dimensions)."""
        clap = self.clap
        vectors = workspace.computed_once(
            f"clap texts {clap.identity}",
            captions,
            lambda new: embed_texts(clap, new, device=workspace.device, heartbeat=heartbeat),
        )
        return np.array(vectors, np.float32)


class ClapScore:
    """Cosine of the first candidate with the clip's recording, -1 to 1.

    ``model`` and ``recordings`` as for ``ClipSounds``. A clip without a recording that can be
    read has NaN. Raises ``ClapMissing`` or ``RecordingsMissing``.
    """

    name = "clap_score"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("clap_score",)

    def __init__(self, *, model: str | None = None, recordings: str | None = None) -> None:
        self._sounds = ClipSounds(model, recordings)

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name the model with the hash of its files, and the recordings."""
        return self._sounds.parameters

    def prepare(self, references: References, workspace: Workspace) -> Vectors:
        """Listen to the recordings; progress stays at 0 clips meanwhile."""
        heartbeat = workspace.waiting(self.name, len(references))
        return self._sounds.sounds(references.file_names, workspace, heartbeat)

    def dump(self, prepared: Vectors) -> Arrays:
        """Turn the vectors into an array."""
        return {"sounds": prepared}

    def load(self, arrays: Arrays) -> Vectors:
        """Read what ``dump`` wrote."""
        return arrays["sounds"]

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: Vectors,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Compare the first candidates with the recordings."""
        clips = len(candidates)
        heartbeat = workspace.partly_done(self.name, clips)
        texts = self._sounds.texts(candidates.first, workspace, heartbeat)
        heard = cosines(texts, prepared)
        workspace.progress(self.name, clips, clips)
        details = [{"heard": rounded(one)} for one in heard] if workspace.details else None
        return {self.name: mean_score(self, self.name, heard, references, details)}


def cosines(one: Vectors, other: Vectors) -> NDArray[np.float64]:
    """Cosine of each pair of unit vectors, shape (pairs,); NaN where one of them is."""
    products: NDArray[np.float64] = np.einsum("ij,ij->i", one, other, dtype=np.float64)
    # Unit vectors in float32 are a little longer or shorter than 1.
    return np.clip(products, -1.0, 1.0)


def rounded(value: float) -> float | None:
    """A number for details; None for NaN."""
    return None if np.isnan(value) else round(float(value), 6)
