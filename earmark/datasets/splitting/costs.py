"""What a split costs: the constraints and closeness to the shares as one sum of whole numbers.

The cost is a sum over columns and parts of a number that depends only on how many clips of the
part have the column, so that it is read from tables, and the change by an exchange is found
from the columns of the clips that change places. What matters more weighs so much that no
exchange is worth a violation for the sake of what matters less:

1. clips of one name in different parts;
2. sizes of parts;
3. words outside the development part, or in it alone;
4. words outside the tolerance;
5. the distance of equation 2 (``SplitMeasures.distance``), over all parts;
6. each word's distance from the share of every part: |c - s f| / f, and (c - s f)^2 / f, which
   keeps frequent words close.

Costs are integers: exact, so that a split does not depend on the order of additions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from earmark.datasets.splitting.constraints import PartTerm
from earmark.datasets.splitting.words import Integers, Units

UNIT = 1_000_000
"""Cost of a word that is the whole of its ideal number away from its range."""
_SIZE = 10_000 * UNIT
_NAMESAKES = 1_000_000 * UNIT
_ONE_PART = 300 * UNIT
_OUTSIDE = 30 * UNIT
_SHARE = UNIT // 2
_SQUARE = UNIT // 10


@dataclass(frozen=True)
class CostTable:
    """Costs by part: ``values[p, starts[j] + c]`` for c clips of column j in part p."""

    starts: Integers
    values: Integers

    def total(self, counts: Integers) -> int:
        """Cost of a split with these counts, (parts, columns)."""
        return int(np.take_along_axis(self.values, self.starts + counts, axis=1).sum())


def cost_table(
    units: Units,
    shares: Sequence[Fraction],
    sizes: Sequence[int],
    development: int,
    *,
    loose_sizes: bool = False,
) -> CostTable:
    """Costs of parts with these shares and sizes.

    With ``loose_sizes`` a clip too many or too few costs no more than a word that is in its
    place, so that large units can change parts.
    """
    totals = units.totals
    starts = np.cumsum([0, *(totals + 1)])
    clips = np.arange(starts[-1]) - np.repeat(starts[:-1], totals + 1)
    of = np.repeat(totals, totals + 1)
    words = slice(starts[1], starts[1 + units.words])
    size_cost = UNIT if loose_sizes else _SIZE
    values = np.zeros((len(shares), starts[-1]), dtype=np.int64)
    for part, (share, size) in enumerate(zip(shares, sizes, strict=True)):
        values[part, : starts[1]] = size_cost * np.abs(clips[: starts[1]] - size)
        term = PartTerm.of(of[words], tuple(shares), development, part)
        away: NDArray[np.float64] = np.abs(clips[words] - of[words] * float(share))
        from_share = _SHARE * away / of[words] + _SQUARE * away**2 / of[words]
        values[part, words] = np.rint(from_share).astype(np.int64)
        values[part, words] += np.rint(UNIT * term.distances(clips[words])).astype(np.int64)
        if part == development:
            alone = (clips[words] == 0) | (clips[words] == of[words])
            values[part, words] += _ONE_PART * alone + _OUTSIDE * term.outside(clips[words])
        values[part, words.stop :] = _NAMESAKES * np.maximum(clips[words.stop :] - 1, 0)
    return CostTable(starts[:-1], values)
