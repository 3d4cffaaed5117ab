"""Splits of data sets under way and done."""

from django.db import models

from annotation.models.data_set import DataSet
from annotation.models.people import person_or_nobody
from leaderboard.models import CancellableJob


class SplitState(models.TextChoices):
    """Where a split stands; the last three are final."""

    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Splitting"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


class SplitRun(CancellableJob):
    """One split of a data set: what was asked, how far it is, what came of it.

    ``asked`` has the parts as they were written, the seed and what stays together.
    ``stage``, ``done`` and ``total`` are the progress. ``report`` has the share of every word,
    which ``DataSet.split`` leaves out. ``reason`` says why it failed.
    """

    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="split_runs")
    asked = models.JSONField()
    state = models.CharField(max_length=9, choices=SplitState, default=SplitState.WAITING)
    stage = models.CharField(max_length=40, blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    report = models.JSONField(default=dict, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    started_by = person_or_nobody()
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["data_set"],
                condition=models.Q(state__in=["waiting", "running"]),
                name="one_split_at_a_time",
            )
        ]
        indexes = [models.Index(fields=["state", "lease_expires_at"], name="split_state_lease")]

    def __str__(self) -> str:
        return f"split {self.pk} of {self.data_set_id}"

    @property
    def share(self) -> float | None:
        """How far it is, 0 to 1; None where nobody can say."""
        return min(1.0, self.done / self.total) if self.total else None

    @property
    def stopping(self) -> bool:
        """Whether it goes on only to its next step."""
        return self.under_way and self.cancel_asked_at is not None
