"""Fluency error rate, and metrics of another kind that lose where a caption is not fluent.

Source: Zhou et al., FENSE, ICASSP 2022, section 3.2.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from scoring.captions import Candidates, References
from scoring.metrics.family import Arrays, Family, P
from scoring.metrics.fluency import FAMILY
from scoring.models.fluency import (
    CLASSES,
    ERROR,
    Detector,
    Probabilities,
    detect,
    find_detector,
)
from scoring.results import Details, MetricScore
from scoring.runtime import Heartbeat
from scoring.signature import plain_number, signature
from scoring.statistics import mean_and_interval
from scoring.workspace import Workspace

THRESHOLD = 0.9
PENALTY = 0.9


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the detector says of captions: ``kept``, shape (captions,), is what a score keeps."""

    kept: NDArray[np.float64]
    details: Details


@dataclass(frozen=True, slots=True)
class FluencyPenalty:
    """What a metric of another kind loses where a caption is flagged.

    A flagged caption keeps (1 - ``penalty``) of its score. ``detector`` and
    ``threshold`` as for ``Fluency``; raises ``DetectorMissing`` when used.
    """

    detector: str = ""
    threshold: float = THRESHOLD
    penalty: float = PENALTY

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name the detector with the hash of its weights, threshold and penalty."""
        return {
            "fl": find_detector(self.detector).identity,
            "thr": plain_number(float(self.threshold)),
            "pen": plain_number(float(self.penalty)),
        }

    def judge(
        self, captions: Sequence[str], workspace: Workspace, *, heartbeat: Heartbeat | None = None
    ) -> Verdicts:
        """Judge captions; the details are the verdicts as ``fluency_details`` gives them."""
        detector = find_detector(self.detector)
        found = probabilities(workspace, captions, detector, heartbeat=heartbeat)
        kept = 1 - self.penalty * flagged(found, self.threshold)
        return Verdicts(kept, fluency_details(found, self.threshold))


class Fluency:
    """Share of captions that the error detector flags; lower is better.

    A clip has 1 where the probability of an error is over ``threshold``, else
    0. ``detector`` is the folder of a detector trained here, or the original
    authors' checkpoint; empty: the shipped one. Raises ``DetectorMissing``.
    """

    name = "fluency"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("fer",)

    def __init__(self, *, detector: str = "", threshold: float = THRESHOLD) -> None:
        self.detector = detector
        self.threshold = float(threshold)

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name the detector with the hash of its weights, and the threshold."""
        return {
            "fl": find_detector(self.detector).identity,
            "thr": plain_number(self.threshold),
        }

    def prepare(self, references: References, workspace: Workspace) -> None:
        """Prepare nothing: references play no part."""

    def dump(self, prepared: None) -> Arrays:
        """Turn nothing into no arrays."""
        return {}

    def load(self, arrays: Arrays) -> None:
        """Read what ``dump`` wrote."""

    def score(
        self, candidates: Candidates, references: References, prepared: None, workspace: Workspace
    ) -> dict[str, MetricScore]:
        """Judge the first candidate of every clip."""
        clips = len(candidates)
        detector = find_detector(self.detector)
        found = probabilities(
            workspace,
            candidates.first,
            detector,
            # Below the number of clips, which is told once, when there are scores.
            heartbeat=lambda done, total: workspace.progress(
                self.name, clips * done // (total + 1), clips
            ),
        )
        flags = flagged(found, self.threshold)
        value, interval = mean_and_interval(flags)
        workspace.progress(self.name, clips, clips)
        signed = signature("fer", self.parameters, references.counts_label, self.revision)
        details = fluency_details(found, self.threshold) if workspace.details else None
        per_clip = flags.astype(np.float32)
        return {"fer": MetricScore("fer", value, interval, per_clip, signed, details)}


def probabilities(
    workspace: Workspace,
    captions: Sequence[str],
    detector: Detector,
    *,
    heartbeat: Heartbeat | None = None,
) -> Probabilities:
    """Give the probability of each class of error, shape (captions, 6).

    Every distinct caption is judged once per run, whichever families ask.
    ``heartbeat(done, total)`` counts the captions that are new to the run.
    """
    known = workspace.memo(f"fluency {detector.identity}")
    new = [caption for caption in dict.fromkeys(captions) if caption not in known]
    if new:
        judged = detect(detector, new, device=workspace.device, heartbeat=heartbeat)
        known.update(zip(new, judged, strict=True))
    return np.array([known[caption] for caption in captions], np.float32).reshape(-1, len(CLASSES))


def flagged(found: Probabilities, threshold: float) -> NDArray[np.float64]:
    """Give 1 for each caption whose probability of an error is over the threshold, else 0."""
    return (found[:, ERROR] > threshold).astype(np.float64)


def fluency_details(found: Probabilities, threshold: float) -> Details:
    """Say per clip whether it is flagged, how certain that is, and which kind is likeliest."""
    return [
        {
            "flag": bool(row[ERROR] > threshold),
            "likeliest": CLASSES[int(row[:ERROR].argmax())],
            "probabilities": {
                name: round(float(value), 6) for name, value in zip(CLASSES, row, strict=True)
            },
        }
        for row in found
    ]


class Penalised(ABC, Generic[P]):
    """``part``'s score of the first candidate, times (1 - penalty) where the caption is flagged.

    ``part`` tells its progress under this metric's name.
    """

    name: str
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
        """Give the scores before the penalty, shape (clips,), and the details of each clip."""

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name what the part depends on, the detector, threshold and penalty."""
        return {**self._part.parameters, **self._penalty.parameters}

    def prepare(self, references: References, workspace: Workspace) -> P:
        """Do what the part does."""
        return self._part.prepare(references, workspace)

    def dump(self, prepared: P) -> Arrays:
        """Turn what was prepared into arrays."""
        return self._part.dump(prepared)

    def load(self, arrays: Arrays) -> P:
        """Read what ``dump`` wrote."""
        return self._part.load(arrays)

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: P,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip; the details have the verdict as "fluency"."""
        clips = len(candidates)
        verdicts = self._penalty.judge(
            candidates.first,
            workspace,
            heartbeat=lambda _done, _total: workspace.progress(self.name, 0, clips),
        )
        whole, rows = self._parts(candidates, references, prepared, workspace)
        scores = whole * verdicts.kept
        value, interval = mean_and_interval(scores)
        workspace.progress(self.name, clips, clips)
        details: Details | None = None
        if workspace.details:
            told = zip(rows, verdicts.details, strict=True)
            details = [{**row, "fluency": verdict} for row, verdict in told]
        signed = signature(self.name, self.parameters, references.counts_label, self.revision)
        per_clip = scores.astype(np.float32)
        return {self.name: MetricScore(self.name, value, interval, per_clip, signed, details)}
