"""Scoring a phase anew, first to look at, then for all."""

from django.conf import settings
from django.db import models

from leaderboard.models.challenge import Phase


class Rescoring(models.Model):
    """A dry run of other parameters over every submission of a phase.

    Its evaluations are not published; publishing it makes them the ones that
    count and its ``parameters`` (family -> name -> value) those of the phase.
    """

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="rescorings")
    families = models.JSONField()
    parameters = models.JSONField(default=dict)
    reason = models.CharField(max_length=300)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField()
    published_at = models.DateTimeField(null=True, blank=True)
    discarded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["phase"],
                condition=models.Q(published_at=None, discarded_at=None),
                name="one_open_rescoring_per_phase",
            )
        ]

    def __str__(self) -> str:
        return f"rescoring of {self.phase_id} from {self.created_at:%Y-%m-%d}"
