"""What tricks gain by each metric, as pages and API give it."""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.metrics.composite.formula import Term
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


def tricks_that_raise(terms: Sequence[Term]) -> list[Trick]:
    """The tricks that raise a sum of metrics beyond chance, the worst first.

    None where one of them was not measured. The interval of a sum is taken to be as wide as
    those of its metrics together, which it is at most.
    """
    known = measured_tricks().metrics
    rows = [(abs(term.factor), known.get(term.metric)) for term in terms]
    measured = [(factor, row) for factor, row in rows if row is not None]
    if not measured or len(measured) < len(rows):
        return []
    chance = sum(factor * row.chance for factor, row in measured)
    gains = {
        trick.name: sum(factor * row.gain(trick.name) for factor, row in measured)
        for trick in TRICKS
    }
    raising = [trick for trick in TRICKS if gains[trick.name] > chance]
    return sorted(raising, key=lambda trick: -gains[trick.name])


def _row(row: MetricUnderTricks) -> TrickRow:
    raised = row.raised_by
    values = (TrickValue(trick, row.values[trick.name], trick.name in raised) for trick in TRICKS)
    return TrickRow(METRICS[row.name], row, tuple(values))
