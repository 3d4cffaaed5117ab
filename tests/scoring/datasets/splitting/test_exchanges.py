"""The search: its changes of cost beside recounting, and splits whose optimum is known."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.datasets.splitting.constraints import ideals, tolerances
from scoring.datasets.splitting.costs import UNIT, CostTable, cost_table
from scoring.datasets.splitting.exchanges import Annealing, Cooling
from scoring.datasets.splitting.groups import joined_groups
from scoring.datasets.splitting.settling import move_rises, settled
from scoring.datasets.splitting.stratification import stratified_split
from scoring.datasets.splitting.units import Units, units_of
from scoring.datasets.splitting.words import ClipWords, Integers
from tests.scoring.datasets.splitting.random_clips import assigned_units

Assigned = tuple[Units, Integers, int]


def costs_of(units: Units, parts: int, **loose: Any) -> CostTable:
    clips = int(units.totals[0])
    shares = [Fraction(2, parts + 1), *[Fraction(1, parts + 1)] * (parts - 1)]
    sizes = [clips - (parts - 1) * (clips // parts), *[clips // parts] * (parts - 1)]
    return cost_table(units, shares, sizes, 0, **loose)


def recounted(units: Units, costs: CostTable, assignment: Integers) -> int:
    return costs.total(units.counts(assignment, len(costs.values)))


@settings(max_examples=50)
@given(assigned_units(), st.booleans(), st.floats(0.001, 500), st.integers(0, 100))
def test_the_cost_of_an_annealed_split_is_that_of_recounting(
    assigned: Assigned, loose: bool, temperature: float, seed: int
) -> None:
    units, assignment, parts = assigned
    costs = costs_of(units, parts, loose_sizes=loose)
    annealing = Annealing(units, assignment, parts)
    stage = Cooling(costs, 60, temperature, temperature)
    assert sum(annealing.cool(stage, np.random.default_rng(seed))) == 60
    assert annealing.cost == recounted(units, costs, np.array(annealing.assignment))


@given(assigned_units())
def test_the_rise_by_every_move_is_that_of_recounting(assigned: Assigned) -> None:
    units, assignment, parts = assigned
    costs = costs_of(units, parts)
    rises = move_rises(units, costs, assignment)
    before = recounted(units, costs, assignment)
    for unit, part in product(range(len(units)), range(parts)):
        moved = assignment.copy()
        moved[unit] = part
        assert rises[unit, part] == recounted(units, costs, moved) - before


@given(assigned_units())
def test_no_single_move_makes_a_settled_split_better(assigned: Assigned) -> None:
    units, assignment, parts = assigned
    costs = costs_of(units, parts)
    found = settled(units, costs, assignment)
    assert (move_rises(units, costs, found) >= 0).all()
    assert recounted(units, costs, found) <= recounted(units, costs, assignment)


def test_a_violation_costs_more_than_any_distance() -> None:
    texts = [["rain"]] * 10
    units = units_of(ClipWords.of(texts), np.arange(10), [])
    costs = cost_table(units, [Fraction(3, 5), Fraction(2, 5)], [6, 4], 0)
    word = costs.values[0, costs.starts[1] :]
    f = np.array([10])
    within = [c for c in range(1, 10) if abs(c - ideals(f, Fraction(3, 5))[0]) <= tolerances(f)[0]]
    outside = [c for c in range(1, 10) if c not in within]
    assert within == [4, 5, 6, 7, 8]
    assert word[within].max() + UNIT < word[outside].min()
    assert word[outside].max() + UNIT < word[[0, 10]].min()


def pairs(count: int) -> list[list[str]]:
    """Pairs of clips, each pair with a word of its own and all with one in common."""
    return [[f"the w{place // 2}"] for place in range(2 * count)]


@pytest.mark.parametrize("seed", range(3))
def test_pairs_are_parted_where_the_optimum_is_known(seed: int) -> None:
    # Each word of two clips has one in development, which takes every second clip.
    texts = pairs(40)
    units = units_of(ClipWords.of(texts), np.arange(80), [])
    sizes = [40, 20, 20]
    shares = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]
    costs = cost_table(units, shares, sizes, 0)
    start = np.repeat([0, 1, 2], sizes)  # the worst: whole pairs in one part
    annealing = Annealing(units, start, 3)
    list(annealing.cool(Cooling(costs, 20_000, 1, 0.01), np.random.default_rng(seed)))
    found = np.array(annealing.assignment)
    assert (np.sum(found.reshape(40, 2) == 0, axis=1) == 1).all()
    # Nothing but that a pair's other clip is all of its word in one small part.
    assert annealing.cost == recounted(units, costs, optimum(40))


def optimum(count: int) -> Integers:
    others = np.repeat([1, 2], count // 2)
    return np.stack([np.zeros(count, dtype=np.int64), others], axis=1).ravel()


def test_the_smallest_cost_of_all_splits_is_found() -> None:
    texts = [["a b"], ["a c"], ["b c"], ["c d"], ["d a e"], ["e b"], ["f"], ["f a"], ["d"]]
    units = units_of(ClipWords.of(texts), joined_groups(9, [(6, 8)]), [(0, 1)])
    shares, sizes = [Fraction(5, 9), Fraction(4, 9)], [5, 4]
    exact = cost_table(units, shares, sizes, 0)
    loose = cost_table(units, shares, sizes, 0, loose_sizes=True)
    splits = (np.array(split) for split in product(range(2), repeat=len(units)))
    best = min(recounted(units, exact, split) for split in splits)
    found = []
    for seed in range(10):
        annealing = Annealing(units, np.zeros(len(units), dtype=np.int64), 2)
        draws = np.random.default_rng(seed)
        list(annealing.cool(Cooling(loose, 2_000, 30, 0.05), draws))
        list(annealing.cool(Cooling(exact, 1_000, 0.05, 0.005), draws))
        end = settled(units, exact, np.array(annealing.assignment))
        found.append(recounted(units, exact, end))
    assert min(found) == best
    assert found.count(best) >= 8


def test_first_splits_are_stratified_and_of_about_the_sizes() -> None:
    texts = pairs(50)
    units = units_of(ClipWords.of(texts), np.arange(100), [])
    found = stratified_split(units, [60, 20, 20], seed=3)
    assert np.abs(np.bincount(found, minlength=3) - [60, 20, 20]).max() <= 10
    assert (found == stratified_split(units, [60, 20, 20], seed=3)).all()
    assert (found != stratified_split(units, [60, 20, 20], seed=4)).any()
    apart = (found[::2] != found[1::2]).sum()
    assert apart > 40, "the library keeps two clips of a word apart"
