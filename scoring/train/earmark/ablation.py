"""What each part of ``earmark`` is worth: the validation anew without it, on the same folds."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.metrics.earmark.metric import PARTS
from scoring.results import Interval
from scoring.statistics import percentile_interval, resampled_sums
from scoring.train.earmark.fitting import Floats, Ints, PartPairs, nested_validation

Right = NDArray[np.bool_]

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
