"""Scores of captions as researchers read them: by the names of metrics."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from earmark.errors import ScoringError
from earmark.metric_sets import known_name
from earmark.registry import METRICS
from earmark.results import Details, Interval, MetricScore, PerClip
from earmark.tables import FiguresTable, HasTable, figure, frame, interval_text

if TYPE_CHECKING:
    from earmark.captions import References
    from earmark.pipeline import CorpusScores


class NoScore(ScoringError, KeyError):
    """A metric of which there is no score; the text says why."""

    # That of KeyError shows the text as a quoted key.
    __str__ = Exception.__str__


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scores(HasTable, Mapping[str, float]):
    """Corpus values of one system by the names of metrics, in the order used everywhere.

    ``scores["fense"]`` is a corpus value. ``clips`` has the clips' names in the order of all
    values per clip; ``results`` everything about each metric; ``unavailable`` the reason for
    each metric that could not be computed, which has no value anywhere; ``notes`` why a metric
    has no value for some clips, or says nothing of so few. Scores are equal where all values are.
    """

    results: Mapping[str, MetricScore]
    unavailable: Mapping[str, str]
    clips: tuple[str, ...]
    notes: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, scored: "CorpusScores", references: "References") -> "Scores":
        """Scores of a run against these references."""
        names, notes = references.file_names, scored.notes(references)
        return cls(scored.results, scored.unavailable, names, notes)

    def __getitem__(self, name: str) -> float:
        """Corpus value of a metric, by name or label; raises ``NoScore``, a ``KeyError``."""
        known = known_name(str(name))
        if known in self.results:
            return self.results[known].value
        if known in self.unavailable:
            raise NoScore(f"{known} is unavailable: {self.unavailable[known]}")
        raise NoScore(f"{name} was not asked for. There are scores of: {', '.join(self.results)}.")

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def table(self) -> FiguresTable:
        """Value, interval, clips with a value and direction of each metric; then the notes."""
        rows = (
            (
                name,
                figure(result.value, METRICS[name].decimals),
                interval_text(result.interval, METRICS[name].decimals),
                f"{result.coverage:,}",
                METRICS[name].direction,
            )
            for name, result in self.results.items()
        )
        notes = (
            *(f"{name}: {note}" for name, note in self.notes.items()),
            *(f"{name} is unavailable: {reason}" for name, reason in self.unavailable.items()),
        )
        headings = ("metric", "value", "95 % interval", "clips", "better")
        return FiguresTable(headings, tuple(rows), notes)

    def to_frame(self, of: Literal["clips", "metrics"] = "clips") -> Any:
        """A pandas DataFrame: a row per clip and a column per metric, float32, NaN without a value.

        With "metrics" a row per metric, with the columns value, low, high and signature. Raises
        ``ResourceMissing`` where pandas is not installed.
        """
        if of == "clips":
            return frame(self.per_clip, self.clips, "file_name")
        columns = {
            "value": list(self.values()),
            "low": [interval.low for interval in self.intervals.values()],
            "high": [interval.high for interval in self.intervals.values()],
            "signature": list(self.signatures.values()),
        }
        return frame(columns, self, "metric")

    @property
    def per_clip(self) -> dict[str, PerClip]:
        """Values of all clips of each metric, float32, shape (clips,); NaN where there is none."""
        return {name: result.per_clip for name, result in self.results.items()}

    @property
    def intervals(self) -> dict[str, Interval]:
        """95 % interval of each corpus value; NaN at both ends with a single clip."""
        return {name: result.interval for name, result in self.results.items()}

    @property
    def signatures(self) -> dict[str, str]:
        """What each value depends on; values compare only where signatures are equal."""
        return {name: result.signature for name, result in self.results.items()}

    @property
    def details(self) -> dict[str, Details]:
        """Reasons for the values, clip by clip, of metrics that have some; empty unless asked."""
        return {
            name: result.details
            for name, result in self.results.items()
            if result.details is not None
        }
