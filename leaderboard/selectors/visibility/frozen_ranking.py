"""A ranking as it was frozen, from the snapshot that was taken then.

Snapshots never change, so that each is read once per process.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from leaderboard.models import EvaluationState, Kind, RankSnapshot, SnapshotReason
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.evaluations.progress import FamilyProgress, progress_from
from leaderboard.selectors.visibility.ranked_row import RankedRow
from scoring.registry import METRICS
from scoring.signature import with_revision

UNFINISHED = "Not scored yet when the ranking was frozen."


@dataclass(frozen=True, slots=True)
class FrozenRanking:
    """A frozen ranking: what stood, by key, in the order of the ranking of every system.

    ``rank`` of a row is that among the teams. ``estimates`` are those of ``RankEstimates``
    for "teams" and "all", where they were known.
    """

    systems: Mapping[int, RankedRow] = field(default_factory=dict)
    estimates: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def frozen_ranking(phase: int, until: datetime) -> FrozenRanking:
    """The ranking of a phase (by key) that was frozen at a moment.

    Where there is none, nothing stood.
    """
    key = (
        RankSnapshot.objects.filter(phase=phase, reason=SnapshotReason.FREEZE, taken_at=until)
        .order_by("-pk")
        .values_list("pk", "sha256")
        .first()
    )
    return FrozenRanking() if key is None else _read(*key)


@lru_cache(maxsize=4)
def _read(pk: int, _sha256: str) -> FrozenRanking:
    content = RankSnapshot.objects.values_list("content", flat=True).get(pk=pk)
    return FrozenRanking({row.key: row for row in rows_in(content)}, content["estimates"])


def rows_in(content: Mapping[str, Any]) -> Iterator[RankedRow]:
    """Rows of a snapshot (``ranking.snapshots``), in its order.

    Signatures are written as today, whatever the snapshot has: the record itself stays as
    it was taken, since its digest stands in the audit log.
    """
    metric = content["ranking_metric"]
    signatures = tuple(map(with_revision, content["signatures"]))
    for row in content["systems"]:
        values = {
            name: MetricValue(
                name,
                value,
                *_within_range(name, low, high),
                coverage=coverage,
                clips=clips,
                signature=signatures[at],
            )
            for name, (value, low, high, coverage, clips, at) in row["values"].items()
        }
        yield RankedRow(
            key=row["key"],
            public_id=row["id"],
            kind=Kind(row["kind"]),
            team=row["team_key"],
            team_slug=row["team"],
            team_name=row["team_name"],
            system_name=row["system_name"],
            submitted_at=datetime.fromisoformat(row["submitted_at"]),
            chosen=row["chosen"],
            ranking_value=values.get(metric),
            rank=row["rank"],
            counts=row["counts"],
            rank_of_all=row["rank_of_all"],
            values=values,
            evaluations=frozenset(
                key for key, _, state, *_ in row["families"] if state == EvaluationState.DONE
            ),
            progress=progress_from(_family(*family) for family in row["families"]),
        )


def _within_range(
    metric: str, low: float | None, high: float | None
) -> tuple[float | None, float | None]:
    """Ends of an interval; those of early snapshots may lie outside the range of the metric."""
    info = METRICS.get(metric)
    if info is None or low is None or high is None:
        return low, high
    return max(low, info.low), min(high, info.high)


def _family(_key: int, family: str, state: str, reason: str, clips: int) -> FamilyProgress:
    """The progress of a family when the ranking was frozen; what was under way counts as failed."""
    if state == EvaluationState.DONE:
        return FamilyProgress(family, EvaluationState.DONE, clips, clips, reason, 1)
    reason = reason if state == EvaluationState.FAILED else UNFINISHED
    return FamilyProgress(family, EvaluationState.FAILED, 0, clips, reason, 1)
