"""ACES: sound descriptors of the caption against those of the references.

Source: Wijngaard et al., ACES, arXiv 2403.18572, section III-B. That version replaces, as it says,
the one of EUSIPCO 2023. docs/reference/descriptors.md has the whole definition.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.errors import ScoringError
from earmark.metrics.aces import FAMILY
from earmark.metrics.aces.matching import (
    MATCH,
    AcesJudgement,
    BalancedF,
    bag_of,
    clip_details,
    judge,
)
from earmark.metrics.family import Arrays, mean_score
from earmark.metrics.fluency.metric import THRESHOLD, FluencyPenalty, Verdicts
from earmark.models.descriptors import (
    DescriptorLabeller,
    LabelledCaption,
    find_labeller,
    label,
    words_of,
)
from earmark.models.encoder import DEFAULT, Encoder, Vectors, find_encoder
from earmark.read_ahead import TextsAhead
from earmark.results import Details, MetricScore
from earmark.runtime import Heartbeat
from earmark.signature import plain_number
from earmark.text.arrays import Ints, split
from earmark.workspace import Workspace

Pooling = Literal["combined", "max"]
Fluency = Literal["earmark", "none"]
Judged = tuple[AcesJudgement, int | None, BalancedF]

BETA = 9.0
PENALTY = 0.5


def labelled(
    workspace: Workspace,
    captions: Sequence[str],
    labeller: DescriptorLabeller,
    *,
    heartbeat: Heartbeat | None = None,
) -> list[LabelledCaption]:
    """Label captions; ``heartbeat(done, total)`` counts those that are new to the run."""
    device = workspace.device
    return workspace.computed_once(
        f"descriptors {labeller.identity}",
        captions,
        lambda new: label(labeller, new, device=device, heartbeat=heartbeat),
    )


def span_texts(captions: Sequence[LabelledCaption]) -> list[str]:
    """List the distinct span texts in order of first appearance."""
    return list(dict.fromkeys(span.text for caption in captions for span in caption.spans))


def label_numbers(captions: Sequence[LabelledCaption], labels: Sequence[str]) -> tuple[Ints, Ints]:
    """Label number of every word, and the words per caption."""
    numbers = {name: number for number, name in enumerate(labels)}
    words = np.array([len(caption.labels) for caption in captions], np.int64)
    flat = [numbers[name] for caption in captions for name in caption.labels]
    return np.array(flat, np.int64), words


def from_numbers(
    references: References, numbers: Ints, words: Ints, labels: Sequence[str]
) -> list[list[LabelledCaption]]:
    """Labelled references of each clip from their ``label_numbers``; every confidence is 1."""
    rows = iter(split([labels[number] for number in numbers.tolist()], words))
    return [
        [
            LabelledCaption(tuple(words_of(caption)), tuple(row), (1.0,) * len(row))
            for caption, row in zip(clip.references, rows, strict=False)
        ]
        for clip in references.clips
    ]


class UnknownChoice(ScoringError):
    """A parameter of ACES that has a few values, and another one was given."""

    def __init__(self, parameter: str, value: str, choices: Sequence[str]) -> None:
        super().__init__(
            f"There is no {value!r} for {parameter} of aces. Choose from: {', '.join(choices)}."
        )
        self.parameter = parameter


@dataclass(frozen=True, slots=True)
class ReferenceLabels:
    """References of each clip with their labels; the unit vector of each of their span texts."""

    clips: Sequence[Sequence[LabelledCaption]]
    vectors: Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True, eq=False)
class AcesReferences:
    """Labels of the references' words, and the vectors of their spans.

    ``labels`` has the label number of every word of every reference, ``words``
    the words per reference, ``vectors`` one row per distinct span text in
    order of first appearance. ``labelled`` has them written out, once they were needed.
    """

    labels: Ints
    words: Ints
    vectors: Vectors
    labelled: list[ReferenceLabels] = field(default_factory=list)


class SpanVectors(dict[str, NDArray[np.float64]]):
    """Unit vectors of span texts that are looked up in several tables, each widened once."""

    def __init__(self, *tables: Mapping[str, NDArray[np.float32]]) -> None:
        super().__init__()
        self._tables = tables

    def __missing__(self, text: str) -> NDArray[np.float64]:
        narrow = next(table[text] for table in self._tables if text in table)
        self[text] = wide = narrow.astype(np.float64)
        return wide


class Aces:
    """Descriptor score, halved by default where the caption is not fluent.

    ``mode`` says what is done with several references: their spans are pooled
    by label (``combined``), or each is taken by itself and the best one counts
    (``max``; the first of equal ones). ``labeller`` is the folder of a
    labeller trained here (empty: the shipped one); ``encoder`` as for
    ``Sbert``; ``fluency`` is ``earmark`` (with ``detector`` and ``threshold``
    as for ``Fluency``) or ``none``. A caption that shares no label with its
    references has 0. ``beta`` is that of ``aces`` alone. Raises ``LabellerMissing``,
    ``EncoderMissing``, ``DetectorMissing`` or ``UnknownChoice``.
    """

    name = "aces"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("aces", "aces_balanced")
    own_parameters = {"aces_balanced": {"beta": 1, "match": MATCH}}

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
        self.beta = float(beta)
        self._penalty = FluencyPenalty(detector, float(threshold), float(penalty))

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name the models with the hashes of their weights, and every choice."""
        named: dict[str, str | int | float] = {
            "desc": self._labeller.identity,
            "sbert": self._encoder.identity,
            "mode": self.mode,
            "beta": plain_number(self.beta),
        }
        fluency = {"fl": "none"} if self.fluency == "none" else self._penalty.parameters
        return {**named, **fluency}

    @cached_property
    def _labeller(self) -> DescriptorLabeller:
        return find_labeller(self.labeller)

    @cached_property
    def _encoder(self) -> Encoder:
        return find_encoder(self.encoder)

    def read_ahead(self, texts: TextsAhead, workspace: Workspace) -> None:
        """Label captions and embed their spans; judge the fluency of candidates."""
        waiting = workspace.waiting(self.name, 0)
        captions = labelled(workspace, texts.captions, self._labeller, heartbeat=waiting)
        workspace.embeddings(span_texts(captions), self._encoder, heartbeat=waiting)
        if self.fluency != "none":
            self._penalty.read_ahead(texts, workspace)

    def prepare(self, references: References, workspace: Workspace) -> AcesReferences:
        """Label the references and embed their spans; progress stays at 0 clips meanwhile."""
        waiting = workspace.waiting(self.name, len(references))
        labeller = self._labeller
        captions = labelled(workspace, references.captions, labeller, heartbeat=waiting)
        numbers, words = label_numbers(captions, labeller.labels)
        vectors = workspace.embeddings(span_texts(captions), self._encoder, heartbeat=waiting)
        return AcesReferences(numbers, words, vectors)

    def dump(self, prepared: AcesReferences) -> Arrays:
        """Turn what was prepared into arrays."""
        return {"labels": prepared.labels, "words": prepared.words, "vectors": prepared.vectors}

    def load(self, arrays: Arrays) -> AcesReferences:
        """Read what ``dump`` wrote."""
        return AcesReferences(arrays["labels"], arrays["words"], arrays["vectors"])

    def chosen(
        self, prepared: AcesReferences, references: References, places: Sequence[int]
    ) -> AcesReferences:
        """Labels of some clips, among the same span texts."""
        whole = self._labelled(prepared, references)
        part = ReferenceLabels([whole.clips[place] for place in places], whole.vectors)
        return AcesReferences(prepared.labels, prepared.words, prepared.vectors, [part])

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: AcesReferences,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip."""
        clips = len(candidates)
        labeller = self._labeller
        captions = labelled(
            workspace, candidates.first, labeller, heartbeat=self._part(workspace, clips, 0)
        )
        reference_captions = self._labelled(prepared, references)
        vectors = self._vectors(captions, reference_captions, workspace)
        others = reference_captions.clips
        judged = [
            self._judge(caption, clip, vectors, labeller.labels)
            for caption, clip in zip(captions, others, strict=True)
        ]
        verdicts = self._fluency(candidates, workspace)
        scores = {
            "aces": np.array([judgement.score for judgement, _, _ in judged]),
            "aces_balanced": np.array([balanced.score for _, _, balanced in judged]),
        }
        workspace.progress(self.name, clips, clips)
        details = _details(captions, others, judged, verdicts) if workspace.details else None
        return {
            name: mean_score(self, name, values * verdicts.kept, references, details)
            for name, values in scores.items()
        }

    def _labelled(self, prepared: AcesReferences, references: References) -> ReferenceLabels:
        """The references with their labels and vectors, written out once."""
        if not prepared.labelled:
            inventory = self._labeller.labels
            clips = from_numbers(references, prepared.labels, prepared.words, inventory)
            texts = span_texts([caption for clip in clips for caption in clip])
            vectors = dict(zip(texts, prepared.vectors, strict=True))
            prepared.labelled.append(ReferenceLabels(clips, vectors))
        return prepared.labelled[0]

    def _vectors(
        self,
        captions: Sequence[LabelledCaption],
        references: ReferenceLabels,
        workspace: Workspace,
    ) -> SpanVectors:
        """Unit vector of every span text on both sides."""
        new = [text for text in span_texts(captions) if text not in references.vectors]
        heartbeat = self._part(workspace, len(captions), 1)
        rows = workspace.embeddings(new, self._encoder, heartbeat=heartbeat)
        return SpanVectors(dict(zip(new, rows, strict=True)), references.vectors)

    def _judge(
        self,
        caption: LabelledCaption,
        references: Sequence[LabelledCaption],
        vectors: Mapping[str, NDArray[np.float64]],
        labels: Sequence[str],
    ) -> Judged:
        """Judgement of a clip, the place of the reference that counts (None: all), its balanced F.

        The balanced form may have another best reference.
        """
        ours = bag_of([caption])
        if self.mode == "combined":
            judgement = judge(ours, bag_of(references), vectors, labels, beta=self.beta)
            return judgement, None, judgement.balanced
        each = [
            judge(ours, bag_of([reference]), vectors, labels, beta=self.beta)
            for reference in references
        ]
        best = max(range(len(each)), key=lambda place: each[place].score)
        return each[best], best, max((one.balanced for one in each), key=lambda one: one.score)

    def _fluency(self, candidates: Candidates, workspace: Workspace) -> Verdicts:
        """Verdicts on fluency; where it plays no part all of a score is kept."""
        clips = len(candidates)
        if self.fluency == "none":
            return Verdicts(np.ones(clips), [None] * clips)
        heartbeat = self._part(workspace, clips, 2)
        return self._penalty.judge(candidates.first, workspace, heartbeat=heartbeat)

    def _part(self, workspace: Workspace, clips: int, part: int) -> Heartbeat:
        """Heartbeat of one of three parts of the work; all clips are done with their scores."""

        def report(done: int, total: int) -> None:
            share = (part + done / (total + 1)) / 3
            workspace.progress(self.name, int(clips * share), clips)

        return report


def _details(
    captions: Sequence[LabelledCaption],
    references: Sequence[Sequence[LabelledCaption]],
    judged: Sequence[Judged],
    verdicts: Verdicts,
) -> Details:
    """Details of every clip; ``fluency`` is None where it plays no part."""
    rows = zip(captions, references, judged, verdicts.details, strict=True)
    return [
        {**clip_details(caption, others, *judgement), "fluency": verdict}
        for caption, others, judgement, verdict in rows
    ]
