"""What tricks and false sounds gain by each metric, as pages and API give it."""

from collections.abc import Sequence
from dataclasses import dataclass

from earmark.metrics.composite.formula import Term
from earmark.registry import METRICS, MetricInfo, metrics_of
from earmark.tricks.captions import TRICKS, Trick
from earmark.tricks.false_sounds import MetricChanges, measured_false_sounds
from earmark.tricks.measuring import MetricUnderTricks, measured_tricks

# A board says so where a false sound raises its ranking metric in as many per cent of the cases.
OFTEN = 25.0


@dataclass(frozen=True, slots=True)
class FalseSoundShare:
    """In how many cases a false sound raises a metric, in per cent of all, of people and systems.

    ``firmer`` is the metric of the same family that it raises least, where that is at most half
    as often.
    """

    info: MetricInfo
    measured: MetricChanges
    firmer: "FalseSoundShare | None" = None

    @property
    def often(self) -> bool:
        """Whether a board that ranks by the metric says so."""
        return self.measured.percent >= OFTEN


def false_sound_share(name: str) -> FalseSoundShare | None:
    """One metric's share; None where it was not measured."""
    rows = measured_false_sounds().metrics
    own = rows.get(name)
    if own is None:
        return None
    family = [rows[info.name] for info in metrics_of(METRICS[name].family) if info.name in rows]
    least = min(family, key=lambda row: row.percent)
    firmer = least if least.percent <= own.percent / 2 else None
    return FalseSoundShare(
        METRICS[name],
        own,
        None if firmer is None else FalseSoundShare(METRICS[firmer.name], firmer),
    )


@dataclass(frozen=True, slots=True)
class TrickRow:
    """A metric with its value of the honest captions and of each trick."""

    info: MetricInfo
    measured: MetricUnderTricks

    @property
    def values(self) -> list[tuple[float, bool]]:
        """The value of each trick, and whether it is better than the honest one beyond chance."""
        raised, values = self.measured.raised_by, self.measured.values
        return [(values[trick.name], trick.name in raised) for trick in TRICKS]

    @property
    def raising(self) -> list[tuple[Trick, float]]:
        """The tricks that raise the metric, the worst first, with its values."""
        tricks = {trick.name: trick for trick in TRICKS}
        return [(tricks[name], self.measured.values[name]) for name in self.measured.raised_by]


def trick_rows() -> list[TrickRow]:
    """List the metrics that were measured, in the order used everywhere."""
    return [TrickRow(METRICS[row.name], row) for row in measured_tricks().metrics.values()]


def trick_row(name: str) -> TrickRow | None:
    """One metric's row; None where it was not measured."""
    row = measured_tricks().metrics.get(name)
    return None if row is None else TrickRow(METRICS[name], row)


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
