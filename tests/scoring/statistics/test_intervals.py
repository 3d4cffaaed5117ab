"""Intervals: the textbook's formulas, and no interval where none can be given."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from scoring.captions import Candidates, References
from scoring.pipeline import score
from scoring.registry import METRICS
from scoring.results import NO_INTERVAL
from scoring.statistics import Z95, jackknife, mean_and_interval, wilson_interval
from scoring.workspace import Workspace

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
