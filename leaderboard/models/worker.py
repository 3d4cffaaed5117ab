"""Workers that serve the queues, as they were last heard of."""

from django.db import models


class WorkerProcess(models.Model):
    """A running ``celery worker``: ``name`` is its host and process, ``queues`` what it serves."""

    name = models.CharField(max_length=200, unique=True)
    queues = models.JSONField(default=list)
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "worker processes"

    def __str__(self) -> str:
        return self.name
