"""The search for a subset with the highest entropy of tags: greedy, exchanges, restarts.

The highest entropy of all subsets cannot be found in reasonable time. What is found is a local
optimum: no exchange of one chosen clip for one that is not chosen, within its duration bin and
the limit of its group, raises the entropy any more.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scoring.datasets.choosing.places import Numbers
from scoring.datasets.choosing.subset import Subset, TagTable

# Bits; less is rounding.
LEAST_GAIN = 1e-10
# Of the chosen clips, for a restart.
DISTURBED_SHARE = 0.02

Progress = Callable[[str, float], None]


def best_subset(
    table: TagTable,
    places_in_bins: Numbers,
    most_per_group: int | None,
    restarts: int,
    generator: np.random.Generator,
    progress: Progress = lambda _step, _entropy: None,
) -> NDArray[np.bool_]:
    """Which clips of the table are chosen, shape (clips,): the best local optimum that was met.

    ``progress`` is told after each step what was done and the entropy in bits.
    """
    subset = Subset(table, places_in_bins, most_per_group)
    fill(subset)
    progress("greedy", subset.entropy)
    improve(subset, generator)
    progress("exchanges", subset.entropy)
    best, highest = subset.chosen.copy(), subset.entropy
    for number in range(1, restarts + 1):
        disturb(subset, generator)
        improve(subset, generator)
        if subset.entropy > highest + LEAST_GAIN:
            best, highest = subset.chosen.copy(), subset.entropy
        else:
            _return_to(subset, best)
        progress(f"restart {number}", highest)
    return best


def fill(subset: Subset) -> None:
    """Add the best clip again and again, until every place is taken."""
    while subset.left.any():
        clip = subset.best_addition()
        if clip is None:
            subset.add_by_exchanges()
        else:
            subset.add(clip)


def improve(subset: Subset, generator: np.random.Generator) -> None:
    """Exchange each chosen clip for the best one in its place, until no exchange gains."""
    gained = True
    while gained:
        gained = False
        subset.recount()
        for clip in generator.permutation(np.flatnonzero(subset.chosen)):
            entropy, other = subset.best_exchange(int(clip))
            if other is not None and entropy > subset.entropy + LEAST_GAIN:
                subset.remove(int(clip))
                subset.add(other)
                gained = True


def disturb(subset: Subset, generator: np.random.Generator) -> None:
    """Exchange some chosen clips for random ones of the same bin, as the groups allow."""
    chosen = np.flatnonzero(subset.chosen)
    amount = min(len(chosen), max(2, round(DISTURBED_SHARE * len(chosen))))
    for clip in generator.choice(chosen, amount, replace=False):
        subset.remove(int(clip))
        others = subset.possible_additions()
        subset.add(int(generator.choice(others)))


def _return_to(subset: Subset, chosen: NDArray[np.bool_]) -> None:
    """Make a subset the one that it was."""
    for clip in np.flatnonzero(subset.chosen & ~chosen):
        subset.remove(int(clip))
    for clip in np.flatnonzero(chosen & ~subset.chosen):
        subset.add(int(clip))
