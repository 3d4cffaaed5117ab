"""Intervals and correlations: the textbook's formulas, and words where none can be given."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy import stats

from earmark import statistics
from earmark.captions import Candidates, References
from earmark.pipeline import score
from earmark.registry import METRICS
from earmark.results import NO_INTERVAL
from earmark.statistics import (
    Z95,
    jackknife,
    kendall_matrix,
    mean_and_interval,
    spearman_matrix,
    wilson_interval,
)
from earmark.workspace import Workspace

Floats = NDArray[np.float64]

scores = st.lists(st.floats(0, 1, width=32), min_size=2, max_size=40).map(np.array)


@given(scores)
def test_jackknife_of_a_mean_is_its_standard_error(values: Floats) -> None:
    mean, interval = mean_and_interval(values)
    error = values.std(ddof=1) / math.sqrt(values.size)
    assert mean == pytest.approx(values.mean())
    assert interval.high - mean == pytest.approx(Z95 * error, abs=1e-9)
    assert mean - interval.low == pytest.approx(Z95 * error, abs=1e-9)


@given(scores)
def test_nan_is_left_out(values: Floats) -> None:
    with_gaps = np.insert(values, [0, values.size], math.nan)
    assert mean_and_interval(with_gaps) == mean_and_interval(values)


@pytest.mark.parametrize("values", [[], [math.nan, math.nan]])
def test_no_value_at_all_is_nan(values: list[float]) -> None:
    mean, interval = mean_and_interval(np.array(values, np.float32))
    assert math.isnan(mean)
    assert interval is NO_INTERVAL


def test_one_value_has_no_interval() -> None:
    assert mean_and_interval(np.array([0.5, math.nan])) == (0.5, NO_INTERVAL)
    assert jackknife(0.5, np.array([0.5])) is NO_INTERVAL


@given(
    st.lists(st.sampled_from(["a dog barks", "rain", "a man a man", "", "birds sing loudly and"])),
    st.integers(2, 6),
)
@settings(max_examples=25, deadline=None)
def test_no_interval_leaves_the_range_of_its_metric(captions: list[str], clips: int) -> None:
    """A rate's lay between -0.013 and 0.041 once."""
    captions = (captions + ["a dog barks"] * clips)[:clips]
    references = References.build([(f"{n}.wav", ["a dog barks", "rain"]) for n in range(clips)])
    metrics = ["bleu_4", "cider_d", "fer", "rouge_l"]
    found = score(Candidates.single(captions), references, metrics, Workspace())
    for name, result in found.results.items():
        low, high = result.interval.low, result.interval.high
        assert METRICS[name].low <= low <= result.value <= high <= METRICS[name].high


def test_a_rate_of_nothing_may_still_be_more_than_nothing() -> None:
    references = References.build([(f"{n}.wav", ["a dog barks"]) for n in range(3)])
    fer = score(Candidates.single(["a dog barks"] * 3), references, ["fer"], Workspace()).results[
        "fer"
    ]
    assert (fer.value, fer.interval) == (0.0, wilson_interval(0, 3))


VALUES = st.floats(0, 1).map(lambda x: round(x, 1)) | st.just(float("nan"))
# On both sides of a word of bits, and of the points that are compared together.
POINTS = st.integers(1, 12) | st.sampled_from([63, 64, 65, 127, 128, 129, 200])
TABLES = POINTS.flatmap(lambda points: arrays(np.float64, (points, 3), elements=VALUES))


@given(TABLES)
def test_they_are_scipys_over_the_points_that_both_have(table: np.ndarray) -> None:
    """Kendall's to the last bit, since only whole numbers are counted."""
    kendall, spearman = kendall_matrix(table), spearman_matrix(table)
    for one in range(3):
        for other in range(one + 1):
            both = ~np.isnan(table[:, [one, other]]).any(axis=1)
            x, y = table[both, one], table[both, other]
            if x.size < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
                assert np.isnan([kendall[one, other], spearman[one, other]]).all()
                continue
            assert kendall[one, other] == kendall[other, one] == stats.kendalltau(x, y).statistic
            expected = stats.spearmanr(x, y).statistic
            assert spearman[one, other] == pytest.approx(expected, abs=1e-12)


def test_many_points_are_counted_without_overflow() -> None:
    table = np.random.default_rng(1).random((4000, 3))
    expected = stats.kendalltau(table[:, 2], table[:, 0]).statistic
    assert kendall_matrix(table)[0, 2] == expected


MATRIX, COLUMN = np.random.default_rng(1).random((10, 3)), np.arange(10.0)
GAIN = MATRIX[:, 0] - MATRIX[:, 1]

MISUSES: dict[str, tuple[str, tuple[Any, ...], str]] = {
    # p = .258 with an interval of NaN.
    "draws of three systems": ("paired_difference", (GAIN, MATRIX), "(10, 3). Give (resamples,)"),
    "gains as a column": ("paired_difference", (GAIN[:, None], COLUMN), "(10, 1). Give (clips,)"),
    "two systems": ("paired_differences", (MATRIX, MATRIX[:9], [True] * 3), "Give (10, 3)"),
    "directions": ("paired_differences", (MATRIX, MATRIX, [True]), "(1,). Give (3,)"),
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
