"""Report of a split: the share of each word by part, and the words that break constraints."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scoring.datasets.splitting.constraints import (
    SplitMeasures,
    ideals,
    split_measures,
    tolerances,
)
from scoring.datasets.splitting.parts import Part, development_part
from scoring.datasets.splitting.split import ClipSplit
from scoring.datasets.splitting.words import Integers


class Violation(StrEnum):
    """What a word can be short of, worst first."""

    ONE_PART = "in one part"
    NOT_IN_DEVELOPMENT = "not in development"
    OUTSIDE = "outside the tolerance"


@dataclass(frozen=True, slots=True)
class WordViolation:
    """A word that breaks constraints: its clips in all and by part, and what was wanted.

    Development should have ``ideal`` of its clips, ``tolerance`` more or fewer.
    """

    word: str
    frequency: int
    counts: tuple[int, ...]
    ideal: int
    tolerance: int
    violations: tuple[Violation, ...]


@dataclass(frozen=True)
class SplitReport:
    """Words of two clips or more in a split, the most frequent first, equal ones by alphabet.

    ``counts`` are clips with each word in each part, (parts, words); ``development`` is the
    place of the development part.
    """

    parts: tuple[Part, ...]
    development: int
    words: tuple[str, ...]
    counts: Integers

    @cached_property
    def frequencies(self) -> Integers:
        """Clips with each word."""
        totals: Integers = self.counts.sum(axis=0)
        return totals

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Share of each word's clips in each part, (parts, words), from 0 to 1."""
        return self.counts / self.frequencies

    @cached_property
    def ideals(self) -> Integers:
        """Clips of each word that development should have."""
        return ideals(self.frequencies, self.parts[self.development].share)

    @cached_property
    def tolerances(self) -> Integers:
        """How many more or fewer it may have."""
        return tolerances(self.frequencies)

    @cached_property
    def measures(self) -> SplitMeasures:
        """The split in numbers."""
        shares = tuple(part.share for part in self.parts)
        return split_measures(self.counts, shares, self.development)

    @cached_property
    def violations(self) -> tuple[WordViolation, ...]:
        """Words that break constraints, those with the worst violation first."""
        here = self.counts[self.development]
        broken = {
            Violation.ONE_PART: (self.counts > 0).sum(axis=0) == 1,
            Violation.NOT_IN_DEVELOPMENT: here == 0,
            Violation.OUTSIDE: np.abs(here - self.ideals) > self.tolerances,
        }
        worst = np.argmax([*broken.values()], axis=0)
        places = np.flatnonzero(np.logical_or.reduce([*broken.values()]))
        return tuple(
            WordViolation(
                self.words[place],
                int(self.frequencies[place]),
                tuple(self.counts[:, place].tolist()),
                int(self.ideals[place]),
                int(self.tolerances[place]),
                tuple(kind for kind, found in broken.items() if found[place]),
            )
            for place in sorted(places.tolist(), key=lambda place: (worst[place], place))
        )


def split_report(split: ClipSplit) -> SplitReport:
    """Report of a split."""
    counts = split.words.counts(split.assignment, len(split.parts))
    frequencies = split.words.frequencies
    # Words are sorted by alphabet already, and the sort is stable.
    order = np.argsort(-frequencies, kind="stable")
    order = order[frequencies[order] > 1]
    words = tuple(split.words.words[place] for place in order.tolist())
    return SplitReport(split.parts, development_part(split.parts), words, counts[:, order])
