"""Weights of 0 or more from pairs of captions, and how well they do on clips not seen.

What each part is worth the ablation says: the validation anew without it, on the same folds.

Pairwise logistic regression (Bradley and Terry, 1952, with features): the chance that the
better caption of a pair is preferred is 1 / (1 + exp(-SHARPNESS w.d)), where d is the difference
of their parts.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earmark.metrics.earmark.metric import PARTS
from earmark.results import Interval
from earmark.statistics import percentile_interval, resampled_sums

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Right = NDArray[np.bool_]

# How fast a difference becomes a certainty; what weights are found hardly depends on it.
SHARPNESS = 12.0
FOLDS = 10
SIMILARITY = ("similarity", "best_similarity")
CONTENT = ("content_named", "content_confirmed")
FLUENCY = tuple(part for part in PARTS if part not in (*SIMILARITY, *CONTENT))
# What is left out together, by its name; pairs of altered captions are no part.
ALTERED = "Pairs of altered captions"
LEFT_OUT: Mapping[str, tuple[str, ...]] = {
    "Both similarities": SIMILARITY,
    "Both of content": CONTENT,
    "All of fluency": FLUENCY,
    **{label: (part,) for part, label in PARTS.items()},
    ALTERED: (),
}


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

    minimum = minimize(
        loss, np.full(parts, 1 / parts), jac=True, bounds=[(0, None)] * parts, method="L-BFGS-B"
    )
    total = minimum.x.sum()
    weights: Floats = minimum.x / total if total > 0 else np.full(parts, 1 / parts)
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


@dataclass(frozen=True, slots=True)
class Ablated:
    """Per cent of people's pairs ordered rightly without something, and the change by that.

    ``change`` is in percentage points, negative where it is missed; its 95 % ``interval`` is a
    bootstrap over clips, whose pairs are drawn together.
    """

    left_out: str
    percent: float
    change: float
    interval: Interval


def ablation(
    people: PartPairs,
    altered: Floats,
    right: Right,
    *,
    seed: int,
    log: Callable[[str], None],
) -> list[Ablated]:
    """Validate without each entry of ``LEFT_OUT``; ``right``, shape (pairs,), is with all.

    Weights and settings are found anew, with the same folds and the same seed.
    """
    rows = []
    for name, parts in LEFT_OUT.items():
        kept = np.array([part not in parts for part in PARTS])
        fitted = altered[:0] if name == ALTERED else altered
        without = nested_validation(
            PartPairs(people.differences[:, kept], people.groups), fitted[:, kept], seed=seed
        )
        rows.append(_row(name, right, without, people.groups))
        log(f"without {name}: {rows[-1].percent:.1f} %")
    return rows


def _row(name: str, right: Right, without: Right, clips: Ints) -> Ablated:
    change = 100 * (without.astype(np.float64) - right)
    return Ablated(
        name, 100 * float(without.mean()), float(change.mean()), change_interval(change, clips)
    )


def change_interval(change: Floats, clips: Ints) -> Interval:
    """95 % interval of the mean of what comes in groups, by the percentile bootstrap over them.

    ``change`` and ``clips``, the group of each, have shape (pairs,).
    """
    places = np.unique(clips, return_inverse=True)[1]
    sums = np.stack([np.bincount(places, change), np.bincount(places)], axis=1)
    drawn = resampled_sums(sums.astype(np.float64))
    return percentile_interval(drawn[:, 0] / drawn[:, 1])


def ablation_json(rows: Sequence[Ablated]) -> str:
    """Write the rows as JSON, one line for each, to two digits."""
    lines = ",\n".join(
        " "
        + json.dumps(
            {
                "left_out": row.left_out,
                "percent": round(row.percent, 2),
                "change": round(row.change, 2),
                "low": round(row.interval.low, 2),
                "high": round(row.interval.high, 2),
            }
        )
        for row in rows
    )
    return f"[\n{lines}\n]\n"
