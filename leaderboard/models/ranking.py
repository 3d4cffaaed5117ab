"""Estimates of how certain ranks are, and rankings kept for good."""

from django.conf import settings
from django.db import models

from leaderboard.models.append_only import AppendOnly, AppendOnlyQuerySet
from leaderboard.models.challenge import Phase


class RankEstimates(models.Model):
    """Rank intervals and ties of a phase by random subsets of the clips, made by a worker.

    ``stamp`` changes with the results that they were computed from. ``content`` maps a
    submission's id to the ranks that hold the middle 95 % of resamples and to the others
    that the data cannot tell it from.
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


class SnapshotReason(models.TextChoices):
    """Why a ranking was kept."""

    FREEZE = "freeze", "Frozen"
    REVEAL = "reveal", "Revealed"
    RESCORING = "rescore", "Before a rescoring"


class RankSnapshot(AppendOnly):
    """The ranking of a phase at a moment; the database refuses to change it.

    ``content`` holds the rows of the leaderboard in rank order, with names and
    values as they were; ``sha256`` is that of its canonical JSON.
    """

    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="snapshots")
    reason = models.CharField(max_length=8, choices=SnapshotReason)
    taken_at = models.DateTimeField()
    taken_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
    )
    ranking_metric = models.CharField(max_length=40)
    precision = models.PositiveSmallIntegerField()
    content = models.JSONField()
    sha256 = models.CharField(max_length=64)

    objects = AppendOnlyQuerySet["RankSnapshot"].as_manager()

    class Meta:
        ordering = ["-taken_at", "-id"]

    def __str__(self) -> str:
        return f"{self.phase} at {self.taken_at:%Y-%m-%d %H:%M} UTC"
