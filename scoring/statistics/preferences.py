"""Strengths of systems from comparisons by twos, and shares of comparisons that come in groups."""

import math

import numpy as np
from numpy.typing import NDArray

from scoring.results import NO_INTERVAL, Interval
from scoring.statistics.resampling import (
    RESAMPLES,
    SEED,
    Floats,
    percentile_interval,
    resampled_sums,
)

Ints = NDArray[np.int64]

# Wins and losses that everybody has against an imagined opponent of strength 0.
PRIOR = 0.5
# Draws of a model that is fitted anew for each.
STRENGTH_RESAMPLES = 1000
_MOST_STEPS, _CLOSE = 200, 1e-10


def bradley_terry(wins: Floats, *, prior: float = PRIOR) -> Floats:
    """Log strengths of systems by the model of Bradley and Terry, shape (..., systems).

    ``wins[..., i, j]``, shape (..., systems, systems), is how often i was preferred to j; who
    finds both alike gives half a win to each. i is preferred to j with the probability
    1 / (1 + exp(s_j - s_i)). Strengths have mean 0 over the systems that were compared; NaN is
    one that was not.

    Everybody also has ``prior`` wins and losses, greater than 0, against an imagined opponent of
    strength 0: so a system that never lost has a finite strength, and groups that were never
    compared with each other a place, each around 0. The maximum is unique and found by Newton's
    method with steps of at most 1, which the concave likelihood allows. Sources: Bradley and
    Terry, Biometrika 39, 1952; Hunter, MM algorithms for generalized Bradley-Terry models, Annals
    of Statistics 32, 2004 (when a maximum exists); the imagined opponent as in Caron and Doucet,
    Efficient Bayesian inference for generalized Bradley-Terry models, JCGS 21, 2012.
    """
    if prior <= 0:
        raise ValueError(f"The prior is {prior}. Give more than 0 wins.")
    systems = wins.shape[-1]
    won = wins.reshape(math.prod(wins.shape[:-2]), systems, systems)
    games = won + won.swapaxes(-1, -2)
    strengths = np.zeros((len(won), systems))
    for _ in range(_MOST_STEPS):
        step = _newton_step(strengths, won.sum(axis=-1), games, prior)
        widest = np.abs(step).max(initial=0.0, axis=-1, keepdims=True)
        strengths += step / np.maximum(widest, 1.0)
        if not (widest > _CLOSE).any():
            break
    strengths[games.sum(axis=-1) == 0] = np.nan
    compared = ~np.isnan(strengths)
    middle = np.where(compared, strengths, 0.0).sum(axis=-1) / np.maximum(compared.sum(axis=-1), 1)
    centred: Floats = (strengths - middle[:, None]).reshape(wins.shape[:-1])
    return centred


def _newton_step(strengths: Floats, won: Floats, games: Floats, prior: float) -> Floats:
    """The step to the maximum of the quadratic that the log likelihood is like here."""
    expected = _logistic(strengths[:, :, None] - strengths[:, None, :])
    against = _logistic(strengths)
    gradient = won - (games * expected).sum(axis=-1) + prior * (1 - 2 * against)
    certain = games * expected * (1 - expected)
    curvature = -certain
    places = np.arange(strengths.shape[-1])
    own = certain.sum(axis=-1) - certain[:, places, places]
    curvature[:, places, places] = own + 2 * prior * against * (1 - against)
    step: Floats = np.linalg.solve(curvature, gradient[..., None])[..., 0]
    return step


def _logistic(values: Floats) -> Floats:
    # Neither side overflows.
    return np.asarray(0.5 * (1 + np.tanh(0.5 * values)))


def strength_intervals(
    wins: Floats,
    *,
    prior: float = PRIOR,
    resamples: int = STRENGTH_RESAMPLES,
    seed: int = SEED,
) -> list[Interval]:
    """95 % intervals of ``bradley_terry`` by the percentile bootstrap over clips.

    ``wins``, shape (clips, systems, systems), has the comparisons of each clip, which are drawn
    together: what several people say of several pairs of one clip is not independent. Draws
    without a comparison of a system say nothing of it. Fewer than two clips give no interval.
    """
    clips, systems = wins.shape[:2]
    if clips < 2:
        return [NO_INTERVAL] * systems
    drawn = resampled_sums(wins.reshape(clips, -1), resamples=resamples, seed=seed)
    strengths = bradley_terry(drawn.reshape(-1, systems, systems), prior=prior)
    return [percentile_interval(column) for column in strengths.T]


def grouped_share_interval(
    successes: Floats, groups: Ints, *, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval:
    """95 % interval of a share of what comes in groups, by the percentile bootstrap over groups.

    ``successes``, shape (comparisons,), is 1 or 0, ``groups`` says of which clip each is.
    Fewer than two groups give no interval.
    """
    names, places = np.unique(groups, return_inverse=True)
    if names.size < 2:
        return NO_INTERVAL
    counts = np.stack(
        [np.bincount(places, weights=successes), np.bincount(places).astype(np.float64)], axis=1
    )
    drawn = resampled_sums(counts, resamples=resamples, seed=seed)
    return percentile_interval(drawn[:, 0] / drawn[:, 1])
