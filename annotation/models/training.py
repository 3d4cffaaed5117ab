"""Trainings of a labeller from a project's labels."""

from django.db import models

from annotation.models.item import Item, PresentManager
from annotation.models.people import person_or_nobody
from annotation.models.project import Project
from leaderboard.models import CancellableJob, Labeller


class TrainingData(models.Model):
    """Labelled captions that something was trained on, kept as they were.

    ``content`` is gzipped JSONL in Prodigy's form, one inventory's captions after
    the other's, each line with ``set``; ``sha256`` is that of the JSONL itself.
    """

    sha256 = models.CharField(max_length=64, unique=True)
    captions = models.PositiveIntegerField()
    content = models.BinaryField()
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.captions} captions, {self.sha256[:8]}"


class RunState(models.TextChoices):
    """Where a training stands; the last three are final."""

    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Training"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


class TrainingRun(CancellableJob):
    """One training: what it learns from, how, how far it is, what came of it.

    ``chosen`` says which labels were taken (``source``: accepted or gold; ``people``;
    ``projects`` that help with another inventory). ``options`` is the whole recipe.
    ``told`` holds what the page shows while it runs: ``stage`` and ``epochs`` with loss and
    F1 of each. ``report`` is what was measured. ``reason`` says why it failed, ``advice``
    what to do then.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="trainings")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=60)
    chosen = models.JSONField()
    options = models.JSONField()
    data = models.ForeignKey(TrainingData, on_delete=models.PROTECT, related_name="runs")
    state = models.CharField(max_length=9, choices=RunState, default=RunState.WAITING)
    cancel_asked_by = person_or_nobody(blank=True)
    told = models.JSONField(default=dict)
    report = models.JSONField(default=dict)
    reason = models.CharField(max_length=500, blank=True)
    advice = models.CharField(max_length=500, blank=True)
    detail = models.TextField(blank=True)
    labeller = models.ForeignKey(
        Labeller, null=True, blank=True, on_delete=models.SET_NULL, related_name="trainings"
    )
    started_by = person_or_nobody()
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="training_number"),
            models.UniqueConstraint(
                fields=["project"],
                condition=models.Q(state__in=["waiting", "running"]),
                name="one_training_at_a_time",
            ),
        ]
        indexes = [models.Index(fields=["state", "lease_expires_at"])]

    def __str__(self) -> str:
        return f"training {self.number} of {self.project}"


class Suggestion(models.Model):
    """What a labeller says of a caption; shown to who labels it, never where agreement is measured.

    ``spans`` are Prodigy's, each with ``confidence`` (0 to 1). ``identity`` names the
    labeller (name@xxxxxxxx).
    """

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="suggestion")
    identity = models.CharField(max_length=80)
    spans = models.JSONField()
    made_at = models.DateTimeField()

    objects = PresentManager["Suggestion"]()
    with_removed = models.Manager["Suggestion"]()

    def __str__(self) -> str:
        return f"{self.identity} on item {self.item_id}"
