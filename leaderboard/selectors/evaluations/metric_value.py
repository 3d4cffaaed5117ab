"""The one form in which a metric's value goes from the database to pages, API and files."""

from typing import NamedTuple

from django.db.models import QuerySet

from earmark.metric_labels import signed_metric
from earmark.registry import METRICS, MetricInfo
from leaderboard.models import EvaluationState, MetricResult
from leaderboard.selectors.evaluations.progress import Progress

NO_VALUE = "This metric says nothing about these captions."
NOT_ASKED = "This metric was not computed for this system."
NOT_YET = {
    EvaluationState.PENDING: "Waiting to be scored.",
    EvaluationState.RUNNING: "Being scored.",
}


class MetricValue(NamedTuple):
    """Corpus value of a metric with its 95 % interval, or the reason why there is none.

    ``result`` is the id of the stored row, new whenever rescored; 0 where it was frozen or
    does not matter. ``pending``: it is still being computed. What reads many values to rank
    by them leaves out all that stands behind ``result``. ``scorer_version`` is that of the
    package that computed it, empty where it is not known.
    """

    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None
    result: int = 0
    coverage: int = 0
    clips: int = 0
    signature: str = ""
    scorer_version: str = ""
    reason: str = ""
    pending: bool = False

    @property
    def info(self) -> MetricInfo:
        """The metric as it was computed; plain where the signature was not read."""
        return signed_metric(self.metric, self.signature)

    @property
    def note(self) -> str:
        """What to know of the value: why clips have none, or what it is worth; mostly nothing."""
        return self.info.note(self.coverage, self.clips, self.clips) if self.clips else ""


def values_read(results: QuerySet[MetricResult]) -> list[tuple[int, MetricValue]]:
    """Whole values of stored results, each with the key of its submission; one query."""
    rows = results.values_list(
        *("submission_id", "metric", "value", "low", "high", "pk"),
        *("coverage", "clips", "signature", "scorer_version"),
    )
    return [(row[0], MetricValue(*row[1:])) for row in rows]


def missing_value(metric: str, progress: Progress) -> MetricValue:
    """A metric without a value, with the reason why there is none."""
    wanted = METRICS[metric].family
    family = next((one for one in progress.families if one.family == wanted), None)
    if family is None:
        return MetricValue(metric, None, reason=NOT_ASKED)
    if family.state in NOT_YET:
        return MetricValue(metric, None, reason=NOT_YET[family.state], pending=True)
    return MetricValue(metric, None, reason=family.reason or METRICS[metric].gaps or NO_VALUE)
