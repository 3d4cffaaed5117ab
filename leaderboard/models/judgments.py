"""What people said of pairs of a phase's captions, and how far metrics say the same."""

from django.db import models

from leaderboard.models.challenge import Phase
from leaderboard.models.leased_job import LeasedJob


class JudgmentsState(models.TextChoices):
    """How far the metrics are compared with judgments."""

    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Measuring"
    DONE = "done", "Measured"
    FAILED = "failed", "Failed"


class PhaseJudgments(LeasedJob):
    """Judgments of pairs of a phase's captions from one ``source``, and the metrics against them.

    ``source`` is the address of the labelling project that they are from, ``name`` its name.
    ``pairs`` are [{"clip", "facet", "captions", "truth"}], as ``scoring.benchmark.Pair`` has
    them; ``sha256`` is that of their JSON. ``results`` are those of the judgments that were
    measured last, with how many there were (``services.judgments.measuring``); none at first.

    Everyone sees the results since ``published_at``; organisers always do.
    """

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="judgments")
    source = models.CharField(max_length=80)
    name = models.CharField(max_length=80)
    pairs = models.JSONField()
    sha256 = models.CharField(max_length=64)
    judges = models.PositiveIntegerField()
    votes = models.PositiveIntegerField()
    state = models.CharField(max_length=7, choices=JudgmentsState, default=JudgmentsState.WAITING)
    progress = models.JSONField(default=dict, blank=True)
    results = models.JSONField(default=dict, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    handed_over_at = models.DateTimeField()
    measured_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-handed_over_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["phase", "source"], name="judgments_once_per_source")
        ]
        indexes = [models.Index(fields=["state", "lease_expires_at"])]

    def __str__(self) -> str:
        return f"{self.name} on phase {self.phase_id}"
