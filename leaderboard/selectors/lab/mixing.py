"""Putting the values of several metrics together into one that ranks."""

from collections.abc import Sequence

import numpy as np

from leaderboard.selectors.analysis.clip_scores import Floats
from leaderboard.selectors.lab.query import Mix
from scoring.registry import Direction, MetricInfo
from scoring.statistics import ranks


def direction_of(infos: Sequence[MetricInfo], mix: Mix) -> Direction:
    """Say which values are better: of one metric its own, of mixed ranks the lower."""
    if len(infos) == 1:
        return infos[0].direction
    return "lower" if mix == "ranks" else "higher"


def mixed(
    columns: Sequence[Floats], infos: Sequence[MetricInfo], weights: Sequence[float], mix: Mix
) -> Floats:
    """Give the value that ranks, shape (..., systems), of as many ``columns`` as metrics.

    One metric stands for itself. Of several, the weighted mean over the metrics of each
    system's z-score (better is higher) or rank among all the systems of its row.
    """
    if len(columns) == 1:
        return columns[0]
    parts = [
        weight * (_z_scores(column, info) if mix == "z" else _ranks(column, info))
        for column, info, weight in zip(columns, infos, weights, strict=True)
    ]
    total: Floats = np.sum(parts, axis=0)
    return total / sum(weights)


def _z_scores(column: Floats, info: MetricInfo) -> Floats:
    spread = column.std(axis=-1, keepdims=True)
    centred = column - column.mean(axis=-1, keepdims=True)
    # Where all are equal, none is ahead.
    found: Floats = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
    return found if info.direction == "higher" else -found


def _ranks(column: Floats, info: MetricInfo) -> Floats:
    higher = info.direction == "higher"
    rows = column.reshape(-1, column.shape[-1])
    found = ranks(rows, higher_is_better=higher)
    return found.reshape(column.shape).astype(np.float64)
