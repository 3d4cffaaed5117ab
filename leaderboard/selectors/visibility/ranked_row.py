"""The one form in which a row of a ranking goes from the database to pages, API and files."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from leaderboard.models import Kind
from leaderboard.selectors.evaluations.metric_value import MetricValue, missing_value
from leaderboard.selectors.evaluations.progress import Progress

NO_PROGRESS = Progress("waiting", ())


class RankRange(NamedTuple):
    """The ranks that a system has in the middle 95 % of resamples.

    ``tied`` are the keys of the others that the data cannot tell it from, in rank order;
    ``names`` are what these are called.
    """

    low: int
    high: int
    tied: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Write it as "2 to 4", or "2"."""
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"

    @property
    def tied_text(self) -> str:
        """The first of the systems that it is tied with, and how many more there are."""
        if len(self.names) < 2:
            return "".join(self.names)
        return f"{self.names[0]} and {len(self.names) - 1:,} more"


class RankedRow(NamedTuple):
    """One system of a ranking, with the names that its reader may know.

    ``ranking_value`` is what decides. ``rank`` is None where it has none, ``counts`` tells
    whether it is the one that counts for its team, ``rank_of_all`` is its rank among every
    system where both are known. The other fields are filled where they are shown: ``values``
    by metric, ``progress`` of the scoring, ``range`` of its rank, ``own`` for the reader's
    teams, ``evaluations`` (their keys) with which it stands in a frozen ranking.
    """

    key: int
    public_id: str
    team: int
    team_slug: str
    team_name: str
    system_name: str
    submitted_at: datetime
    chosen: bool
    ranking_value: MetricValue | None = None
    metadata: Mapping[str, Any] = {}
    kind: Kind = Kind.SYSTEM
    rank: int | None = None
    rank_of_all: int | None = None
    counts: bool = False
    values: Mapping[str, MetricValue] = {}
    progress: Progress = NO_PROGRESS
    range: RankRange | None = None
    own: bool = False
    evaluations: frozenset[int] = frozenset()

    @property
    def value(self) -> float | None:
        """The number that decides."""
        return None if self.ranking_value is None else self.ranking_value.value

    @property
    def unsettled(self) -> str:
        """State of the scoring while it goes on, else nothing."""
        return "" if self.progress.settled else self.progress.state

    @property
    def kind_label(self) -> str:
        """What wrote the captions, in a word."""
        return Kind(self.kind).label

    def shown(self, metric: str) -> MetricValue:
        """Value of a metric as a reader sees it: the number, or why there is none."""
        value = self.values.get(metric)
        if value is None or value.value is None:
            return missing_value(metric, self.progress)
        return value
