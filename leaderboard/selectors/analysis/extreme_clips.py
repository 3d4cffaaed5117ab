"""The clips on which a system does best and worst."""

from dataclasses import dataclass

import numpy as np

from leaderboard.selectors.clips.corpus import ClipLine, Corpus, clip_lines
from leaderboard.selectors.clips.sorting import columns_of
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from scoring.registry import MetricInfo

MOST = 5


@dataclass(frozen=True, slots=True)
class ExtremeClips:
    """Clips by one metric, the best and the worst, each from its end."""

    info: MetricInfo
    best: tuple[ClipLine, ...]
    worst: tuple[ClipLine, ...]


def extremes_of(submission: AnySubmission, corpus: Corpus) -> ExtremeClips | None:
    """Give the ends by the phase's ranking metric; None without scores of clips.

    No clip stands at both ends; equal ones stand in the order of the references.
    """
    info = submission.phase.ranking
    values = columns_of([submission], info.name)[0].values
    if values is None:
        return None
    signed = values if info.direction == "higher" else -values
    known = np.flatnonzero(np.isfinite(signed))
    if not known.size:
        return None
    count = min(MOST, max(1, known.size // 2))
    order = known[np.argsort(-signed[known], kind="stable")]
    upwards = known[np.argsort(signed[known], kind="stable")]
    return ExtremeClips(
        info,
        clip_lines(corpus, values, order[:count].tolist()),
        clip_lines(corpus, values, upwards[:count].tolist()) if known.size > 1 else (),
    )
