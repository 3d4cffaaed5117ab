"""A ranking as it was frozen, from the snapshot that was taken then.

Snapshots never change, so that each is read once per process.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from leaderboard.models import EvaluationState, Kind, RankSnapshot, SnapshotReason
from leaderboard.selectors.progress import FamilyProgress, Progress, family_progress, progress_from

UNFINISHED = "Not scored yet when the ranking was frozen."


@dataclass(frozen=True, slots=True)
class HeldSystem:
    """One system as it stood; ranks are None where it had none.

    ``values`` are those of ``whole_ranking``. ``evaluations`` are those that were done.
    """

    key: int
    public_id: str
    kind: Kind
    team: int
    team_slug: str
    team_name: str
    system_name: str
    submitted_at: datetime
    chosen: bool
    rank: int | None
    counts: bool
    rank_of_all: int | None
    values: Mapping[str, list[Any]]
    evaluations: frozenset[int]
    progress: Progress


@dataclass(frozen=True, slots=True)
class Frozen:
    """A frozen ranking: what stood, by key, in the order of the ranking of every system.

    ``estimates`` are those of ``RankEstimates`` for "teams" and "all", where they were known.
    """

    systems: Mapping[int, HeldSystem] = field(default_factory=dict)
    signatures: tuple[str, ...] = ()
    estimates: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def frozen_ranking(phase: int, until: datetime) -> Frozen:
    """Give the ranking of a phase (by key) that was frozen at a moment.

    Where there is none, nothing stood.
    """
    key = (
        RankSnapshot.objects.filter(phase=phase, reason=SnapshotReason.FREEZE, taken_at=until)
        .order_by("-pk")
        .values_list("pk", "sha256")
        .first()
    )
    return Frozen() if key is None else _read(*key)


@lru_cache(maxsize=4)
def _read(pk: int, _sha256: str) -> Frozen:
    content = RankSnapshot.objects.values_list("content", flat=True).get(pk=pk)
    systems = {row["key"]: _system(row) for row in content["systems"]}
    return Frozen(systems, tuple(content["signatures"]), content["estimates"])


def _system(row: Mapping[str, Any]) -> HeldSystem:
    return HeldSystem(
        key=row["key"],
        public_id=row["id"],
        kind=Kind(row["kind"]),
        team=row["team_key"],
        team_slug=row["team"],
        team_name=row["team_name"],
        system_name=row["system_name"],
        submitted_at=datetime.fromisoformat(row["submitted_at"]),
        chosen=row["chosen"],
        rank=row["rank"],
        counts=row["counts"],
        rank_of_all=row["rank_of_all"],
        values=row["values"],
        evaluations=frozenset(
            key for key, _, state, *_ in row["families"] if state == EvaluationState.DONE
        ),
        progress=progress_from(_family(*family) for family in row["families"]),
    )


def _family(_key: int, family: str, state: str, reason: str, clips: int) -> FamilyProgress:
    """Give a family as it stood; what was under way then does not go on here."""
    if state == EvaluationState.DONE:
        return family_progress(family, state, clips, clips, reason, 1)
    told = reason if state == EvaluationState.FAILED else UNFINISHED
    return family_progress(family, EvaluationState.FAILED, 0, clips, told, 1)
