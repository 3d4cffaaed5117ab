"""Reading rankings that were kept."""

from dataclasses import dataclass

from django.db.models import QuerySet

from leaderboard.models import Phase, RankSnapshot
from leaderboard.selectors.visibility.frozen_ranking import rows_in
from leaderboard.selectors.visibility.ranked_row import RankedRow
from scoring.registry import METRICS, MetricInfo


@dataclass(frozen=True, slots=True)
class KeptRanking:
    """A kept ranking for reading; ``info`` None where the metric is no longer known.

    ``teams`` are the rows of the systems that counted, ``systems`` those of all.
    """

    snapshot: RankSnapshot
    info: MetricInfo | None
    teams: tuple[RankedRow, ...]
    systems: tuple[RankedRow, ...]


def snapshots_of(phase: Phase) -> QuerySet[RankSnapshot]:
    """Kept rankings of a phase, the latest first, without what is in them."""
    return phase.snapshots.defer("content").select_related("taken_by")


def kept_ranking(snapshot: RankSnapshot) -> KeptRanking:
    """Both tables of a kept ranking."""
    rows = tuple(rows_in(snapshot.content))
    teams = tuple(row for row in rows if row.counts)
    return KeptRanking(snapshot, METRICS.get(snapshot.ranking_metric), teams, rows)
