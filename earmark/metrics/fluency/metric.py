"""Fluency error rate, and metrics of another kind that lose where a caption is not fluent.

Source: Zhou et al., FENSE, ICASSP 2022, section 3.2.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.metrics.family import Family, NothingPrepared, P, mean_score
from earmark.metrics.fluency import FAMILY
from earmark.metrics.joined import JoinedFamily
from earmark.models.fluency import CLASSES, ERROR, Detector, Probabilities, detect, find_detector
from earmark.read_ahead import ReadsAhead, TextsAhead
from earmark.results import Details, Interval, MetricScore
from earmark.runtime import Heartbeat
from earmark.signature import plain_number
from earmark.statistics import rate_interval
from earmark.workspace import Workspace

THRESHOLD = 0.9
PENALTY = 0.9
# Kind of an error that is none of the five named ones, such as words out of order.
OTHER = "other"
_NAMED = 0.5


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Verdicts on captions; ``kept``, shape (captions,), is the share of a score that stays."""

    kept: NDArray[np.float64]
    details: Sequence[Mapping[str, Any] | None]


@dataclass(frozen=True)
class FluencyPenalty:
    """Penalty of a metric of another kind for captions that are flagged.

    A flagged caption keeps (1 - ``penalty``) of its score. ``detector`` and
    ``threshold`` as for ``Fluency``; raises ``DetectorMissing`` when used.
    """

    detector: str = ""
    threshold: float = THRESHOLD
    penalty: float = PENALTY

    @cached_property
    def _found(self) -> Detector:
        return find_detector(self.detector)

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name the detector with the hash of its weights, threshold and penalty."""
        return {
            "fl": self._found.identity,
            "thr": plain_number(float(self.threshold)),
            "pen": plain_number(float(self.penalty)),
        }

    def read_ahead(self, texts: TextsAhead, workspace: Workspace) -> None:
        """Judge candidates."""
        probabilities(workspace, texts.candidates, find_detector(self.detector))

    def judge(
        self, captions: Sequence[str], workspace: Workspace, *, heartbeat: Heartbeat | None = None
    ) -> Verdicts:
        """Judge captions; the details are the verdicts as ``fluency_details`` gives them."""
        rows = probabilities(workspace, captions, self._found, heartbeat=heartbeat)
        kept = 1 - self.penalty * flagged(rows, self.threshold)
        return Verdicts(kept, fluency_details(rows, self.threshold))


class Fluency(NothingPrepared):
    """Share of captions that the error detector flags; lower is better.

    A clip has 1 where the probability of an error is over ``threshold``, else
    0. ``detector`` is the folder of a detector trained here, or the original
    authors' checkpoint; empty: the shipped one. Raises ``DetectorMissing``.
    """

    name = "fluency"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("fer",)
    columns = 1

    def __init__(self, *, detector: str = "", threshold: float = THRESHOLD) -> None:
        self.detector = detector
        self.threshold = float(threshold)

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name the detector with the hash of its weights, and the threshold."""
        return {"fl": self._found.identity, "thr": plain_number(self.threshold)}

    @cached_property
    def _found(self) -> Detector:
        return find_detector(self.detector)

    def read_ahead(self, texts: TextsAhead, workspace: Workspace) -> None:
        """Judge candidates."""
        probabilities(workspace, texts.candidates, find_detector(self.detector))

    def score(
        self, candidates: Candidates, references: References, prepared: None, workspace: Workspace
    ) -> dict[str, MetricScore]:
        """Judge the first candidate of every clip."""
        clips = len(candidates)
        rows = probabilities(
            workspace,
            candidates.first,
            self._found,
            heartbeat=workspace.partly_done(self.name, clips),
        )
        workspace.progress(self.name, clips, clips)
        details = fluency_details(rows, self.threshold) if workspace.details else None
        flags = flagged(rows, self.threshold)
        return {"fer": mean_score(self, "fer", flags, references, details)}

    def corpus_value(self, name: str, counts: NDArray[np.float64]) -> tuple[float, Interval]:
        """Share of the flagged clips, of which ``counts`` is 1, and its interval."""
        return float(counts.mean()), rate_interval(int(counts.sum()), counts.size)


def probabilities(
    workspace: Workspace,
    captions: Sequence[str],
    detector: Detector,
    *,
    heartbeat: Heartbeat | None = None,
) -> Probabilities:
    """Probability of each class of error, shape (captions, 6).

    Every distinct caption is judged once per run, also for several families.
    ``heartbeat(done, total)`` counts the captions that are new to the run.
    """
    rows = workspace.computed_once(
        f"fluency {detector.identity}",
        captions,
        lambda new: detect(detector, new, device=workspace.device, heartbeat=heartbeat),
    )
    return np.array(rows, np.float32).reshape(-1, len(CLASSES))


def flagged(rows: Probabilities, threshold: float) -> NDArray[np.float64]:
    """1 for each caption whose probability of an error is over the threshold, else 0."""
    return (rows[:, ERROR] > threshold).astype(np.float64)


def fluency_details(rows: Probabilities, threshold: float) -> Details:
    """Whether each caption is flagged, its likeliest kind of error, and all probabilities.

    A flagged caption in which each named kind is less likely than not has ``OTHER``.
    """
    return [
        {
            "flag": bool(row[ERROR] > threshold),
            "likeliest": _likeliest(row, threshold),
            "probabilities": {
                name: round(float(value), 6) for name, value in zip(CLASSES, row, strict=True)
            },
        }
        for row in rows
    ]


def _likeliest(row: Probabilities, threshold: float) -> str:
    if row[ERROR] > threshold and row[:ERROR].max() < _NAMED:
        return OTHER
    return CLASSES[int(row[:ERROR].argmax())]


class Penalised(JoinedFamily, Generic[P]):
    """``part``'s score of the first candidate, times (1 - penalty) where the caption is flagged."""

    revision: int
    metrics: tuple[str, ...]

    def __init__(self, part: Family[P], penalty: FluencyPenalty) -> None:
        self._part = part
        self._penalty = penalty

    @abstractmethod
    def _parts(
        self,
        candidates: Candidates,
        references: References,
        prepared: P,
        workspace: Workspace,
    ) -> tuple[NDArray[np.float64], Details]:
        """Scores before the penalty, shape (clips,), and the details of each clip."""

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name what the part depends on, the detector, threshold and penalty."""
        return {**self._part.parameters, **self._penalty.parameters}

    @property
    def prepared_by(self) -> tuple[Family[P]]:
        """The part."""
        return (self._part,)

    def read_ahead(self, texts: TextsAhead, workspace: Workspace) -> None:
        """Judge candidates, and do what the part does."""
        self._penalty.read_ahead(texts, workspace)
        if isinstance(self._part, ReadsAhead):
            self._part.read_ahead(texts, workspace)

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: tuple[P],
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip; the details have the verdict as "fluency"."""
        clips = len(candidates)
        verdicts = self._penalty.judge(
            candidates.first, workspace, heartbeat=workspace.waiting(self.name, clips)
        )
        (own,) = prepared
        whole, rows = self._parts(candidates, references, own, self.under_own_name(workspace))
        workspace.progress(self.name, clips, clips)
        details: Details | None = None
        if workspace.details:
            pairs = zip(rows, verdicts.details, strict=True)
            details = [{**row, "fluency": verdict} for row, verdict in pairs]
        scores = whole * verdicts.kept
        return {self.name: mean_score(self, self.name, scores, references, details)}
