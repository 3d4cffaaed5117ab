"""Ranks of systems: pure functions over plain values."""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Generic, TypeVar

from earmark.registry import Direction
from leaderboard.models.challenge import Counting

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class RankingEntry(Generic[K]):
    """One submission as the ranking sees it.

    ``value`` None or NaN means that there is no value; such an entry is never
    ranked. ``order`` settles the row order of equals and must be unique.
    """

    key: K
    team: Hashable
    value: float | None
    submitted_at: datetime
    order: int
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class RankedEntry(Generic[K]):
    """An entry with its rank (1, 1, 3), or None where it is not ranked."""

    key: K
    rank: int | None


def rounded(value: float | None, precision: int) -> Decimal | None:
    """Round to the declared precision, at which equal values are a tie."""
    if value is None or not math.isfinite(value):
        return None
    return Decimal(value).quantize(Decimal(1).scaleb(-precision), rounding=ROUND_HALF_EVEN)


def place(
    entries: Iterable[RankingEntry[K]], *, direction: Direction, precision: int
) -> list[RankedEntry[K]]:
    """Rank entries, best first, ties sharing a rank; those without a value come last.

    The order does not depend on the order of ``entries``: ties stand by time
    of submission, then by ``order``.
    """
    sign = -1 if direction == "higher" else 1
    with_value = []
    without = []
    for entry in entries:
        value = rounded(entry.value, precision)
        if value is None:
            without.append(entry)
        else:
            with_value.append((sign * value, entry.submitted_at, entry.order, entry))
    with_value.sort(key=lambda row: row[:3])
    placed: list[RankedEntry[K]] = []
    rank = 0
    previous: Decimal | None = None
    for position, (value, _, _, entry) in enumerate(with_value, start=1):
        if value != previous:
            rank, previous = position, value
        placed.append(RankedEntry(entry.key, rank))
    without.sort(key=lambda entry: (entry.submitted_at, entry.order))
    return placed + [RankedEntry(entry.key, None) for entry in without]


def counting_entries(
    entries: Sequence[RankingEntry[K]], *, counting: Counting, direction: Direction
) -> list[RankingEntry[K]]:
    """Keep the one entry of each team that the phase's rule counts.

    ``BEST``: the best value (the earlier one of equals; one without a value
    only where the team has no other). ``LAST``: the latest. ``CHOSEN``: the
    chosen one, or the latest where the team chose none.
    """
    by_team: dict[Hashable, list[RankingEntry[K]]] = {}
    for entry in entries:
        by_team.setdefault(entry.team, []).append(entry)
    return [_counting(rows, counting, direction) for rows in by_team.values()]


def _counting(
    rows: list[RankingEntry[K]], counting: Counting, direction: Direction
) -> RankingEntry[K]:
    if counting == Counting.BEST:
        return min(rows, key=lambda entry: (*_badness(entry, direction), *_time(entry)))
    chosen = [entry for entry in rows if entry.chosen]
    if counting == Counting.CHOSEN and chosen:
        rows = chosen
    return max(rows, key=_time)


def _time(entry: RankingEntry[K]) -> tuple[datetime, int]:
    return entry.submitted_at, entry.order


def _badness(entry: RankingEntry[K], direction: Direction) -> tuple[bool, float]:
    """Order entries from better to worse, those without a value last."""
    if entry.value is None or not math.isfinite(entry.value):
        return True, 0.0
    return False, -entry.value if direction == "higher" else entry.value
