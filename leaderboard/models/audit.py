"""Who did what, when."""

from django.conf import settings
from django.db import models

from leaderboard.models.append_only import AppendOnly, AppendOnlyQuerySet
from leaderboard.models.challenge import Challenge


class AuditEvent(AppendOnly):
    """One act that somebody may later have to account for; only ever added.

    The database itself refuses to change or delete a row. That is why the person
    and the challenge are referred to without a constraint: when they are deleted, the row
    stays as it is, with their numbers.
    """

    at = models.DateTimeField()
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
    )
    challenge = models.ForeignKey(
        Challenge,
        null=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
    )
    action = models.CharField(max_length=64)
    target = models.CharField(max_length=200)
    details = models.JSONField(default=dict)

    objects = AppendOnlyQuerySet["AuditEvent"].as_manager()

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["target", "-at"]),
            models.Index(fields=["challenge", "-at"]),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.target}"
