"""Improving a split by exchanges of units between parts: simulated annealing.

Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing" (Science, 1983). A trial
exchanges two units of different parts, half of the time two that share a rare word, or moves a
unit to another part. It is kept where the cost falls, and with the probability
exp(-rise / temperature) where it rises; the temperature falls from trial to trial. At first the
sizes of the parts are loose, so that large units can change places; then they are exact. At the
end the split is settled: the best single moves are made until none makes it better.

How long it goes on is a number of trials, not a time: the same input and seed give the same
split on a slow machine as on a fast one.
"""

from collections.abc import Iterator
from math import log

import numpy as np

from scoring.datasets.splitting.costs import UNIT, CostTable
from scoring.datasets.splitting.words import Integers, Units

LINKING = 20
"""Words of so many clips at most link units that may be worth exchanging."""
_BLOCK = 1_000
_MOVES = 0.1
_LINKED = 0.45


class Annealing:
    """A split that is being improved: the part of each unit, and each count's place in the costs.

    ``cost`` is that of the split as it stands, under the table of the last stage.
    """

    def __init__(self, units: Units, assignment: Integers, parts: int) -> None:
        self.assignment: list[int] = assignment.tolist()
        self.cost = 0
        self._parts = parts
        self._counts = units.counts(assignment, parts)
        self._columns = np.split(units.columns, units.starts[1:-1])
        self._clips = np.split(units.clips, units.starts[1:-1])
        self._links, self._linked = _links(units)
        self._scratch = np.zeros(self._counts.shape[1], dtype=np.int64)

    def cool(
        self, costs: CostTable, trials: int, heat: tuple[float, float], draws: np.random.Generator
    ) -> Iterator[int]:
        """Try exchanges under one table of costs, and yield how many were tried after each block.

        ``heat`` is the temperature that falls from its first value to its last.
        """
        places = self._counts + costs.starts
        self._places = list(places)
        self._tables = list(costs.values)
        self._costs = list(np.take_along_axis(costs.values, places, axis=1))
        self.cost = int(sum(row.sum() for row in self._costs))
        block = max(1, min(_BLOCK, trials // 100))
        for done in range(0, trials, block):
            share = done / trials
            temperature = UNIT * heat[0] * (heat[1] / heat[0]) ** share
            block = min(block, trials - done)
            for draw in draws.random((block, 5)).tolist():
                self._try(draw, temperature)
            self._counts = np.stack(self._places) - costs.starts
            yield block

    def _try(self, draw: list[float], temperature: float) -> None:
        """Propose an exchange by numbers from 0 to 1, and make it where it is accepted."""
        kind, first, link, second, luck = draw
        unit = int(first * len(self.assignment))
        here = self.assignment[unit]
        if kind < _MOVES:
            other = None
            there = (here + 1 + int(second * (self._parts - 1))) % self._parts
        else:
            other = self._partner(unit, link, second, linked=kind < _MOVES + _LINKED)
            there = self.assignment[other]
        if here == there:
            return
        columns, change = self._change(unit, other)
        rise = self._exchange(columns, change, here, there, -temperature * log(luck or 1e-300))
        if rise is None:
            return
        self.cost += rise
        self.assignment[unit] = there
        if other is not None:
            self.assignment[other] = here

    def _partner(self, unit: int, link: float, second: float, *, linked: bool) -> int:
        """Any unit, or with ``linked`` one that shares a rare word, where there is one."""
        links = self._links[unit]
        if not linked or not links:
            return int(second * len(self.assignment))
        units = self._linked[links[int(link * len(links))]]
        return units[int(second * len(units))]

    def _change(self, unit: int, other: int | None) -> tuple[Integers, Integers]:
        """Columns of the units that change places, and the change of the first one's part."""
        columns, clips = self._columns[unit], self._clips[unit]
        if other is None:
            return columns, -clips
        scratch, others = self._scratch, self._columns[other]
        scratch[columns] = -clips
        new = others[scratch[others] == 0]
        scratch[others] += self._clips[other]
        columns = np.concatenate([columns, new])
        change = scratch[columns]
        scratch[columns] = 0
        return columns, change

    def _exchange(
        self, columns: Integers, change: Integers, here: int, there: int, most: float
    ) -> int | None:
        """Change the counts of two parts unless the cost would rise by more; returns the rise."""
        places_here = self._places[here][columns] + change
        places_there = self._places[there][columns] - change
        costs_here = self._tables[here][places_here]
        costs_there = self._tables[there][places_there]
        before = self._costs[here][columns].sum() + self._costs[there][columns].sum()
        rise = int(costs_here.sum() + costs_there.sum() - before)
        if rise > most:
            return None
        self._places[here][columns] = places_here
        self._places[there][columns] = places_there
        self._costs[here][columns] = costs_here
        self._costs[there][columns] = costs_there
        return rise


def _links(units: Units) -> tuple[list[list[int]], list[list[int]]]:
    """Rare words of each unit that another one has, and the units of each such word."""
    holders = np.bincount(units.columns, minlength=len(units.totals))
    rare = (units.totals <= LINKING) & (holders > 1)
    rare[0] = False
    rare[1 + units.words :] = False
    links: list[list[int]] = [[] for _ in range(len(units))]
    linked: list[list[int]] = [[] for _ in range(len(holders))]
    owners = np.repeat(np.arange(len(units)), np.diff(units.starts))
    kept = rare[units.columns]
    for unit, column in zip(owners[kept].tolist(), units.columns[kept].tolist(), strict=True):
        links[unit].append(column)
        linked[column].append(unit)
    return links, linked


def settled(units: Units, costs: CostTable, assignment: Integers) -> Integers:
    """The split after the best move of one unit was made again and again while the cost fell.

    This is what makes the sizes of parts exact, as far as units allow it.
    """
    assignment = assignment.copy()
    while True:
        rises = move_rises(units, costs, assignment)
        unit, part = divmod(int(rises.argmin()), rises.shape[1])
        if rises[unit, part] >= 0:
            return assignment
        assignment[unit] = part


def move_rises(units: Units, costs: CostTable, assignment: Integers) -> Integers:
    """By how much the cost rises if a unit moves to a part, (units, parts); 0 where it is."""
    parts = len(costs.values)
    places = costs.starts + units.counts(assignment, parts)
    found = np.take_along_axis(costs.values, places, axis=1)
    owners = np.repeat(np.arange(len(units)), np.diff(units.starts))
    here, columns, clips = assignment[owners], units.columns, units.clips
    leaving = costs.values[here, places[here, columns] - clips] - found[here, columns]
    rises = np.zeros((len(units), parts), dtype=np.int64)
    for part in range(parts):
        # What is there already enters nothing, and there may be no place for it in the table.
        entering = np.where(here == part, 0, clips)
        change = costs.values[part, places[part, columns] + entering] - found[part, columns]
        change += np.where(here == part, 0, leaving)
        rises[:, part] = np.add.reduceat(change, units.starts[:-1])
    return rises
