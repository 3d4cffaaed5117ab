"""The arithmetic of the table of costs: multiples, medians, differences and operations."""

import doctest
import importlib

import pytest

from scoring.registry import standard_families
from tests.bench.performance.parts import GROUPS, Measured
from tests.bench.performance.processes import run_module
from tests.bench.performance.table import (
    ClipsDiffer,
    Cost,
    Row,
    cells,
    largest_difference,
    median_cost,
)


def test_costs_are_multiples_of_their_own_base() -> None:
    row = Row("command", Cost(10.0, 12.0, 900_000_000), Cost(2.0, 4.0, 1), 2e-7)
    assert cells(row) == ("command", "10.00 s", "12.00 s", "900 MB", "5.00", "3.00", "2.0e-07")


def test_medians_are_of_each_kind_and_memory_is_the_most() -> None:
    seen = Measured()
    seen.add("one", Cost(1, 5, 10))
    seen.add("one", {"seconds": 9, "processor": 4, "memory": 30})
    seen.add("one", Cost(2, 6, 20))
    assert seen.median("one") == Cost(2, 5, 30)
    assert median_cost([Cost(1), Cost(3)]) == Cost(2)


def test_the_largest_difference_is_of_any_metric_that_both_have() -> None:
    ours = {"a": [0.1, 0.2], "b": [1.0, 1.0], "mine": [9.0, 9.0]}
    assert largest_difference(ours, {"a": [0.1, 0.2], "b": [1.0, 0.75]}) == 0.25


@pytest.mark.parametrize(
    "theirs",
    [pytest.param({"b": [1.0]}, id="no metric"), pytest.param({"a": [1.0, 2.0]}, id="clips")],
)
def test_other_clips_are_not_compared(theirs: dict[str, list[float]]) -> None:
    with pytest.raises(ClipsDiffer):
        largest_difference({"a": [1.0]}, theirs)


@pytest.mark.parametrize("module", ["captions", "encoder", "peers", "processes", "table"])
def test_examples_hold(module: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(f"tests.bench.performance.{module}"))
    assert tried > 0
    assert failed == 0


def test_groups_have_every_family_once() -> None:
    grouped = [family for families in GROUPS.values() for family in families]
    assert sorted(grouped) == sorted(standard_families())


def test_a_stage_says_what_it_found_and_what_it_took() -> None:
    cost, found = run_module("tests.bench.performance.stages", "scale", "--families", "bleu",
                             "--clips", "3", "--references", "1")  # fmt: skip
    assert found["unavailable"] == {}
    assert 0 < found["score"]["seconds"] < cost.seconds
    assert (cost.memory or 0) > 0
