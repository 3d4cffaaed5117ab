"""Krippendorff's alpha of ordered ratings."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement.ordinal import ordinal_alpha

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), part C: 4 observers, 12 units.
TABLE = (
    (1, None, 1, 1), (2, 2, 3, 2), (3, 3, 3, 3), (3, 3, 3, 3), (2, 2, 2, 2), (1, 2, 3, 4),
    (4, 4, 4, 4), (1, 1, 2, 1), (2, 2, 2, 2), (None, 5, 5, 5), (None, None, 1, 1),
    (None, None, 3, None),
)  # fmt: skip
UNITS = [[number for number in unit if number is not None] for unit in TABLE]

ratings = st.lists(st.lists(st.integers(1, 4), max_size=4), max_size=12)


def alpha(units: list[list[int]]) -> float | None:
    return ordinal_alpha([[unit] for unit in units], lowest=1, highest=5, resamples=50).value


def test_the_published_example() -> None:
    """His part E has .815 for ordinal data."""
    found = ordinal_alpha([[unit] for unit in UNITS], lowest=1, highest=5)
    low, value, high = found.low or 0, found.value or 0, found.high or 0
    assert value == pytest.approx(0.815, abs=5e-4)
    assert found.n == 11
    assert 0 < low < value < high


@pytest.mark.parametrize("units", [[], [[3]], [[2, 2], [2, 2, 2]]])
def test_where_nobody_could_have_disagreed_it_is_not_defined(units: list[list[int]]) -> None:
    assert alpha(units) is None


@given(ratings, st.randoms())
def test_full_agreement_is_1_whatever_the_order_and_the_way_the_scale_is_read(
    units: list[list[int]], draw: Random
) -> None:
    found = alpha(units)
    assert found is None or found <= 1 + 1e-9
    whole = alpha([[unit[0]] * 2 for unit in units if unit])
    assert whole is None or whole == pytest.approx(1)
    shuffled = [draw.sample(unit, len(unit)) for unit in units]
    draw.shuffle(shuffled)
    assert alpha(shuffled) == pytest.approx(found)
    assert alpha([[5 - number for number in unit] for unit in units]) == pytest.approx(found)


def test_units_of_one_clip_are_counted_together() -> None:
    """What they are said to be of moves the interval alone."""
    together = ordinal_alpha([UNITS[:6], UNITS[6:]], lowest=1, highest=5)
    apart = ordinal_alpha([[unit] for unit in UNITS], lowest=1, highest=5)
    assert (together.value, together.n) == (apart.value, apart.n)
