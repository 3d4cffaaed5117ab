"""What a system gains from offering several candidates for a clip."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaderboard.selectors.analysis.clip_scores import Floats
from leaderboard.selectors.clips.findings import slimmed
from leaderboard.selectors.visibility.visible_submissions import AnySubmission, visible_results
from scoring.registry import METRICS

# The columns of the details that SPICE+ by embeddings stores, in their order.
TUPLE_METRICS = ("spice_plus_precision", "spice_plus_recall", "spice_plus_emb")


@dataclass(frozen=True, slots=True)
class SeveralCandidates:
    """Corpus means by number of candidates, from 1 to the most that a clip has.

    ``tuples`` (numbers, 3): SPICE+ precision, recall and F of the first j
    candidates together; ``best`` (numbers,): SPIDEr of the best of the first j.
    None where a family has none. ``fewer`` (numbers,): clips with less than j
    candidates, which keep the value of all that they have; ``clips``: all clips; ``labels`` of
    the metrics by name.
    """

    tuples: Floats | None
    best: Floats | None
    fewer: tuple[int, ...]
    clips: int
    labels: Mapping[str, str]

    @property
    def most(self) -> int:
        """The most candidates that a clip has."""
        return len(self.fewer)

    @property
    def uneven(self) -> bool:
        """Whether some clip has fewer candidates than another."""
        return self.fewer[-1] > 0


def several_candidates(submission: AnySubmission) -> SeveralCandidates | None:
    """Read how the scores grow with the candidates; None where no clip has a second.

    None too where the details were stored before they said so, or in another shape.
    """
    # SPIDEr's details are small: where each clip has one candidate there, no others are read.
    spider = _values_by_candidate(submission, "spider", ("spider",))
    if spider is not None and not _any(spider):
        return None
    tuples = _values_by_candidate(submission, "spice_plus_emb", TUPLE_METRICS)
    by_tuples = _whole(submission, tuples, TUPLE_METRICS)
    by_spider = _whole(submission, spider, ("spider",))
    known = by_tuples or by_spider
    if known is None:
        return None
    depths = np.array([len(clip) for clip in known])
    most = int(depths.max())
    return SeveralCandidates(
        tuples=None if by_tuples is None else _means(by_tuples, most),
        best=None
        if by_spider is None
        else _means([np.maximum.accumulate(clip) for clip in by_spider], most)[:, 0],
        fewer=tuple(int((depths < number).sum()) for number in range(1, most + 1)),
        clips=len(known),
        labels={
            name: submission.phase.as_computed(METRICS[name]).label
            for name in (*TUPLE_METRICS, "spider")
        },
    )


def _values_by_candidate(
    submission: AnySubmission, family: str, metrics: Sequence[str]
) -> list[Floats | None] | None:
    """Each clip's values by rank, shape (candidates, metrics); None for one candidate."""
    return slimmed(submission, family, lambda clip: _rows(clip, len(metrics)))


def _any(clips: Sequence[Floats | None]) -> bool:
    return any(rows is not None for rows in clips)


def _rows(clip: Any, columns: int) -> Floats | None:
    """Read the values by rank of one clip's details, shape (candidates, columns)."""
    if "by_candidates" not in clip:
        return None
    rows = np.array(clip["by_candidates"], np.float64).reshape(-1, columns)
    if not len(rows) or not np.isfinite(rows).all():
        raise ValueError("Values by candidate are missing.")
    return rows


def _whole(
    submission: AnySubmission, clips: list[Floats | None] | None, metrics: Sequence[str]
) -> list[Floats] | None:
    """Fill in the clips with one candidate, whose values are the metrics' own."""
    if clips is None or not _any(clips):
        return None
    single = _per_clip(submission, metrics)
    if single is None or len(single) != len(clips):
        return None
    return [single[at : at + 1] if rows is None else rows for at, rows in enumerate(clips)]


def _per_clip(submission: AnySubmission, metrics: Sequence[str]) -> Floats | None:
    """Read what the metrics say of every clip, shape (clips, metrics)."""
    found = {
        row.metric: row.read_per_clip().astype(np.float64)
        for row in visible_results(submission).filter(metric__in=metrics)
    }
    if len(found) < len(metrics):
        return None
    return np.stack([found[name] for name in metrics], axis=1)


def _means(clips: Sequence[Floats], most: int) -> Floats:
    """Average over clips for each number of candidates; a clip with fewer keeps its last."""
    total = np.zeros((most, clips[0].shape[1]))
    for rows in clips:
        total[: len(rows)] += rows[:most]
        total[len(rows) :] += rows[-1]
    return total / len(clips)
