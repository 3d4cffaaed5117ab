"""The audit log: one event for each change."""

from datetime import datetime
from typing import Any

from leaderboard.models import AuditEvent, Challenge, User


def audit_record(
    *,
    at: datetime,
    actor: User | None,
    action: str,
    target: object,
    challenge: Challenge | None = None,
    **details: Any,
) -> AuditEvent:
    """Add one event; ``actor`` None stands for the system or a command.

    What concerns a challenge names it, so that its organisers find it in its log.
    """
    return AuditEvent.objects.create(
        at=at,
        actor=actor,
        challenge=challenge,
        action=action,
        target=str(target)[:200],
        details=details,
    )
