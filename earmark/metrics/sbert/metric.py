"""Similarity of sentence embeddings.

Source: Zhou et al., FENSE, ICASSP 2022, equation 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.metrics.family import Arrays, mean_score
from earmark.metrics.sbert import FAMILY
from earmark.models.encoder import DEFAULT, Encoder, Vectors, find_encoder
from earmark.read_ahead import TextsAhead
from earmark.results import Details, MetricScore
from earmark.text.arrays import Ints, rows_of, split
from earmark.workspace import Workspace


@dataclass(frozen=True, slots=True)
class SbertReferences:
    """Unit vectors of all references, clip after clip; ``sizes`` has the references per clip."""

    vectors: Vectors
    sizes: Ints


class Sbert:
    """Mean cosine between the embeddings of the caption and of each reference, as written.

    ``encoder`` is the name or the path of a sentence-transformers model that
    is on this machine. Raises ``EncoderMissing``.
    """

    name = "sbert"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("sbert_sim",)

    def __init__(self, *, encoder: str = DEFAULT) -> None:
        self.encoder = encoder

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name the encoder with the hash of its weights."""
        return {"sbert": self._encoder.identity}

    @cached_property
    def _encoder(self) -> Encoder:
        return find_encoder(self.encoder)

    def read_ahead(self, texts: TextsAhead, workspace: Workspace) -> None:
        """Embed captions."""
        heartbeat = workspace.waiting(self.name, 0)
        workspace.caption_embeddings(texts.captions, self._encoder, heartbeat=heartbeat)

    def prepare(self, references: References, workspace: Workspace) -> SbertReferences:
        """Embed the references; progress stays at 0 clips meanwhile."""
        vectors = workspace.caption_embeddings(
            references.captions,
            self._encoder,
            heartbeat=workspace.waiting(self.name, len(references)),
        )
        return SbertReferences(vectors, np.array([len(c.references) for c in references.clips]))

    def dump(self, prepared: SbertReferences) -> Arrays:
        """Turn what was prepared into arrays."""
        return {"vectors": prepared.vectors, "sizes": prepared.sizes}

    def load(self, arrays: Arrays) -> SbertReferences:
        """Read what ``dump`` wrote."""
        return SbertReferences(arrays["vectors"], arrays["sizes"])

    def chosen(
        self, prepared: SbertReferences, references: References, places: Sequence[int]
    ) -> SbertReferences:
        """Vectors of some clips."""
        clips = np.array(places, np.int64)
        return SbertReferences(
            prepared.vectors[rows_of(prepared.sizes, clips)], prepared.sizes[clips]
        )

    def cosines(
        self, candidates: Candidates, prepared: SbertReferences, workspace: Workspace
    ) -> NDArray[np.float64]:
        """Cosine of every reference with its clip's first candidate, (references,), -1..1."""
        vectors = workspace.caption_embeddings(
            candidates.first,
            self._encoder,
            heartbeat=workspace.partly_done(self.name, len(candidates)),
        )
        theirs = np.repeat(vectors, prepared.sizes, axis=0)
        cosines: NDArray[np.float64] = np.einsum(
            "ij,ij->i", theirs, prepared.vectors, dtype=np.float64
        )
        # Unit vectors in float32 are a little longer or shorter than 1.
        return np.clip(cosines, -1.0, 1.0)

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: SbertReferences,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip."""
        clips = len(candidates)
        cosines = self.cosines(candidates, prepared, workspace)
        scores = mean_per_clip(cosines, prepared.sizes)
        workspace.progress(self.name, clips, clips)
        details = similarity_details(cosines, prepared.sizes) if workspace.details else None
        return {"sbert_sim": mean_score(self, "sbert_sim", scores, references, details)}


def mean_per_clip(values: NDArray[np.float64], sizes: Ints) -> NDArray[np.float64]:
    """Mean over each clip's references, shape (clips,)."""
    clip = np.repeat(np.arange(sizes.size), sizes)
    means: NDArray[np.float64] = np.bincount(clip, values, sizes.size) / sizes
    return means


def similarity_details(cosines: NDArray[np.float64], sizes: Ints) -> Details:
    """List per clip the similarity to each reference, in their order."""
    return [{"similarities": row} for row in split([round(c, 6) for c in cosines.tolist()], sizes)]
