"""Parts as they are asked for: shares, names, sizes, and every fault."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.datasets.splitting import Part, read_parts
from scoring.datasets.splitting.parts import development_part, part_sizes, size_faults


def test_parts_in_their_order_with_exact_shares() -> None:
    read = read_parts("development=.6, validation=1/5 ,evaluation=0.2")
    assert read.faults == ()
    assert [part.name for part in read.parts] == ["development", "validation", "evaluation"]
    assert [part.share for part in read.parts] == [Fraction(3, 5), Fraction(1, 5), Fraction(1, 5)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a=.5,b=.4", "must add up to 1"),
        ("a=.7,b=.7", "0.7 + 0.7 = 1.4"),
        ("a=1/3,b=1/3", "1/3 + 1/3 = 2/3"),
        ("a=.5,b", "Write NAME=SHARE"),
        ("a=.5,b=half", "Write NAME=SHARE"),
        ("a=.5,b=1/0", "Write NAME=SHARE"),
        ("a=1.5,b=-.5", "above 0 and below 1"),
        ("a=.5,../b=.5", "name of its file"),
        ("a=.5,.b=.5", "name of its file"),
        ("a=.5,b\tc=.5", "name of its file"),
        ("a=.5,=.5", "name of its file"),
        ("Dev=.5,dev=.5", "Two parts have this name"),
        ("a=.5", "at least two parts"),
        ("", "at least two parts"),
    ],
)
def test_a_fault_says_what_to_do(text: str, said: str) -> None:
    told = [str(fault) for fault in read_parts(text).faults]
    assert any(said in one for one in told), told


def test_faults_come_all_at_once() -> None:
    told = [fault.message for fault in read_parts("a/b=.6,c=x,d=2,D=.1").faults]
    assert len(told) == 4


@given(st.lists(st.integers(1, 50), min_size=2, max_size=6), st.integers(0, 500))
def test_sizes_are_shares_rounded_and_add_up(weights: list[int], clips: int) -> None:
    parts = [Part(str(at), Fraction(weight, sum(weights))) for at, weight in enumerate(weights)]
    sizes = part_sizes(parts, clips)
    assert sum(sizes) == clips
    assert all(abs(size - part.share * clips) < 1 for size, part in zip(sizes, parts, strict=True))


def test_sizes_of_clotho() -> None:
    parts = read_parts("development=.6,validation=.2,evaluation=.2").parts
    # 3557.4, 1185.8 and 1185.8.
    assert part_sizes(parts, 5929) == (3557, 1186, 1186)


def test_too_few_clips() -> None:
    parts = read_parts("a=.98,b=.01,c=.01").parts
    assert "2 clips for 3 parts" in size_faults(parts, 2)[0].message
    assert [fault.value for fault in size_faults(parts, 10)] == ["b", "c"]
    assert size_faults(parts, 100) == []


def test_the_development_part_is_the_largest_and_the_first_of_equals() -> None:
    assert development_part(read_parts("a=.2,b=.6,c=.2").parts) == 1
    assert development_part(read_parts("a=.5,b=.5").parts) == 0
