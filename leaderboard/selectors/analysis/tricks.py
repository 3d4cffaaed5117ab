"""What tricks gain by each metric, as pages and API give it."""

from dataclasses import dataclass

from scoring.registry import METRICS, MetricInfo
from scoring.tricks.captions import TRICKS, Trick
from scoring.tricks.measuring import MetricUnderTricks, measured_tricks


@dataclass(frozen=True, slots=True)
class TrickValue:
    """A metric's value of a trick, and whether it is better than the honest one beyond chance."""

    trick: Trick
    value: float
    raises: bool


@dataclass(frozen=True, slots=True)
class TrickRow:
    """A metric with its value of the honest captions and of each trick."""

    info: MetricInfo
    measured: MetricUnderTricks
    values: tuple[TrickValue, ...]

    @property
    def raising(self) -> list[TrickValue]:
        """The tricks that raise the metric, the worst first."""
        by_name = {value.trick.name: value for value in self.values}
        return [by_name[name] for name in self.measured.raised_by]


def trick_rows() -> list[TrickRow]:
    """List the metrics that were measured, in the order used everywhere."""
    return [_row(row) for row in measured_tricks().metrics.values()]


def trick_row(name: str) -> TrickRow | None:
    """One metric's row; None where it was not measured."""
    found = measured_tricks().metrics.get(name)
    return None if found is None else _row(found)


def tricks_that_raise(name: str) -> list[TrickValue]:
    """The tricks that raise a metric, the worst first; none where it was not measured."""
    row = trick_row(name)
    return row.raising if row else []


def _row(row: MetricUnderTricks) -> TrickRow:
    raised = row.raised_by
    values = (TrickValue(trick, row.values[trick.name], trick.name in raised) for trick in TRICKS)
    return TrickRow(METRICS[row.name], row, tuple(values))
