"""The audit log: one event for each change."""

from datetime import datetime
from typing import Any

from leaderboard.models import AuditEvent, Challenge, User
from leaderboard.models.audit import place_in_log


def audit_record(
    action: str,
    target: object,
    /,
    *,
    actor: User | None,
    now: datetime,
    challenge: Challenge | None = None,
    **details: Any,
) -> AuditEvent:
    """Add one event; ``actor`` None stands for the system or a command.

    What concerns a challenge names it, so that its organisers find it in its log; with a
    ``target`` that is part of a challenge it does by itself.
    """
    name, own = place_in_log(target)
    return AuditEvent.objects.create(
        at=now,
        actor=actor,
        challenge=challenge or own,
        action=action,
        target=name[:200],
        details=details,
    )
