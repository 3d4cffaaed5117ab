"""ACES: sound descriptors of the caption against those of the references.

Source: Wijngaard et al., ACES, WASPAA 2023; METRICS.md, "ACES".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scoring.captions import Candidates, References
from scoring.errors import ScoringError
from scoring.metrics.aces import FAMILY
from scoring.metrics.aces.labels import from_numbers, label_numbers, labelled, span_texts
from scoring.metrics.aces.matching import AcesJudgement, bag_of, clip_details, judge
from scoring.metrics.family import Arrays
from scoring.metrics.fluency.metric import THRESHOLD, flagged, fluency_details, probabilities
from scoring.models.descriptors import LabelledCaption, find_labeller
from scoring.models.encoder import DEFAULT, Vectors, find_encoder
from scoring.models.fluency import find_detector
from scoring.results import Details, MetricScore
from scoring.runtime import Heartbeat
from scoring.signature import plain_number, signature
from scoring.statistics import mean_and_interval
from scoring.text.arrays import Ints
from scoring.workspace import Workspace

Pooling = Literal["combined", "max"]
Fluency = Literal["earmark", "none"]

BETA = 9.0
PENALTY = 0.5


class UnknownChoice(ScoringError):
    """A parameter of ACES that has a few values, and another one was given."""

    def __init__(self, parameter: str, value: str, choices: Sequence[str]) -> None:
        super().__init__(
            f"There is no {value!r} for {parameter} of aces. Choose from: {', '.join(choices)}."
        )
        self.parameter = parameter


@dataclass(frozen=True, slots=True)
class AcesReferences:
    """What the labeller says of the references, and the vectors of their spans.

    ``labels`` has the label number of every word of every reference, ``words``
    the words per reference, ``vectors`` one row per distinct span text in
    order of first appearance.
    """

    labels: Ints
    words: Ints
    vectors: Vectors


class Aces:
    """Descriptor score, halved by default where the caption is not fluent.

    ``mode`` says what is done with several references: their spans are pooled
    by label (``combined``), or each is taken by itself and the best one counts
    (``max``; the first of equal ones). ``labeller`` is the folder of a
    labeller trained here (empty: the shipped one); ``encoder`` as for
    ``Sbert``; ``fluency`` is ``earmark`` (with ``detector`` and ``threshold``
    as for ``Fluency``) or ``none``. A caption that shares no label with its
    references has 0. Raises ``LabellerMissing``, ``EncoderMissing``,
    ``DetectorMissing`` or ``UnknownChoice``.
    """

    name = "aces"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("aces",)

    def __init__(  # noqa: PLR0913 - each is a choice that the definition leaves open
        self,
        *,
        mode: Pooling = "combined",
        labeller: str = "",
        encoder: str = DEFAULT,
        fluency: Fluency = "earmark",
        detector: str = "",
        threshold: float = THRESHOLD,
        penalty: float = PENALTY,
        beta: float = BETA,
    ) -> None:
        if mode not in ("combined", "max"):
            raise UnknownChoice("mode", mode, ("combined", "max"))
        if fluency not in ("earmark", "none"):
            raise UnknownChoice("fluency", fluency, ("earmark", "none"))
        self.mode = mode
        self.labeller = labeller
        self.encoder = encoder
        self.fluency = fluency
        self.detector = detector
        self.threshold = float(threshold)
        self.penalty = float(penalty)
        self.beta = float(beta)

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name the models with the hashes of their weights, and every choice."""
        named: dict[str, str | int | float] = {
            "desc": find_labeller(self.labeller).identity,
            "sbert": find_encoder(self.encoder).identity,
            "mode": self.mode,
            "beta": plain_number(self.beta),
        }
        if self.fluency == "none":
            return {**named, "fl": "none"}
        return {
            **named,
            "fl": find_detector(self.detector).identity,
            "thr": plain_number(self.threshold),
            "pen": plain_number(self.penalty),
        }

    def prepare(self, references: References, workspace: Workspace) -> AcesReferences:
        """Label the references and embed their spans; progress stays at 0 clips meanwhile."""
        clips = len(references)

        def waiting(_done: int, _total: int) -> None:
            workspace.progress(self.name, 0, clips)

        labeller = find_labeller(self.labeller)
        found = labelled(workspace, references.captions, labeller, heartbeat=waiting)
        numbers, words = label_numbers(found, labeller.labels)
        vectors = workspace.embeddings(
            span_texts(found), find_encoder(self.encoder), heartbeat=waiting
        )
        return AcesReferences(numbers, words, vectors)

    def dump(self, prepared: AcesReferences) -> Arrays:
        """Turn what was prepared into arrays."""
        return {"labels": prepared.labels, "words": prepared.words, "vectors": prepared.vectors}

    def load(self, arrays: Arrays) -> AcesReferences:
        """Read what ``dump`` wrote."""
        return AcesReferences(arrays["labels"], arrays["words"], arrays["vectors"])

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: AcesReferences,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip."""
        clips = len(candidates)
        labeller = find_labeller(self.labeller)
        said = labelled(
            workspace, candidates.first, labeller, heartbeat=self._part(workspace, clips, 0)
        )
        told = from_numbers(references, prepared.labels, prepared.words, labeller.labels)
        vectors = self._vectors(said, told, prepared, workspace)
        judged = [
            self._judge(caption, others, vectors, labeller.labels)
            for caption, others in zip(said, told, strict=True)
        ]
        flags, verdicts = self._fluency(candidates, workspace)
        scores = np.array([one.score for one, _ in judged]) * (1 - self.penalty * flags)
        value, interval = mean_and_interval(scores)
        workspace.progress(self.name, clips, clips)
        signed = signature("aces", self.parameters, references.counts_label, self.revision)
        details = _details(said, told, judged, verdicts) if workspace.details else None
        per_clip = scores.astype(np.float32)
        return {"aces": MetricScore("aces", value, interval, per_clip, signed, details)}

    def _vectors(
        self,
        said: Sequence[LabelledCaption],
        told: Sequence[Sequence[LabelledCaption]],
        prepared: AcesReferences,
        workspace: Workspace,
    ) -> dict[str, NDArray[np.float64]]:
        """Give the unit vector of every span text on both sides."""
        theirs = span_texts([caption for clip in told for caption in clip])
        found = dict(zip(theirs, prepared.vectors.astype(np.float64), strict=True))
        new = [text for text in span_texts(said) if text not in found]
        rows = workspace.embeddings(
            new,
            find_encoder(self.encoder),
            heartbeat=self._part(workspace, len(said), 1),
        )
        found.update(zip(new, rows.astype(np.float64), strict=True))
        return found

    def _judge(
        self,
        caption: LabelledCaption,
        references: Sequence[LabelledCaption],
        vectors: Mapping[str, NDArray[np.float64]],
        labels: Sequence[str],
    ) -> tuple[AcesJudgement, int | None]:
        """Give a clip's judgement, and the place of the reference that counts (None: all)."""
        ours = bag_of([caption])
        if self.mode == "combined":
            return judge(ours, bag_of(references), vectors, labels, beta=self.beta), None
        each = [judge(ours, bag_of([one]), vectors, labels, beta=self.beta) for one in references]
        best = max(range(len(each)), key=lambda place: each[place].score)
        return each[best], best

    def _fluency(
        self, candidates: Candidates, workspace: Workspace
    ) -> tuple[NDArray[np.float64], Details | None]:
        """Give 1 for each caption that is flagged, and the verdicts where they are asked for."""
        if self.fluency == "none":
            return np.zeros(len(candidates)), None
        found = probabilities(
            workspace,
            candidates.first,
            find_detector(self.detector),
            heartbeat=self._part(workspace, len(candidates), 2),
        )
        verdicts = fluency_details(found, self.threshold) if workspace.details else None
        return flagged(found, self.threshold), verdicts

    def _part(self, workspace: Workspace, clips: int, part: int) -> Heartbeat:
        """Tell thirds of the work; all clips are told once, when there are scores."""

        def tell(done: int, total: int) -> None:
            share = (part + done / (total + 1)) / 3
            workspace.progress(self.name, int(clips * share), clips)

        return tell


def _details(
    said: Sequence[LabelledCaption],
    told: Sequence[Sequence[LabelledCaption]],
    judged: Sequence[tuple[AcesJudgement, int | None]],
    verdicts: Details | None,
) -> Details:
    """Give every clip's details; ``fluency`` is None where it plays no part."""
    rows = verdicts if verdicts is not None else [None] * len(said)
    return [
        {**clip_details(caption, others, judgement, best), "fluency": verdict}
        for caption, others, (judgement, best), verdict in zip(
            said, told, judged, rows, strict=True
        )
    ]
