"""How firm the ranks of a phase are."""

from django.db import models

from leaderboard.models.challenge import Phase


class RankEstimates(models.Model):
    """Rank intervals and ties of a phase by paired bootstrap, made by a worker.

    ``stamp`` changes with what they rest on. ``content`` maps a submission's id to
    the ranks that hold the middle 95 % of resamples and to the others that the
    data cannot tell it from.
    """

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="rank_estimates")
    every_system = models.BooleanField()
    stamp = models.CharField(max_length=64)
    made_at = models.DateTimeField()
    content = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["phase", "every_system"], name="rank_estimates_once_per_table"
            )
        ]

    def __str__(self) -> str:
        return f"rank estimates of {self.phase_id}"
