"""Rankings kept for good: taking snapshots, freezing the ranking of a phase and revealing it."""

from datetime import datetime

from django.db import transaction

from leaderboard.models import Phase, RankSnapshot, SnapshotReason, User
from leaderboard.selectors.ranking.snapshots import digest, whole_ranking
from leaderboard.services.audit_log import audit_phase


@transaction.atomic
def snapshot_take(
    *, phase: Phase, reason: SnapshotReason, actor: User | None, now: datetime
) -> RankSnapshot:
    """Store both tables of a phase as they are: names, values, intervals, ranks, signatures.

    The phase is locked, so that no submission comes in meanwhile.
    """
    current = Phase.objects.select_for_update().get(pk=phase.pk)
    content = whole_ranking(current, now)
    snapshot = RankSnapshot.objects.create(
        phase=current,
        reason=reason,
        taken_at=now,
        taken_by=actor,
        ranking_metric=current.ranking_metric,
        precision=current.precision,
        content=content,
        sha256=digest(content),
    )
    audit_phase(
        current,
        "snapshot.take",
        actor=actor,
        now=now,
        reason=snapshot.reason,
        snapshot=snapshot.pk,
        sha256=snapshot.sha256,
    )
    return snapshot


class FreezingRefused(Exception):
    """A ranking that could not be frozen or revealed; its text says why."""


@transaction.atomic
def phase_freeze(*, phase: Phase, actor: User | None, now: datetime) -> RankSnapshot:
    """Freeze the ranking: all but the organisers see it as it is now.

    Raises ``FreezingRefused`` where it is frozen.
    """
    current = Phase.objects.select_for_update().get(pk=phase.pk)
    if current.frozen_at is not None:
        raise FreezingRefused(
            f"The ranking of {current.name} is frozen since {current.frozen_at:%Y-%m-%d %H:%M} "
            "UTC. Nothing was changed."
        )
    snapshot = snapshot_take(phase=current, reason=SnapshotReason.FREEZE, actor=actor, now=now)
    Phase.objects.filter(pk=current.pk).update(frozen_at=now)
    audit_phase(current, "phase.freeze", actor=actor, now=now, sha256=snapshot.sha256)
    phase.frozen_at = now
    return snapshot


@transaction.atomic
def phase_reveal(*, phase: Phase, actor: User | None, now: datetime) -> RankSnapshot:
    """Show the live ranking to everyone again, and store it as it was revealed.

    Raises ``FreezingRefused`` where it is not frozen.
    """
    current = Phase.objects.select_for_update().get(pk=phase.pk)
    if current.frozen_at is None:
        raise FreezingRefused(f"The ranking of {current.name} is not frozen. Nothing was changed.")
    snapshot = snapshot_take(phase=current, reason=SnapshotReason.REVEAL, actor=actor, now=now)
    Phase.objects.filter(pk=current.pk).update(frozen_at=None)
    audit_phase(current, "phase.reveal", actor=actor, now=now, sha256=snapshot.sha256)
    phase.frozen_at = None
    return snapshot
