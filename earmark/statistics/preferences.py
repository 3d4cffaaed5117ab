"""Strengths of systems from comparisons by twos, and shares of comparisons that come in groups."""

import math
from dataclasses import dataclass

import numpy as np

from earmark.results import NO_INTERVAL, Interval
from earmark.statistics.intervals import Z95, rate_interval
from earmark.statistics.resampling import (
    SEED,
    Floats,
    Ints,
    percentile_interval,
    resampled_sums,
)
from earmark.statistics.shapes import check_shape

# Wins and losses that everybody has against an imagined opponent of strength 0.
PRIOR = 0.5
# Draws of a model that is fitted anew for each.
STRENGTH_RESAMPLES = 1000
# Newton's method ends with steps that are as small; draws, of which only quantiles are had, sooner.
_MOST_STEPS, _CLOSE, _DRAWN = 200, 1e-10, 1e-5
# Numbers of a matrix that are solved together: bounds the memory.
_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True)
class PairStrengths:
    """Log strengths, shape (..., systems), and how readily judges find two alike.

    Strengths have mean 0 over the systems that were compared; NaN is one that was not. ``alike``,
    shape (...), is the chance, 0 to 1, that two of equal strength are found alike.
    """

    strengths: Floats
    alike: Floats


def davidson(
    pairs: Ints, counts: Floats, systems: int, *, prior: float = PRIOR, close: float = _CLOSE
) -> PairStrengths:
    """Log strengths by Davidson's model, which is Bradley and Terry's where two may be alike.

    ``pairs``, shape (pairs, 2), are systems by their places, each two of them once;
    ``counts[..., k, :]``, shape (..., pairs, 3), how often the first of pair k was preferred, how
    often the second, and how often both were found alike. With g = s_i - s_j the first is
    preferred with the probability exp(g/2) / D, the second with exp(-g/2) / D, and both are alike
    with nu / D, where D = exp(g/2) + exp(-g/2) + nu: so where judges do prefer one, it is i with
    the probability 1 / (1 + exp(-g)), however many find them alike.

    Everybody also has ``prior`` wins and losses, greater than 0, against an imagined opponent of
    strength 0: so a system that never lost has a finite strength, and groups that were never
    compared with each other a place, each around 0. Of one imagined pair of equals ``prior`` votes
    are decided and ``prior`` alike, so that nu is finite and not 0. The log likelihood is concave
    in the strengths and log nu; its maximum is unique and found by Newton's method with steps of
    at most 1, up to ``close``. Sources: Bradley and Terry, Biometrika 39, 1952; Davidson, On
    extending the Bradley-Terry model to accommodate ties in paired comparison experiments, JASA
    65, 1970; Hunter, MM algorithms for generalized Bradley-Terry models, Annals of Statistics 32,
    2004 (when a maximum exists); the imagined opponent as in Caron and Doucet, Efficient Bayesian
    inference for generalized Bradley-Terry models, JCGS 21, 2012.
    """
    if prior <= 0:
        raise ValueError(f"The prior is {prior}. Give more than 0 wins.")
    check_shape("pairs", pairs, "pairs", 2)
    check_shape("counts", counts, *counts.shape[:-2], len(pairs), 3)
    ahead = counts.shape[:-2]
    votes = counts.reshape(math.prod(ahead), len(pairs), 3)
    model = _Davidson(pairs, votes, systems, prior)
    # The strengths, and log nu behind them; as many alike as preferred to begin with.
    estimate = np.zeros((len(votes), systems + 1))
    for _ in range(_MOST_STEPS):
        step = model.step(estimate)
        widest = np.abs(step).max(initial=0.0, axis=-1, keepdims=True)
        estimate += step / np.maximum(widest, 1.0)
        if not (widest > close).any():
            break
    strengths, nu = np.where(model.compared, estimate[:, :-1], np.nan), np.exp(estimate[:, -1])
    middle = np.where(model.compared, strengths, 0.0).sum(axis=-1)
    middle /= np.maximum(model.compared.sum(axis=-1), 1)
    return PairStrengths(
        (strengths - middle[:, None]).reshape(*ahead, systems), (nu / (2 + nu)).reshape(ahead)
    )


class _Davidson:
    """The log likelihood of many tables of votes on the same pairs, each with its own maximum."""

    def __init__(self, pairs: Ints, votes: Floats, systems: int, prior: float) -> None:
        self._one, self._other = pairs.reshape(-1, 2).T
        self._votes, self._games, self._prior = votes, votes.sum(axis=-1), prior
        # Which systems each pair has, shape (pairs, systems).
        places = np.eye(systems)
        self._sides = places[self._one] - places[self._other]
        self._both = places[self._one] + places[self._other]
        self.compared = (self._games @ self._both) > 0

    def step(self, estimate: Floats) -> Floats:
        """The step to the maximum of the quadratic that the log likelihood is like here."""
        strengths, log_nu = estimate[:, :-1], estimate[:, -1:]
        gap = strengths[:, self._one] - strengths[:, self._other]
        chances = _chances(gap, log_nu)
        against = 0.5 * (1 + np.tanh(0.5 * strengths))
        tied = _chances(np.zeros_like(log_nu), log_nu)[2]
        curvature = self._curvature(chances, against, tied)
        gradient = self._gradient(chances, against, tied)
        step = np.linalg.solve(curvature, gradient[..., None])[..., 0]
        return np.asarray(step, np.float64)

    def _gradient(self, chances: tuple[Floats, ...], against: Floats, tied: Floats) -> Floats:
        """Slope by each strength and by log nu, shape (tables, systems + 1)."""
        first, second, alike = chances
        lead = self._votes[..., 0] - self._votes[..., 1] - self._games * (first - second)
        more_alike = (self._votes[..., 2] - self._games * alike).sum(axis=-1, keepdims=True)
        by_strength = 0.5 * lead @ self._sides + self._prior * (1 - 2 * against)
        return np.concatenate([by_strength, more_alike + self._prior * (1 - 2 * tied)], axis=-1)

    def _curvature(self, chances: tuple[Floats, ...], against: Floats, tied: Floats) -> Floats:
        """How fast the slope falls: positive definite, systems and log nu on both sides."""
        first, second, alike = chances
        lead, games, prior = first - second, self._games, self._prior
        certain = games * 0.25 * (first + second - lead**2)
        systems = against.shape[1]
        matrix = np.zeros((len(against), systems + 1, systems + 1))
        matrix[:, self._one, self._other] = matrix[:, self._other, self._one] = -certain
        places = np.arange(systems)
        matrix[:, places, places] = certain @ self._both + 2 * prior * against * (1 - against)
        matrix[:, -1, :-1] = matrix[:, :-1, -1] = -0.5 * (games * lead * alike) @ self._sides
        own = (games * alike * (1 - alike)).sum(axis=-1)
        matrix[:, -1, -1] = own + 2 * prior * (tied * (1 - tied))[:, 0]
        return matrix


def _chances(gap: Floats, log_nu: Floats) -> tuple[Floats, Floats, Floats]:
    """The chances of first, second and alike; nothing overflows."""
    most = np.maximum(np.abs(gap) / 2, log_nu)
    first, second, alike = (np.exp(term - most) for term in (gap / 2, -gap / 2, log_nu))
    total = first + second + alike
    return first / total, second / total, alike / total


def strength_intervals(
    pairs: Ints,
    counts: Floats,
    systems: int,
    *,
    prior: float = PRIOR,
    resamples: int = STRENGTH_RESAMPLES,
    seed: int = SEED,
) -> list[Interval]:
    """95 % intervals of the strengths of ``davidson`` by the percentile bootstrap over clips.

    ``counts``, shape (clips, pairs, 3), has the comparisons of each clip, which are drawn
    together: what several people say of several pairs of one clip is not independent. Draws
    without a comparison of a system say nothing of it. Fewer than two clips give no interval.
    """
    check_shape("counts", counts, "clips", len(pairs), 3)
    clips = len(counts)
    if clips < 2:
        return [NO_INTERVAL] * systems
    drawn = resampled_sums(counts.reshape(clips, -1), resamples=resamples, seed=seed)
    votes = drawn.reshape(resamples, len(pairs), 3)
    each = max(1, _AT_ONCE // (systems + 1) ** 2)
    strengths = np.concatenate(
        [
            davidson(pairs, votes[at : at + each], systems, prior=prior, close=_DRAWN).strengths
            for at in range(0, resamples, each)
        ]
    )
    return [percentile_interval(column) for column in strengths.T]


def grouped_share_interval(successes: Floats, groups: Ints) -> Interval:
    """95 % interval of a share of what comes in groups: ``rate_interval`` of the effective number.

    ``successes``, shape (comparisons,), is 1 or 0, ``groups`` says of which clip each is. As many
    independent comparisons as would vary as much, less what few groups leave unknown of that
    (Korn and Graubard, Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data, Survey Methodology 24, 1998); at a share of 0 or
    1, where none vary, as many as there are groups. Fewer than two groups give no interval.
    """
    from scipy.special import stdtrit

    check_shape("successes", successes, "comparisons")
    check_shape("groups", groups, len(successes))
    names, places = np.unique(groups, return_inverse=True)
    if names.size < 2:
        return NO_INTERVAL
    share, trials, count = float(successes.mean()), successes.size, names.size
    if share in (0.0, 1.0):
        return rate_interval(share * count, count)
    excess = np.bincount(places, weights=successes - share)
    variance = count / (count - 1) * float(excess @ excess) / trials**2
    alone = share * (1 - share) * (Z95 / float(stdtrit(count - 1, 0.975))) ** 2
    effective = min(alone / variance, trials) if variance else trials
    return rate_interval(share * effective, effective)
