"""Intervals: the textbook's formulas, and no interval where none can be given."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scoring.results import NO_INTERVAL
from scoring.statistics import Z95, jackknife, mean_and_interval

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


def test_nan_value_has_no_interval() -> None:
    assert jackknife(math.nan, np.array([0.5, 0.6])) is NO_INTERVAL


def test_float64_is_not_rounded_to_what_is_stored() -> None:
    values = np.array([0.1, 0.2])
    assert mean_and_interval(values)[0] == pytest.approx(0.15, rel=1e-15)
