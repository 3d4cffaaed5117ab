"""Numbers as the API gives them: rounded where references are hidden, null where there is none."""

from collections.abc import Mapping

from ninja import Schema
from pydantic import Field

from earmark.registry import METRICS
from leaderboard.models import Phase
from leaderboard.ranking import rounded
from leaderboard.selectors.evaluations.metric_value import MetricValue


class ScoreOut(Schema):
    """A metric's corpus value with its 95 % interval."""

    value: float | None
    low: float | None
    high: float | None
    coverage: int = Field(description="Clips that the metric has a value for.")
    clips: int
    signature: str = Field(description="Compare numbers only where signatures are equal.")
    label: str = Field(
        description="Of the metric, with what differs from its defaults: FENSE (penalty 0.5)."
    )
    scorer_version: str = Field(
        description="Version of the scorer that computed it; numbers of two versions may be "
        "compared. Empty where it was not recorded, as in a frozen ranking."
    )
    note: str = Field(description="Why clips have no value, or what the value is worth; or empty.")

    @classmethod
    def of(cls, cell: MetricValue, decimals: int | None) -> "ScoreOut":
        """Take over a number of the leaderboard; ``decimals`` None: as it is."""
        return cls(
            value=cut(cell.value, decimals),
            low=cut(cell.low, decimals),
            high=cut(cell.high, decimals),
            coverage=cell.coverage,
            clips=cell.clips,
            signature=cell.signature,
            label=cell.info.label,
            scorer_version=cell.scorer_version,
            note=cell.note,
        )


def cut(value: float | None, decimals: int | None) -> float | None:
    """A number at some decimals; None of them: as it is."""
    number = None if value is None or decimals is None else rounded(value, decimals)
    return value if number is None else float(number)


def scores(cells: Mapping[str, MetricValue], *, phase: Phase, exact: bool) -> dict[str, ScoreOut]:
    """The scores by metric, in the order used everywhere.

    ``exact`` for those who may see single clips. To all others numbers say what pages
    say: by the last digits of a mean one could tell the scores of many clips apart.
    """
    by_metric = {}
    for name, info in METRICS.items():
        if name in cells:
            shown = phase.precision if name == phase.ranking_metric else info.decimals
            by_metric[name] = ScoreOut.of(cells[name], None if exact else shown)
    return by_metric
