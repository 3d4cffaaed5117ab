"""Reading the scores of one submission."""

import math
from dataclasses import dataclass

from leaderboard.models import MetricResult, ReferenceSet, Submission
from leaderboard.selectors.phases import Cell


@dataclass(frozen=True, slots=True)
class PerClipScores:
    """A metric of every clip, in the order of the references; None where it says nothing."""

    signature: str
    clips: tuple[tuple[str, float | None], ...]


def scores_of(submission: Submission) -> dict[str, Cell]:
    """Give the published scores of a submission by metric."""
    results = MetricResult.objects.filter(submission=submission, evaluation__published=True).defer(
        "per_clip"
    )
    return {
        row.metric: Cell(row.value, row.low, row.high, row.coverage, row.clips, row.signature)
        for row in results
    }


def per_clip_of(submission: Submission, metric: str) -> PerClipScores | None:
    """Give a metric's published value of every clip, or None where it has none yet."""
    result = (
        MetricResult.objects.select_related("evaluation")
        .defer("evaluation__detail")
        .filter(submission=submission, metric=metric, evaluation__published=True)
        .first()
    )
    if result is None:
        return None
    references = ReferenceSet.objects.get(content_hash=result.evaluation.reference_hash).read()
    values = (float(value) if math.isfinite(value) else None for value in result.read_per_clip())
    clips = tuple(zip(references.file_names, values, strict=True))
    return PerClipScores(result.signature, clips)
