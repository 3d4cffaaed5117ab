"""Scores of captions as researchers read them: by the names of metrics."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from scoring.errors import ScoringError
from scoring.results import Details, Interval, MetricScore, PerClip


class NoScore(ScoringError):
    """A metric of which there is no score; the text says why."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of one system by several metrics, in the order used everywhere.

    ``scores["fense"]`` is a corpus value. ``clips`` has the clips' names in the order of all
    values per clip; ``results`` everything about each metric; ``unavailable`` the reason for
    each metric that could not be computed, which has no value anywhere; ``notes`` why a metric
    has no value for some clips, or says nothing of so few.
    """

    results: Mapping[str, MetricScore]
    unavailable: Mapping[str, str]
    clips: tuple[str, ...]
    notes: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> float:
        """Corpus value of a metric; raises ``NoScore``."""
        if name in self.results:
            return self.results[name].value
        if name in self.unavailable:
            raise NoScore(f"{name} is unavailable: {self.unavailable[name]}")
        raise NoScore(f"{name} was not asked for. There are scores of: {', '.join(self.results)}.")

    @property
    def corpus(self) -> dict[str, float]:
        """Corpus value of each metric."""
        return {name: result.value for name, result in self.results.items()}

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
