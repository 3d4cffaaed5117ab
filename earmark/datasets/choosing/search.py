"""The search for a subset with the highest entropy of tags: greedy, exchanges, restarts.

The highest entropy of all subsets cannot be found in reasonable time. What is found is a local
optimum: no exchange of one chosen clip for one that is not chosen, within its duration bin and
the limit of its group, raises the entropy any more.

With n(t) as the clips of a subset that have tag t and M as their sum, its entropy in bits is
H = log2 M - A / M, where A = sum n(t) log2 n(t). One clip more changes n for its own tags
alone: A grows by the sum of g(n) = (n + 1) log2 (n + 1) - n log2 n over them. That sum is stored
for every clip of the pool and changed where a count has changed, so that the entropy with any
clip in addition is known without counting anew.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from earmark.datasets.choosing.places import Numbers, Places, Step, exchanges

Floats = NDArray[np.float64]
# Bits; less is rounding.
LEAST_GAIN = 1e-10
# Of the chosen clips, for a restart.
DISTURBED_SHARE = 0.02
Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class TagTable:
    """Which clip has which tags, both ways; clips are ordered by bin and number of tags.

    ``tags_of`` has the tags of each clip, ``bins`` and ``groups`` where it belongs; clips of
    the same bin and number of tags are one stretch.
    """

    tags_of: Sequence[Numbers]
    bins: Numbers
    groups: Numbers
    tag_count: int

    @cached_property
    def sizes(self) -> Numbers:
        """How many tags each clip has."""
        return np.array([len(tags) for tags in self.tags_of], dtype=np.int64)

    @cached_property
    def flat(self) -> Numbers:
        """The tags of all clips, one after another."""
        return np.concatenate(self.tags_of)

    @cached_property
    def starts(self) -> Numbers:
        """Where in ``flat`` each clip begins."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def clips_of(self) -> list[Numbers]:
        """The clips that have each tag, ascending."""
        owners = np.repeat(np.arange(len(self.sizes)), self.sizes)
        counts = np.bincount(self.flat, minlength=self.tag_count)
        return np.split(owners[np.argsort(self.flat, kind="stable")], np.cumsum(counts)[:-1])

    @cached_property
    def stretches(self) -> Numbers:
        """First clip of each run of clips with the same bin and number of tags."""
        changes = (np.diff(self.bins) != 0) | (np.diff(self.sizes) != 0)
        return np.flatnonzero(np.concatenate([[True], changes]))

    @cached_property
    def entropy_steps(self) -> Floats:
        """The g(n) for every n that a tag can have."""
        n = np.arange(len(self.sizes) + 2, dtype=np.float64)
        return np.diff(n * np.log2(np.maximum(n, 1.0)))


class Subset:
    """The chosen clips of a table; ``places`` says how many more each bin and group may have."""

    def __init__(
        self, table: TagTable, places_in_bins: Numbers, most_per_group: int | None
    ) -> None:
        self.table = table
        self.chosen = np.zeros(len(table.sizes), dtype=np.bool_)
        self.places = Places(table.bins, table.groups, most_per_group)
        self.left = places_in_bins.copy()
        self._limits_groups = most_per_group is not None
        self._counts = np.zeros(table.tag_count, dtype=np.int64)
        self.recount()

    @property
    def entropy(self) -> float:
        """Entropy in bits of the tags of the chosen clips."""
        return float(_entropy(self._weight, self._total)) if self._total else 0.0

    def recount(self) -> None:
        """Compute what is kept up to date from the counts, which drops rounding errors."""
        table = self.table
        n = self._counts.astype(np.float64)
        self._weight = float((n * np.log2(np.maximum(n, 1.0))).sum())
        self._total = int(self._counts.sum())
        self._costs = np.add.reduceat(table.entropy_steps[self._counts][table.flat], table.starts)
        self._costs[self.chosen] = np.inf

    def add(self, clip: int) -> None:
        """Choose a clip."""
        steps = self.table.entropy_steps
        for tag in self.table.tags_of[clip]:
            n = self._counts[tag]
            self._weight += steps[n]
            self._costs[self.table.clips_of[tag]] += steps[n + 1] - steps[n]
            self._counts[tag] = n + 1
        self._count(clip, 1)
        self._costs[clip] = np.inf

    def remove(self, clip: int) -> None:
        """Give a chosen clip back."""
        steps = self.table.entropy_steps
        for tag in self.table.tags_of[clip]:
            n = self._counts[tag]
            self._weight -= steps[n - 1]
            self._costs[self.table.clips_of[tag]] += steps[n - 1] - steps[n]
            self._counts[tag] = n - 1
        self._count(clip, -1)
        self._costs[clip] = steps[self._counts[self.table.tags_of[clip]]].sum()

    def best_addition(self) -> int | None:
        """The clip with which the entropy is highest, of those for which there is a place."""
        costs = self._costs
        if self._limits_groups:
            costs = np.where((self.places.room > 0)[self.table.groups], costs, np.inf)
        open_bins = self.left[self.table.bins[self.table.stretches]] > 0
        return self._best(costs, slice(None), self._weight, self._total, open_bins)[1]

    def best_exchange(self, clip: int) -> tuple[float, int | None]:
        """The clip with which the entropy is highest in place of a chosen one, and that entropy."""
        table, steps = self.table, self.table.entropy_steps
        within = self._bin_slices[int(table.bins[clip])]
        costs, weight = self._costs.copy(), self._weight
        for tag in table.tags_of[clip]:
            n = self._counts[tag]
            weight -= steps[n - 1]
            costs[table.clips_of[tag]] += steps[n - 1] - steps[n]
        if self._limits_groups:
            has_room = self.places.room > 0
            has_room[table.groups[clip]] = True
            costs[~has_room[table.groups]] = np.inf
        return self._best(costs, within, weight, self._total - int(table.sizes[clip]))

    def possible_additions(self) -> Numbers:
        """The clips for which there is a place."""
        table = self.table
        possible = ~self.chosen & (self.left[table.bins] > 0)
        return np.flatnonzero(possible & (self.places.room > 0)[table.groups])

    def add_by_exchanges(self) -> None:
        """Choose one clip more where every open bin has only clips of full groups.

        Along a way of exchanges, which there is wherever the places were given by
        ``places_in_bins``: clips of other bins make room for it.
        """
        first = int(np.flatnonzero(self.left > 0)[0])
        way = self.places.way_to_room(first)
        if way is None:
            raise ValueError("The bins have more places than the groups leave.")
        for taken, back in exchanges(way):
            if back is not None:
                self.remove(self._cheapest(back, chosen=True))
            self.add(self._cheapest(taken, chosen=False))

    def _count(self, clip: int, amount: int) -> None:
        table = self.table
        self.chosen[clip] = amount > 0
        self._total += amount * int(table.sizes[clip])
        self.left[table.bins[clip]] -= amount
        self.places.move((int(table.bins[clip]), int(table.groups[clip])), amount)

    def _cheapest(self, step: Step, *, chosen: bool) -> int:
        """A clip of a bin and a group: to add the one that costs least, to remove the first."""
        table = self.table
        there = np.flatnonzero(
            (table.bins == step[0]) & (table.groups == step[1]) & (self.chosen == chosen)
        )
        return int(there[0] if chosen else there[self._costs[there].argmin()])

    @cached_property
    def _bin_slices(self) -> list[slice]:
        """The stretches of each bin."""
        bins = self.table.bins[self.table.stretches]
        edges = np.searchsorted(bins, np.arange(int(bins.max()) + 2))
        return [slice(int(low), int(high)) for low, high in pairwise(edges)]

    def _best(
        self,
        costs: Floats,
        within: slice,
        weight: float,
        total: int,
        open_stretches: NDArray[np.bool_] | None = None,
    ) -> tuple[float, int | None]:
        """The highest entropy with one clip more, of some stretches, and that clip.

        In a stretch all clips have the same number of tags, so the cheapest is the best.
        """
        starts = self.table.stretches
        first = int(starts[within][0])
        end = int(starts[within.stop]) if within.stop and within.stop < len(starts) else len(costs)
        least = np.minimum.reduceat(costs[first:end], starts[within] - first)
        entropies = _entropy(weight + least, total + self.table.sizes[starts[within]])
        if open_stretches is not None:
            entropies = np.where(open_stretches, entropies, -np.inf)
        best = int(entropies.argmax())
        if entropies[best] == -np.inf:
            return -np.inf, None
        at = int(starts[within][best])
        return float(entropies[best]), at + int(np.argmax(costs[at:end] == least[best]))


def _entropy(weight: Floats | float, total: Numbers | int) -> Floats:
    return np.asarray(np.log2(total) - weight / total)


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
