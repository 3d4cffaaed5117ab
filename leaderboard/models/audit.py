"""Who did what, when."""

from django.conf import settings
from django.db import models


class AuditEvent(models.Model):
    """One act that an organiser may later have to account for; only ever added."""

    at = models.DateTimeField()
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    action = models.CharField(max_length=64)
    target = models.CharField(max_length=200)
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["target", "-at"])]

    def __str__(self) -> str:
        return f"{self.action} {self.target}"
