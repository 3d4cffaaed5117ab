"""Splitting captioned clips into parts by words, with Clotho's constraints."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.datasets.splitting.constraints import SplitMeasures, split_measures
from scoring.datasets.splitting.costs import CostTable, cost_table
from scoring.datasets.splitting.exchanges import Annealing, settled
from scoring.datasets.splitting.parts import Part, development_part, part_sizes
from scoring.datasets.splitting.stratification import stratified_split
from scoring.datasets.splitting.words import ClipWords, Integers, Units, units_of

STARTS = 2
TRIALS = 2_000_000
# Of few clips there are few exchanges: more trials find nothing that these do not.
TRIALS_PER_CLIP = 1_000
STAGES = ("Stratifying", "Exchanging")
_LOOSE = 0.6
_HOT, _WARM, _COLD = 0.4, 0.02, 0.002

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
    found = search.cheapest([start, search.improved(start, trials=trials, seed=seed)])
    return ClipSplit(parts, search.sizes, found[groups], words)


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
        found = []
        for number in range(STARTS):
            self._progress(STAGES[0], number, STARTS)
            found.append(stratified_split(self._units, self.sizes, seed=seed + number))
        self._progress(STAGES[0], STARTS, STARTS)
        return min(found, key=lambda assignment: self._cost(self._loose, assignment))

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

    def cheapest(self, found: Iterable[Integers]) -> Integers:
        """The cheapest split once each is settled, with exact sizes where they can be."""
        ends = [settled(self._units, self._exact, assignment) for assignment in found]
        return min(ends, key=lambda assignment: self._cost(self._exact, assignment))

    def _cost(self, costs: CostTable, assignment: Integers) -> int:
        return costs.total(self._units.counts(assignment, len(self.sizes)))
