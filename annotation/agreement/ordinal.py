"""Krippendorff's alpha of ratings on an ordered scale."""

from collections.abc import Sequence

import numpy as np

from annotation.agreement.measures import Estimate, draws, intervals, known, totals
from scoring.statistics import Floats


def ordinal_alpha(
    units: Sequence[Sequence[int]], *, lowest: int, highest: int, resamples: int = 2000
) -> Estimate:
    """Agreement beyond chance of the ratings of each unit, with its interval over units.

    ``units`` are what was rated, each with the whole numbers that it got, from ``lowest`` to
    ``highest``; ``n`` counts those that two people or more rated. None where nobody could have
    disagreed. Source: Krippendorff, Content Analysis (2004), 11.3, with the ordinal difference.
    """
    several = [unit for unit in units if len(unit) > 1]
    counts = np.array([_coincidences(unit, lowest, highest) for unit in several])
    if not several:
        return Estimate(None, None, None, 0)
    value = known(_alpha(counts.sum(axis=0)))
    if value is None:
        return Estimate(None, None, None, len(several))
    low, high = intervals(_alpha(totals(counts, draws(len(several), resamples=resamples))))
    return Estimate(value, known(low), known(high), len(several))


def _coincidences(unit: Sequence[int], lowest: int, highest: int) -> Floats:
    """Every ordered pair of a unit's ratings, 1 / (m - 1) each for m ratings."""
    votes = np.bincount(np.array(unit) - lowest, minlength=highest - lowest + 1).astype(float)
    pairs: Floats = (np.outer(votes, votes) - np.diag(votes)) / (len(unit) - 1)
    return pairs


def _alpha(tables: Floats) -> Floats:
    """Alpha of tables of coincidences (last two axes)."""
    values = tables.sum(axis=-1)
    total = values.sum(axis=-1)
    upto = np.cumsum(values, axis=-1) - values / 2
    # How far two values are apart: all values between them, and half of those at both ends.
    distance = (upto[..., :, None] - upto[..., None, :]) ** 2
    differ = (tables * distance).sum(axis=(-1, -2))
    chance = (values[..., :, None] * values[..., None, :] * distance).sum(axis=(-1, -2))
    share = np.divide(differ, chance, out=np.full_like(chance, np.nan), where=chance > 0)
    found: Floats = 1 - (total - 1) * share
    return found
