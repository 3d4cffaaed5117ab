"""Rankings kept for good: taking snapshots, freezing the ranking of a phase and revealing it."""

from datetime import datetime

from django.db import transaction

from leaderboard.models import Phase, RankSnapshot, SnapshotReason, User
from leaderboard.selectors.ranking.snapshots import being_scored, digest, whole_ranking
from leaderboard.services.audit_log import audit_record
from leaderboard.web.refusals import Refused


@transaction.atomic
def snapshot_take(
    *,
    phase: Phase,
    reason: SnapshotReason,
    actor: User | None,
    now: datetime,
    until: datetime | None = None,
) -> RankSnapshot:
    """Store both tables of a phase as they are: names, values, intervals, ranks, signatures.

    The phase is locked, so that no submission comes in meanwhile. What was handed in after
    ``until`` is left out.
    """
    current = Phase.objects.select_for_update().get(pk=phase.pk)
    content = whole_ranking(current, now, until)
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
    audit_record(
        "snapshot.take",
        current,
        actor=actor,
        now=now,
        reason=snapshot.reason,
        snapshot=snapshot.pk,
        sha256=snapshot.sha256,
    )
    return snapshot


@transaction.atomic
def phase_freeze(
    *, phase: Phase, actor: User | None, now: datetime, until: datetime | None = None
) -> RankSnapshot:
    """Freeze the ranking: all but the organisers see it as it is now.

    What was handed in after ``until`` is left out. Refused where it is frozen.
    """
    current = _not_frozen(phase)
    snapshot = snapshot_take(
        phase=current, reason=SnapshotReason.FREEZE, actor=actor, now=now, until=until
    )
    Phase.objects.filter(pk=current.pk).update(frozen_at=now, freeze_asked_at=None)
    audit_record("phase.freeze", current, actor=actor, now=now, sha256=snapshot.sha256)
    phase.frozen_at, phase.freeze_asked_at = now, None
    return snapshot


@transaction.atomic
def phase_freeze_when_scored(*, phase: Phase, actor: User | None, now: datetime) -> None:
    """Have the ranking frozen as soon as all that is handed in by now is scored.

    Refused where it is frozen.
    """
    current = _not_frozen(phase)
    if current.freeze_asked_at is not None:
        return
    Phase.objects.filter(pk=current.pk).update(freeze_asked_at=now)
    phase.freeze_asked_at = now
    audit_record("phase.freeze_later", current, actor=actor, now=now)
    phases_freeze_due(now=now)


@transaction.atomic
def phase_freeze_cancel(*, phase: Phase, actor: User | None, now: datetime) -> bool:
    """Leave the ranking live that was to be frozen; returns whether it was to be."""
    waiting = Phase.objects.filter(pk=phase.pk, freeze_asked_at__isnull=False)
    if not waiting.update(freeze_asked_at=None):
        return False
    audit_record("phase.freeze_cancel", phase, actor=actor, now=now)
    return True


def phases_freeze_due(*, now: datetime) -> None:
    """Freeze the rankings that waited for systems of which all are scored now."""
    for phase in Phase.objects.filter(freeze_asked_at__isnull=False).order_by("pk"):
        with transaction.atomic():
            current = Phase.objects.select_for_update().get(pk=phase.pk)
            asked_at = current.freeze_asked_at
            if asked_at is not None and not being_scored(current, asked_at):
                phase_freeze(phase=current, actor=None, now=now, until=asked_at)


def _not_frozen(phase: Phase) -> Phase:
    """The phase under a lock; refused where its ranking is frozen."""
    current = Phase.objects.select_for_update().get(pk=phase.pk)
    if current.frozen_at is not None:
        raise Refused(
            f"The ranking of {current.name} has been frozen since "
            f"{current.frozen_at:%Y-%m-%d %H:%M} UTC. Nothing was changed."
        )
    return current


@transaction.atomic
def phase_reveal(*, phase: Phase, actor: User | None, now: datetime) -> RankSnapshot:
    """Show the live ranking to everyone again, and store it as it was revealed.

    Refused where it is not frozen.
    """
    current = Phase.objects.select_for_update().get(pk=phase.pk)
    if current.frozen_at is None:
        raise Refused(f"The ranking of {current.name} is not frozen. Nothing was changed.")
    snapshot = snapshot_take(phase=current, reason=SnapshotReason.REVEAL, actor=actor, now=now)
    Phase.objects.filter(pk=current.pk).update(frozen_at=None)
    audit_record("phase.reveal", current, actor=actor, now=now, sha256=snapshot.sha256)
    phase.frozen_at = None
    return snapshot
