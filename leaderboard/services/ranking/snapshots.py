"""Rankings kept for good: taking snapshots, freezing the ranking of a phase and revealing it."""

from datetime import datetime

from django.db import transaction

from leaderboard.models import Phase, RankSnapshot, SnapshotReason, User
from leaderboard.selectors.ranking.snapshot_content import digest, whole_ranking
from leaderboard.services.audit_log import audit_record


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
    audit_record(
        at=now,
        actor=actor,
        action="snapshot.take",
        target=f"{current.challenge.slug}/{current.slug}",
        challenge=current.challenge,
        reason=snapshot.reason,
        snapshot=snapshot.pk,
        sha256=snapshot.sha256,
    )
    return snapshot


class FreezingRefused(Exception):
    """A ranking that could not be frozen or revealed; its text says why."""


class AlreadyFrozen(FreezingRefused):
    """The ranking is frozen."""

    def __init__(self, phase: Phase) -> None:
        super().__init__(
            f"The ranking of {phase.name} is frozen since {phase.frozen_at:%Y-%m-%d %H:%M} UTC. "
            "Nothing was changed."
        )


class NotFrozen(FreezingRefused):
    """The ranking is live."""

    def __init__(self, phase: Phase) -> None:
        super().__init__(f"The ranking of {phase.name} is not frozen. Nothing was changed.")


@transaction.atomic
def phase_freeze(*, phase: Phase, actor: User | None, now: datetime) -> RankSnapshot:
    """Freeze the ranking: all but the organisers see it as it is now.

    Raises ``AlreadyFrozen``.
    """
    current = Phase.objects.select_for_update().get(pk=phase.pk)
    if current.frozen_at is not None:
        raise AlreadyFrozen(current)
    snapshot = snapshot_take(phase=current, reason=SnapshotReason.FREEZE, actor=actor, now=now)
    _set(current, now)
    _record("phase.freeze", current, snapshot, actor, now)
    phase.frozen_at = now
    return snapshot


@transaction.atomic
def phase_reveal(*, phase: Phase, actor: User | None, now: datetime) -> RankSnapshot:
    """Show the live ranking to everyone again, and store it as it was revealed.

    Raises ``NotFrozen``.
    """
    current = Phase.objects.select_for_update().get(pk=phase.pk)
    if current.frozen_at is None:
        raise NotFrozen(current)
    snapshot = snapshot_take(phase=current, reason=SnapshotReason.REVEAL, actor=actor, now=now)
    _set(current, None)
    _record("phase.reveal", current, snapshot, actor, now)
    phase.frozen_at = None
    return snapshot


def _set(phase: Phase, frozen_at: datetime | None) -> None:
    Phase.objects.filter(pk=phase.pk).update(frozen_at=frozen_at)


def _record(
    action: str, phase: Phase, snapshot: RankSnapshot, actor: User | None, now: datetime
) -> None:
    audit_record(
        at=now,
        actor=actor,
        action=action,
        target=f"{phase.challenge.slug}/{phase.slug}",
        challenge=phase.challenge,
        sha256=snapshot.sha256,
    )
