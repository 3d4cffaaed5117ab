"""Splitting captioned clips into parts by words, with Clotho's constraints.

First splits are made by iterative stratification of the words (Sechidis, Tsoumakas and Vlahavas,
"On the stratification of multi-label data", ECML PKDD 2011), as the package
iterative-stratification has it: the word with the fewest clips left is distributed first. It knows
units, not how many clips they have, and its sizes are not exact.

Exchanges of units between parts mend both: simulated annealing (Kirkpatrick, Gelatt and Vecchi,
"Optimization by simulated annealing", Science, 1983). A trial exchanges two units of different
parts, half of the time two that share a rare word, or moves a unit to another part. It is kept
where the cost falls, and with the probability exp(-rise / temperature) where it rises; the
temperature falls from trial to trial. At first the sizes of the parts are loose, so that large
units can change places; then they are exact. At the end the split is settled: the best single
moves are made until none makes it better.

How long it goes on is a number of trials, not a time: the same input and seed give the same
split on a slow machine as on a fast one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from earmark.datasets.splitting.constraints import SplitMeasures, split_measures
from earmark.datasets.splitting.costs import UNIT, CostTable, cost_table
from earmark.datasets.splitting.parts import Part, development_part, part_sizes
from earmark.datasets.splitting.words import ClipWords, Integers, Units, units_of

STARTS = 2
TRIALS = 2_000_000
# Of few clips there are few exchanges: more trials find nothing that these do not.
TRIALS_PER_CLIP = 1_000
STAGES = ("Stratifying", "Exchanging")
_LOOSE = 0.6
_HOT, _WARM, _COLD = 0.4, 0.02, 0.002
BLOCK = 3_000
"""Units that are stratified together; the library's time grows with the square of them."""
LINKING = 20
"""Words of so many clips at most link units that may be worth exchanging."""
_TRIED_AT_ONCE = 1_000
_MOVES = 0.1
_LINKED = 0.45

Progress = Callable[[str, int, int], None]
"""Is told what is being done, and how much of how much is done."""


@dataclass(frozen=True)
class ClipSplit:
    """The part of each clip, in the order of the clips, and their words.

    ``sizes`` are the clips that the parts should have; groups of clips that stay together may
    have made that impossible.
    """

    parts: tuple[Part, ...]
    sizes: tuple[int, ...]
    assignment: Integers
    words: ClipWords

    @property
    def development(self) -> Part:
        """The part that the constraints call development."""
        return self.parts[development_part(self.parts)]

    @property
    def clip_counts(self) -> tuple[int, ...]:
        """Clips of each part."""
        counts = np.bincount(self.assignment, minlength=len(self.parts))
        return tuple(int(count) for count in counts)

    @property
    def word_counts(self) -> tuple[int, ...]:
        """Different words of each part."""
        counts = self.words.counts(self.assignment, len(self.parts))
        return tuple(int(count) for count in (counts > 0).sum(axis=1))

    @property
    def measures(self) -> SplitMeasures:
        """How far the split is from the constraints."""
        counts = self.words.counts(self.assignment, len(self.parts))
        shares = tuple(part.share for part in self.parts)
        return split_measures(counts, shares, development_part(self.parts))


def split_clips(
    clips: Sequence[Sequence[str]],
    parts: tuple[Part, ...],
    *,
    seed: int,
    groups: Integers,
    namesakes: Sequence[Sequence[int]] = (),
    trials: int = TRIALS,
    progress: Progress = lambda _what, _done, _total: None,
) -> ClipSplit:
    """Split clips, given by their captions, into parts of these shares.

    ``groups`` has the number of each clip's group, from 0, and clips of one group go to one
    part; clips of one set of ``namesakes`` go to different ones. The best of ``STARTS``
    stratified splits is improved by trying ``trials`` exchanges, ``TRIALS_PER_CLIP`` for each clip
    at the most. The same input and seed give the same split. There are at least as many groups as
    parts.
    """
    words = ClipWords.of(clips)
    trials = min(trials, TRIALS_PER_CLIP * len(clips))
    search = _SplitSearch(units_of(words, groups, namesakes), parts, len(clips), progress)
    start = search.start(seed)
    # The first trials are daring: where there are few of them they can do harm.
    assignment = search.cheapest([start, search.improved(start, trials=trials, seed=seed)])
    return ClipSplit(parts, search.sizes, assignment[groups], words)


class _SplitSearch:
    def __init__(
        self, units: Units, parts: tuple[Part, ...], clips: int, progress: Progress
    ) -> None:
        self.sizes = part_sizes(parts, clips)
        self._units = units
        self._progress = progress
        shares = [part.share for part in parts]
        development = development_part(parts)
        self._loose, self._exact = (
            cost_table(units, shares, self.sizes, development, loose_sizes=loose)
            for loose in (True, False)
        )

    def start(self, seed: int) -> Integers:
        """The cheapest of some stratified splits, whatever their sizes."""
        splits = []
        for number in range(STARTS):
            self._progress(STAGES[0], number, STARTS)
            splits.append(stratified_split(self._units, self.sizes, seed=seed + number))
        self._progress(STAGES[0], STARTS, STARTS)
        return min(splits, key=lambda assignment: self._cost(self._loose, assignment))

    def improved(self, start: Integers, *, trials: int, seed: int) -> Integers:
        """The split after so many exchanges were tried."""
        annealing = Annealing(self._units, start, len(self.sizes))
        draws = np.random.default_rng(seed)
        loose = round(_LOOSE * trials)
        stages = (
            (self._loose, loose, (_HOT, _WARM)),
            (self._exact, trials - loose, (_WARM, _COLD)),
        )
        done = 0
        for costs, count, heat in stages:
            for tried in annealing.cool(costs, count, heat, draws):
                done += tried
                self._progress(STAGES[1], done, trials)
        return np.array(annealing.assignment, dtype=np.int64)

    def cheapest(self, splits: Iterable[Integers]) -> Integers:
        """The cheapest split once each is settled, with exact sizes where they can be."""
        ends = [settled(self._units, self._exact, assignment) for assignment in splits]
        return min(ends, key=lambda assignment: self._cost(self._exact, assignment))

    def _cost(self, costs: CostTable, assignment: Integers) -> int:
        return costs.total(self._units.counts(assignment, len(self.sizes)))


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
        block = max(1, min(_TRIED_AT_ONCE, trials // 100))
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
    costs_now = np.take_along_axis(costs.values, places, axis=1)
    owners = np.repeat(np.arange(len(units)), np.diff(units.starts))
    here, columns, clips = assignment[owners], units.columns, units.clips
    leaving = costs.values[here, places[here, columns] - clips] - costs_now[here, columns]
    rises = np.zeros((len(units), parts), dtype=np.int64)
    for part in range(parts):
        # What is there already enters nothing, and there may be no place for it in the table.
        entering = np.where(here == part, 0, clips)
        change = costs.values[part, places[part, columns] + entering] - costs_now[part, columns]
        change += np.where(here == part, 0, leaving)
        rises[:, part] = np.add.reduceat(change, units.starts[:-1])
    return rises


def stratified_split(units: Units, sizes: Sequence[int], *, seed: int) -> Integers:
    """A part for each unit, stratified by words; ``sizes`` are the parts' relative sizes.

    More than ``BLOCK`` units are stratified in blocks, drawn at random.
    """
    order = np.random.default_rng(seed).permutation(len(units))
    assignment = np.zeros(len(units), dtype=np.int64)
    blocks = np.array_split(order, -(-len(units) // BLOCK))
    for number, block in enumerate(blocks):
        labels = _labels(units, np.sort(block))
        assignment[np.sort(block)] = _stratified(labels, sizes, seed=seed + number)
    return assignment


def _labels(units: Units, block: Integers) -> NDArray[np.bool_]:
    """Which of the block's units have which words, (units, words)."""
    labels = np.zeros((len(block), units.words), dtype=bool)
    for row, unit in enumerate(block):
        columns = units.columns[units.starts[unit] : units.starts[unit + 1]]
        labels[row, columns[(columns > 0) & (columns <= units.words)] - 1] = True
    kept = labels[:, labels.sum(axis=0) > 1]
    # One column alone would be read as classes, not as labels.
    return np.pad(kept, ((0, 0), (0, max(0, 2 - kept.shape[1]))))


def _stratified(labels: NDArray[np.bool_], sizes: Sequence[int], *, seed: int) -> Integers:
    """Split off one part after the other, each stratified against all that is left."""
    from iterstrat.ml_stratifiers import MultilabelStratifiedShuffleSplit

    assignment = np.full(len(labels), len(sizes) - 1, dtype=np.int64)
    left = np.arange(len(labels))
    for part in range(len(sizes) - 1):
        rest = round(len(left) * sum(sizes[part + 1 :]) / sum(sizes[part:]))
        rest = min(rest, len(left) - 1)
        if rest < 1:
            break
        splitter = MultilabelStratifiedShuffleSplit(
            n_splits=1, test_size=rest, random_state=(seed + part) % 2**32
        )
        here, others = next(splitter.split(left, labels[left]))
        assignment[left[here]] = part
        left = left[others]
    return assignment
