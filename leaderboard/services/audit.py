"""The audit trail."""

from datetime import datetime
from typing import Any

from leaderboard.models import AuditEvent, User


def audit_record(
    *, at: datetime, actor: User | None, action: str, target: object, **details: Any
) -> AuditEvent:
    """Add one event; ``actor`` None stands for the system or a command."""
    return AuditEvent.objects.create(
        at=at, actor=actor, action=action, target=str(target)[:200], details=details
    )
