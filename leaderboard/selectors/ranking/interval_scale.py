"""The scale on which the intervals of several systems are drawn together."""

from collections.abc import Iterable
from dataclasses import dataclass

from leaderboard.selectors.evaluations.metric_value import MetricValue


@dataclass(frozen=True, slots=True)
class Scale:
    """From where to where a drawing goes; ``ticks`` are other systems' values."""

    low: float
    high: float
    ticks: tuple[float, ...] = ()


def scale_of(cells: Iterable[MetricValue], *, ticks: bool = False) -> Scale | None:
    """The scale that holds every value and interval, or None where there is none."""
    ends: list[float] = []
    values: list[float] = []
    for cell in cells:
        if cell.value is None:
            continue
        values.append(cell.value)
        ends += [cell.value if end is None else end for end in (cell.low, cell.high)]
    if not values:
        return None
    ends += values
    return Scale(min(ends), max(ends), tuple(sorted(set(values))) if ticks else ())
