"""Workers that serve the queues, as they were last heard of, and how their attempts ended."""

from django.db import models


class WorkerProcess(models.Model):
    """A running ``celery worker``: ``name`` is its host and process, ``queues`` what it serves.

    ``jobs`` is how many it does at a time, ``clock_offset`` by how many seconds its clock is
    ahead of the database's.
    """

    name = models.CharField(max_length=200, unique=True)
    queues = models.JSONField(default=list)
    jobs = models.PositiveSmallIntegerField(default=1)
    clock_offset = models.FloatField(default=0)
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "worker processes"

    def __str__(self) -> str:
        return self.name


class AttemptOutcome(models.TextChoices):
    """How an attempt at an evaluation ended."""

    DONE = "done", "Scored"
    REFUSED = "refused", "The scorer refused, with a reason"
    MODEL_MISSING = "model_missing", "A model or data file is missing"
    TIME_LIMIT = "time_limit", "Over the time limit"
    SCORER_CHANGED = "scorer_changed", "The scorer changed while it waited"
    MEMORY = "memory", "Over the memory limit"
    PROCESS_ENDED = "process_ended", "Its process ended"
    WORKER_LOST = "worker_lost", "Its worker stopped responding"
    UNEXPECTED = "unexpected", "Unexpected error"


class AttemptCount(models.Model):
    """How many attempts at a metric family ended so within so many seconds, ever.

    Counted when they end and not from evaluations, which may be retried or deleted, and of which
    there are many. ``up_to`` is one of ``BOUNDS``, the smallest that is not exceeded;
    ``seconds`` is the sum.
    """

    BOUNDS = (1, 3, 10, 30, 100, 300, 1000, 3000, 10**9)

    family = models.CharField(max_length=40)
    outcome = models.CharField(max_length=14, choices=AttemptOutcome)
    up_to = models.PositiveIntegerField()
    attempts = models.PositiveBigIntegerField(default=0)
    seconds = models.FloatField(default=0)

    class Meta:
        ordering = ["family", "outcome", "up_to"]
        constraints = [
            models.UniqueConstraint(
                fields=["family", "outcome", "up_to"], name="attempts_counted_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.attempts} attempts at {self.family}: {self.outcome}"
