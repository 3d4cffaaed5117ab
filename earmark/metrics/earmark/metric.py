"""Earmark: a weighted mean of what other metrics find, with weights learned from people.

The weights are those of ``earmark.train.earmark``: 0 or more, together 1, so that the value
lies from 0 to 1 and never falls when a part rises.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.metrics.earmark import FAMILY
from earmark.metrics.earmark.weights import Weights, read_weights
from earmark.metrics.family import mean_score
from earmark.metrics.fluency.metric import probabilities
from earmark.metrics.joined import JoinedFamily
from earmark.metrics.sbert.metric import Sbert, SbertReferences, mean_per_clip
from earmark.metrics.spice_plus_emb.metric import CandidateTexts, SpicePlusEmb, TupleReferences
from earmark.models.encoder import DEFAULT, Encoder, find_encoder
from earmark.models.fluency import Detector, find_detector
from earmark.read_ahead import TextsAhead
from earmark.results import Details, MetricScore
from earmark.workspace import Workspace

# What the detector tells apart, in the order of its classes but for the last, any error.
_ERRORS = {
    "add_tail": "end broken off",
    "repeat_event": "event said twice",
    "repeat_adv": "adverb said twice",
    "remove_conj": "missing conjunction",
    "remove_verb": "missing verb",
}
# Names in the file of weights, and what people read.
PARTS = {
    "similarity": "Similarity to the references",
    "best_similarity": "Similarity to the nearest reference",
    "content_named": "Content of the references that it names",
    "content_confirmed": "Its content that the references confirm",
    **{f"without_{name}": f"No {error}" for name, error in _ERRORS.items()},
    "fluent": "No error of fluency of any kind",
}


# References as the families of both parts prepare them.
EarmarkReferences = tuple[SbertReferences, TupleReferences]


class Earmark(JoinedFamily):
    """Weighted mean of the parts of ``PARTS``, all from 0 to 1, of each clip's first candidate.

    ``weights`` is a file that ``train earmark`` wrote; empty: the shipped one. ``encoder`` and
    ``detector`` as for ``Sbert`` and ``Fluency``. Raises ``EncoderMissing``,
    ``DetectorMissing`` and ``WeightsUnusable``.
    """

    name = "earmark"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("earmark",)

    def __init__(self, *, encoder: str = DEFAULT, detector: str = "", weights: str = "") -> None:
        self.encoder = encoder
        self.detector = detector
        self.weights = weights
        self._similarity = Sbert(encoder=encoder)
        self._content = SpicePlusEmb(encoder=encoder)

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name the weights and what all parts depend on."""
        content = self._content.parameters
        return {
            "learned": self._weights.identity,
            **self._similarity.parameters,
            "fl": self._detector.identity,
            "rules": content["rules"],
            "parser": content["parser"],
        }

    @cached_property
    def _encoder(self) -> Encoder:
        return find_encoder(self.encoder)

    @cached_property
    def _detector(self) -> Detector:
        return find_detector(self.detector)

    @cached_property
    def _weights(self) -> Weights:
        return read_weights(self.weights, tuple(PARTS))

    @property
    def prepared_by(self) -> tuple[Sbert, SpicePlusEmb]:
        """Both parts that use references."""
        return self._similarity, self._content

    def read_ahead(self, texts: TextsAhead, workspace: Workspace) -> None:
        """Hand captions to the process that parses, embed them, judge candidates' fluency."""
        self._content.read_ahead(texts, workspace)
        self._similarity.read_ahead(texts, workspace)
        probabilities(workspace, texts.candidates, find_detector(self.detector))

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: EarmarkReferences,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip."""
        clips = len(candidates)
        values = self.part_values(candidates, references, prepared, workspace)
        weights = self._weights.by_part
        # Row by row, so that a clip has the same value in any company.
        whole = (values * np.array([weights[part] for part in PARTS])).sum(axis=1)
        workspace.progress(self.name, clips, clips)
        details = _details(values, weights) if workspace.details else None
        # Weights add up to 1 but for the last digit.
        scores = np.clip(whole, 0.0, 1.0)
        return {self.name: mean_score(self, self.name, scores, references, details)}

    def part_values(
        self,
        candidates: Candidates,
        references: References,
        prepared: EarmarkReferences,
        workspace: Workspace,
    ) -> NDArray[np.float64]:
        """Value of each part of ``PARTS`` for each clip, shape (clips, parts), 0 to 1."""
        quiet = workspace.quiet(self.name, len(candidates))
        vectors, tuple_references = prepared
        first = Candidates.single(candidates.first)
        tuples = self._content.candidate_texts(first, quiet)
        self._embed(first.first, tuples, quiet)
        cosines = self._similarity.cosines(first, vectors, quiet)
        sizes = vectors.sizes
        starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        content = self._content.score_texts(tuples, references, tuple_references, quiet)
        errors = probabilities(quiet, first.first, self._detector)
        columns = (
            mean_per_clip(cosines, sizes),
            np.maximum.reduceat(cosines, starts),
            content["spice_plus_recall"].per_clip,
            content["spice_plus_precision"].per_clip,
            *(1.0 - errors.T.astype(np.float64)),
        )
        return np.clip(np.stack(columns, axis=1).astype(np.float64), 0.0, 1.0)

    def _embed(self, captions: Sequence[str], tuples: CandidateTexts, workspace: Workspace) -> None:
        """Embed captions and their tuples by one pass of the encoder.

        A pass over one caption mostly waits for the weights, so that two take twice as long.
        """
        texts = (text for graphs in tuples for graph in graphs for text in graph)
        heartbeat = workspace.waiting(self.name, len(captions))
        # Where sub-words are kept as well, that takes a pass for captions.
        whole = () if workspace.sub_words else captions
        workspace.embeddings([*whole, *texts], self._encoder, heartbeat=heartbeat)


def _details(values: NDArray[np.float64], weights: Mapping[str, float]) -> Details:
    """List per clip the parts that have a weight, with value and weight, in their order."""
    return [
        {
            "parts": [
                {
                    "name": part,
                    "label": label,
                    "value": round(float(value), 6),
                    "weight": round(weights[part], 6),
                    "share": round(float(value) * weights[part], 6),
                }
                for (part, label), value in zip(PARTS.items(), row, strict=True)
                if weights[part] > 0
            ]
        }
        for row in values
    ]
