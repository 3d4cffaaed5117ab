"""Weights of 0 or more from pairs of captions, and how well they do on clips not seen.

Pairwise logistic regression (Bradley and Terry, 1952, with features): the chance that the
better caption of a pair is preferred is 1 / (1 + exp(-SHARPNESS w.d)), where d is the difference
of their parts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# How fast a difference becomes a certainty; what weights are found hardly depends on it.
SHARPNESS = 12.0
FOLDS = 10


@dataclass(frozen=True, slots=True)
class Setting:
    """``altered``: what all pairs of altered captions count, those of people counting 1.

    ``penalty`` is that of the squares of the weights.
    """

    altered: float
    penalty: float


# Tried in the inner validation; of two that are equally good, the earlier is taken.
SETTINGS = tuple(
    Setting(altered, penalty) for altered in (0.3, 0.1) for penalty in (0.01, 0.003, 0.001, 0.0003)
)


@dataclass(frozen=True, slots=True)
class PartPairs:
    """PartPairs as differences of parts, better less worse, shape (pairs, parts), with their clips.

    PartPairs of one clip stay together in validation: ``groups``, shape (pairs,).
    """

    differences: Floats
    groups: Ints

    def where(self, chosen: NDArray[np.bool_]) -> "PartPairs":
        """Some of the pairs."""
        return PartPairs(self.differences[chosen], self.groups[chosen])


def fit(people: PartPairs, altered: Floats, setting: Setting) -> Floats:
    """Weights of 0 or more that add up to 1, shape (parts,).

    ``altered`` has the differences of pairs of altered captions, shape (pairs, parts).
    """
    from scipy.optimize import minimize

    rows = np.concatenate([people.differences, altered])
    shares = np.concatenate(
        [
            np.full(len(people.differences), 1 / len(people.differences)),
            np.full(len(altered), setting.altered / max(1, len(altered))),
        ]
    )
    parts = rows.shape[1]

    def loss(weights: Floats) -> tuple[float, Floats]:
        margins = SHARPNESS * (rows @ weights)
        slopes = -shares / (1 + np.exp(np.clip(margins, -500, 500)))
        value = shares @ np.logaddexp(0, -margins) + setting.penalty * (weights @ weights)
        return float(value), SHARPNESS * (rows.T @ slopes) + 2 * setting.penalty * weights

    found = minimize(
        loss, np.full(parts, 1 / parts), jac=True, bounds=[(0, None)] * parts, method="L-BFGS-B"
    )
    total = found.x.sum()
    weights: Floats = found.x / total if total > 0 else np.full(parts, 1 / parts)
    return weights


def choose_setting(people: PartPairs, altered: Floats, *, seed: int) -> Setting:
    """The setting that orders most pairs of people rightly on clips that were not fitted."""

    def right(setting: Setting) -> int:
        return int(_held_out(people, altered, setting, seed=seed).sum())

    return max(SETTINGS, key=right)


def nested_validation(people: PartPairs, altered: Floats, *, seed: int) -> NDArray[np.bool_]:
    """Which pairs of people are ordered rightly, each by weights that saw nothing of its clip.

    The setting, too, is chosen without it: by an inner validation of each outer fold.
    """
    right = np.zeros(len(people.groups), np.bool_)
    for fold, test in enumerate(_folds(people.groups, seed)):
        training = people.where(~test)
        setting = choose_setting(training, altered, seed=seed + 1 + fold)
        right[test] = people.differences[test] @ fit(training, altered, setting) > 0
    return right


def _held_out(
    people: PartPairs, altered: Floats, setting: Setting, *, seed: int
) -> NDArray[np.bool_]:
    right = np.zeros(len(people.groups), np.bool_)
    for test in _folds(people.groups, seed):
        weights = fit(people.where(~test), altered, setting)
        right[test] = people.differences[test] @ weights > 0
    return right


def _folds(groups: Ints, seed: int) -> Sequence[NDArray[np.bool_]]:
    """Masks of the pairs of each fold, (pairs,); no clip is in two."""
    clips = np.random.default_rng(seed).permutation(np.unique(groups))
    folds = min(FOLDS, len(clips))
    return [np.isin(groups, clips[at::folds]) for at in range(folds)]
