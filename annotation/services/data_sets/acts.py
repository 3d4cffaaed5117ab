"""Who does something with a data set, and when."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.models import DataSet
from leaderboard.models import AuditEvent, User


@dataclass(frozen=True, slots=True)
class DataSetAct:
    """Who does something, and when."""

    actor: User
    now: datetime

    def note(self, action: str, data_set: DataSet, **details: Any) -> None:
        """Add it to the audit trail."""
        AuditEvent.objects.create(
            at=self.now,
            actor=self.actor,
            action=f"data-set.{action}",
            target=f"data-set/{data_set.slug}",
            details=details,
        )
