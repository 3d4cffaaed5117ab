"""Report of a split: the clips of each word by part, and the words that break constraints."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from earmark.datasets.splitting.constraints import ideals, tolerances
from earmark.datasets.splitting.parts import development_part
from earmark.datasets.splitting.split import ClipSplit
from earmark.datasets.splitting.words import Integers


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


@dataclass(frozen=True, slots=True)
class SplitReport:
    """Words of two clips or more in a split, the most frequent first, equal ones by alphabet.

    ``counts`` are clips with each word in each part, (parts, words); ``violations`` the words that
    break constraints, those with the worst violation first.
    """

    words: tuple[str, ...]
    counts: Integers
    violations: tuple[WordViolation, ...]


def split_report(split: ClipSplit) -> SplitReport:
    """Report of a split."""
    counts = split.words.counts(split.assignment, len(split.parts))
    frequencies = split.words.frequencies
    # Words are sorted by alphabet already, and the sort is stable.
    order = np.argsort(-frequencies, kind="stable")
    order = order[frequencies[order] > 1]
    words = tuple(split.words.words[place] for place in order.tolist())
    return SplitReport(words, counts[:, order], _violations(split, words, counts[:, order]))


def _violations(
    split: ClipSplit, words: tuple[str, ...], counts: Integers
) -> tuple[WordViolation, ...]:
    totals, here = counts.sum(axis=0), counts[development_part(split.parts)]
    wanted, allowed = ideals(totals, split.development.share), tolerances(totals)
    broken = {
        Violation.ONE_PART: (counts > 0).sum(axis=0) == 1,
        Violation.NOT_IN_DEVELOPMENT: here == 0,
        Violation.OUTSIDE: np.abs(here - wanted) > allowed,
    }
    worst = np.argmax([*broken.values()], axis=0)
    places = np.flatnonzero(np.logical_or.reduce([*broken.values()]))
    return tuple(
        WordViolation(
            words[place],
            int(totals[place]),
            tuple(counts[:, place].tolist()),
            int(wanted[place]),
            int(allowed[place]),
            tuple(kind for kind, which in broken.items() if which[place]),
        )
        for place in sorted(places.tolist(), key=lambda place: (worst[place], place))
    )
