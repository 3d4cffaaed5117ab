"""What people said of pairs of captions, and how far metrics say the same."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from leaderboard.models.challenge import Phase
from leaderboard.models.leased_job import LeasedJob


class JudgmentsState(models.TextChoices):
    """How far the metrics are compared with judgments."""

    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Measuring"
    DONE = "done", "Measured"
    FAILED = "failed", "Failed"


class JudgmentSet(LeasedJob):
    """Judgments of pairs of captions, and the metrics against them: a phase's, or a person's own.

    Of a phase ``source`` is the address of the labelling project that they are from, ``name`` its
    name. Everyone sees the results since ``published_at``; organisers always do.

    Those of an ``owner`` are from a file of theirs, which nobody else sees but the site's staff.
    ``clips`` are its clips, [{"name", "references"}]; those of a phase are in its reference set.

    ``pairs`` are [{"clip", "facet", "captions", "truth", "votes"}] with the places of clips, as
    ``earmark.benchmark.Pair`` has them (older ones without votes); ``sha256`` is that of their
    JSON. ``results`` are those of the judgments that were measured last, with how many there were
    (``services.judgments.measuring``); none at first.
    """

    phase = models.ForeignKey(
        Phase, on_delete=models.CASCADE, null=True, blank=True, related_name="judgments"
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="judgments",
    )
    source = models.CharField(max_length=80, blank=True)
    name = models.CharField(max_length=80)
    clips = models.JSONField(default=list, blank=True)
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
            models.UniqueConstraint(fields=["phase", "source"], name="judgments_once_per_source"),
            models.CheckConstraint(
                condition=Q(phase__isnull=False, owner__isnull=True)
                | Q(phase__isnull=True, owner__isnull=False, published_at__isnull=True),
                name="judgments_of_a_phase_or_a_person",
            ),
        ]
        indexes = [models.Index(fields=["state", "lease_expires_at"])]

    def __str__(self) -> str:
        return f"{self.name} of {'a person' if self.phase_id is None else f'phase {self.phase_id}'}"
