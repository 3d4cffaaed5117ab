"""Arrays of the wrong shape are refused in words; before, some gave a number."""

from typing import Any

import numpy as np
import pytest

from scoring import statistics

MATRIX, COLUMN = np.random.default_rng(1).random((10, 3)), np.arange(10.0)
GAIN = MATRIX[:, 0] - MATRIX[:, 1]

MISUSES: dict[str, tuple[str, tuple[Any, ...], str]] = {
    # p = .258 with an interval of NaN.
    "draws of three systems": ("paired_difference", (GAIN, MATRIX), "(10, 3). Give (resamples,)"),
    "gains as a column": ("paired_difference", (GAIN[:, None], COLUMN), "(10, 1). Give (clips,)"),
    "p-value": ("two_sided_p_value", (MATRIX,), "(10, 3). Give (resamples,)"),
    "interval": ("difference_interval", (MATRIX,), "(10, 3). Give (resamples,)"),
    "percentiles": ("percentile_interval", (MATRIX,), "(10, 3). Give (resamples,)"),
    "scores of one system": ("resampled_means", (COLUMN,), "(10,). Give (clips, systems)"),
    "sums": ("resampled_sums", (COLUMN,), "(10,). Give (clips, columns)"),
    "pairs": ("p_values", (COLUMN,), "(10,). Give (resamples, systems)"),
    "other systems": ("p_values", (MATRIX, MATRIX[:, :2]), "(10, 2). Give (clips, 3)"),
    "ties": ("tied_pairs", (COLUMN,), "(10,). Give (resamples, systems)"),
    "ranks": ("ranks", (COLUMN,), "(10,). Give (resamples, systems)"),
    "rank intervals": ("rank_intervals", (COLUMN,), "(10,). Give (resamples, systems)"),
    "rank chances": ("rank_probabilities", (COLUMN,), "(10,). Give (resamples, systems)"),
    "jackknife": ("jackknife", (0.5, MATRIX), "(10, 3). Give (clips,)"),
    "mean": ("mean_and_interval", (MATRIX,), "(10, 3). Give (clips,)"),
    "tau": ("kendall_matrix", (COLUMN,), "(10,). Give (points, columns)"),
    "rho": ("spearman_matrix", (COLUMN,), "(10,). Give (points, columns)"),
    "pearson": ("pearson", (COLUMN, COLUMN[:5]), "(5,). Give (10,)"),
    "groups": ("grouped_share_interval", (COLUMN, COLUMN[:5]), "(5,). Give (10,)"),
    "judgments": ("davidson", (MATRIX[:, :2], MATRIX[:9], 3), "(9, 3). Give (10, 3)"),
}


@pytest.mark.parametrize(("name", "arguments", "said"), MISUSES.values(), ids=MISUSES)
def test_another_shape_is_refused(name: str, arguments: tuple[Any, ...], said: str) -> None:
    with pytest.raises(statistics.WrongShape) as refused:
        getattr(statistics, name)(*arguments)
    assert said in str(refused.value)
