"""Reading rankings that were kept."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from leaderboard.models import Kind, Phase, RankSnapshot
from scoring.registry import METRICS, MetricInfo


@dataclass(frozen=True, slots=True)
class KeptCell:
    """A value as it was, with its interval."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class KeptRow:
    """A system as it stood; what does not compete has no rank."""

    rank: int | None
    rank_of_all: int | None
    counts: bool
    competes: bool
    public_id: str
    system_name: str
    team_name: str
    submitted_at: datetime
    ranking: KeptCell | None


@dataclass(frozen=True, slots=True)
class KeptRanking:
    """A kept ranking for reading; ``info`` None where the metric is no longer known."""

    snapshot: RankSnapshot
    info: MetricInfo | None
    teams: tuple[KeptRow, ...]
    systems: tuple[KeptRow, ...]


def snapshots_of(phase: Phase) -> QuerySet[RankSnapshot]:
    """List the kept rankings of a phase, the latest first, without what is in them."""
    return phase.snapshots.defer("content").select_related("taken_by")


def kept_ranking(snapshot: RankSnapshot) -> KeptRanking:
    """Lay both tables of a kept ranking out."""
    rows = [_row(row, snapshot.ranking_metric) for row in snapshot.content["systems"]]
    teams = [row for row in rows if row.counts]
    return KeptRanking(snapshot, METRICS.get(snapshot.ranking_metric), tuple(teams), tuple(rows))


def _row(row: dict[str, Any], metric: str) -> KeptRow:
    found = row["values"].get(metric)
    return KeptRow(
        rank=row["rank"],
        rank_of_all=row["rank_of_all"],
        counts=row["counts"],
        competes=row["kind"] == Kind.SYSTEM,
        public_id=row["id"],
        system_name=row["system_name"],
        team_name=row["team_name"],
        submitted_at=datetime.fromisoformat(row["submitted_at"]),
        ranking=None if found is None else KeptCell(found[0], found[1], found[2]),
    )
