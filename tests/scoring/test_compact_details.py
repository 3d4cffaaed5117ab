"""Details kept as compressed JSON: read like the list that they were made of."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.compact_details import CompactDetails

ROWS: list[dict[str, Any]] = [{"place": place, "words": ["a", "dog"]} for place in range(250)]


@pytest.fixture
def details() -> CompactDetails:
    """Rows that came in two parts, the second with blocks of its own."""
    made = CompactDetails()
    made.extend(ROWS[:130])
    made.extend(ROWS[130:])
    return made


def test_reads_like_a_list(details: CompactDetails) -> None:
    assert len(details) == 250
    assert list(details) == ROWS
    assert list(reversed(details)) == ROWS[::-1]
    with pytest.raises(IndexError):
        details[250]


@given(place=st.integers(-250, 249), start=st.integers(-300, 300), stop=st.integers(-300, 300))
def test_has_places_and_slices_as_a_list(place: int, start: int, stop: int) -> None:
    details = CompactDetails()
    details.extend(ROWS)
    assert details[place] == ROWS[place]
    assert details[start:stop] == ROWS[start:stop]


def test_keeps_half_characters_and_numbers() -> None:
    details = CompactDetails()
    rows: list[dict[str, Any]] = [{"text": chr(0xD800) + "ö\x00", "value": 0.1}, {"value": None}]
    details.extend(rows)
    assert list(details) == rows


def test_takes_much_less_than_the_objects(details: CompactDetails) -> None:
    assert sum(map(len, details._packed)) < 5_000
