"""Krippendorff's alpha of ratings on an ordered scale."""

from collections.abc import Sequence

import numpy as np

from annotation.agreement import tables
from annotation.agreement.measures import Estimate, estimated_by_clip
from scoring.statistics import Floats


def ordinal_alpha(
    clips: Sequence[Sequence[Sequence[int]]], *, lowest: int, highest: int, resamples: int = 1000
) -> Estimate:
    """Agreement beyond chance of ratings, with its interval over clips.

    Each clip has units that were rated, each with the whole numbers that it got, from ``lowest``
    to ``highest``; ``n`` counts the units that two people or more rated. None where nobody could
    have disagreed. Source: Krippendorff, Content Analysis (2004), 11.3, with the ordinal
    difference.
    """
    several = [units for clip in clips if (units := [unit for unit in clip if len(unit) > 1])]
    n = sum(map(len, several))
    if not n:
        return Estimate(None, None, None, 0)
    counts = _coincidences(several, lowest, highest)
    return estimated_by_clip(tables.ordinal_alpha, counts, n, resamples=resamples)


def _coincidences(clips: Sequence[Sequence[Sequence[int]]], lowest: int, highest: int) -> Floats:
    """By clip every ordered pair of ratings of each unit, 1 / (m - 1) each for m ratings."""
    units = [unit for clip in clips for unit in clip]
    sizes = np.array([len(unit) for unit in units])
    numbers = np.concatenate([np.array(unit) for unit in units]) - lowest
    votes = np.zeros((len(units), highest - lowest + 1))
    np.add.at(votes, (np.repeat(np.arange(len(units)), sizes), numbers), 1)
    pairs = votes[:, :, None] * votes[:, None, :] - votes[:, :, None] * np.eye(votes.shape[1])
    counts = np.zeros((len(clips), *pairs.shape[1:]))
    whose = np.repeat(np.arange(len(clips)), [len(clip) for clip in clips])
    np.add.at(counts, whose, pairs / (sizes - 1)[:, None, None])
    return counts
