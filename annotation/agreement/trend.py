"""Agreement over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from annotation.agreement.captions import Caption
from annotation.agreement.measures import Estimate, alpha_of_all, pair_kappa

STEP = 50


@dataclass(frozen=True, slots=True)
class Stretch:
    """Captions ``first`` to ``last`` (from 1) in the order of time, and how people agreed."""

    first: int
    last: int
    until: datetime | None
    agreement: Estimate


def trend_of(
    captions: Sequence[Caption],
    names: Sequence[str],
    *,
    pair: tuple[str, str] | None,
    step: int = STEP,
) -> list[Stretch]:
    """Give agreement for every ``step`` captions, in the order in which they were finished.

    Kappa of the ``pair``, alpha of all where there is none. A rest of less than
    half a step joins the stretch before it, so that no point rests on a few.
    """
    timed = sorted(captions, key=lambda caption: (caption.at is None, caption.at, str(caption.key)))

    def measured(part: Sequence[Caption]) -> Estimate:
        return pair_kappa(part, *pair, names) if pair else alpha_of_all(part, names)

    found = []
    for first, last in _bounds(len(timed), step):
        part = timed[first:last]
        found.append(Stretch(first + 1, last, part[-1].at, measured(part)))
    return found


def _bounds(count: int, step: int) -> list[tuple[int, int]]:
    starts = list(range(0, count, step))
    if len(starts) > 1 and count - starts[-1] < step / 2:
        starts.pop()
    return list(pairwise([*starts, count]))
