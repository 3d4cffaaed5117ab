"""How far judges agree who compared the same pairs of captions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.agreement.captions import Caption, Labelling
from annotation.agreement.measures import Estimate, estimated_by_clip
from annotation.agreement.tables import alpha, coincidences, ordinal_alpha
from earmark.results import Interval
from earmark.statistics import wilson_interval

# What a judge says of a pair: the first is better, both are alike, the second is better.
_NAMES = {1: "first", 0: "alike", -1: "second"}


@dataclass(frozen=True, slots=True)
class PairVotes:
    """What each judge said of a pair (1, 0 or -1), and which clip it is of."""

    clip: int
    votes: Mapping[int, int]


def choices_alpha(pairs: Sequence[PairVotes], *, ordinal: bool) -> Estimate:
    """Krippendorff's alpha of all judges, with its 95 % interval by the bootstrap over clips.

    Nominal, or ordinal with "alike" between the two sides. ``n`` counts the pairs that two
    judges or more compared. Which caption is the first should be drawn, as here it is: the
    agreement by chance depends on how often each side is chosen.
    """
    measure = ordinal_alpha if ordinal else alpha
    compared = [pair for pair in pairs if len(pair.votes) > 1]
    if not compared:
        return Estimate(None, None, None, 0)
    labellings = (
        {str(judge): Labelling((_NAMES[vote],), frozenset()) for judge, vote in pair.votes.items()}
        for pair in compared
    )
    captions = [Caption(at, ("",), by_judge) for at, by_judge in enumerate(labellings)]
    counts = coincidences(captions, tuple(_NAMES.values()))
    clips, places = np.unique([pair.clip for pair in compared], return_inverse=True)
    by_clip = np.zeros((len(clips), *counts.shape[1:]))
    np.add.at(by_clip, places, counts)
    return estimated_by_clip(measure, by_clip, len(compared))


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """How often a judge says what most of the others say, of ``pairs`` on which most agree."""

    judge: int
    answers: int
    agreed: int
    pairs: int

    @property
    def share(self) -> float | None:
        """The share, 0 to 1; None without such pairs."""
        return self.agreed / self.pairs if self.pairs else None

    @property
    def interval(self) -> Interval:
        """Wilson's 95 % interval of the share."""
        return wilson_interval(self.agreed, self.pairs)


def judges_against_others(pairs: Sequence[PairVotes]) -> list[JudgeAgreement]:
    """Each judge against the majority of the others, in the order of the judges' ids.

    The majority is the side with more votes; pairs whose other judges are evenly split, or all
    find both alike, say nothing. A judge who finds both alike does not agree with a side.
    """
    answers: dict[int, int] = {}
    agreed: dict[int, int] = {}
    decided: dict[int, int] = {}
    for pair in pairs:
        total = sum(pair.votes.values())
        for judge, vote in pair.votes.items():
            answers[judge] = answers.get(judge, 0) + 1
            if others := total - vote:
                decided[judge] = decided.get(judge, 0) + 1
                agreed[judge] = agreed.get(judge, 0) + (vote * others > 0)
    return [
        JudgeAgreement(judge, answers[judge], agreed.get(judge, 0), decided.get(judge, 0))
        for judge in sorted(answers)
    ]
