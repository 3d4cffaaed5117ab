"""Snapshots of rankings."""

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
