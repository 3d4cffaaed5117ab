"""Many correlations at once are those that scipy gives one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from scoring.statistics import kendall_matrix, spearman_matrix

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
