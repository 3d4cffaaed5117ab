"""Settling a split: the best single moves, until none makes it better."""

import numpy as np

from scoring.datasets.splitting.costs import CostTable
from scoring.datasets.splitting.units import Units
from scoring.datasets.splitting.words import Integers


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
