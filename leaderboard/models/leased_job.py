"""Jobs that workers do under leases: the columns that all kinds of them have."""

from typing import ClassVar, Self

from django.db import models

WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"
UNDER_WAY = (WAITING, RUNNING)


class LeasedJob(models.Model):
    """A row that one worker at a time works on, as ``services.jobs.states`` says.

    ``token`` is the fencing token: it grows with each attempt, and only the attempt that holds
    the current one may write. ``worker`` is the process of the last attempt, whose right ends at
    ``lease_expires_at``. ``attempts`` counts those that ended badly or are under way.
    ``enqueued_at`` is when the last message was sent. Kinds name the states for people.
    """

    WAITING: ClassVar[str] = WAITING

    state = models.CharField(max_length=9)
    attempts = models.PositiveSmallIntegerField(default=0)
    token = models.PositiveIntegerField(default=0)
    worker = models.CharField(max_length=120, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    enqueued_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[models.Manager[Self]] = models.Manager()

    class Meta:
        abstract = True

    @property
    def under_way(self) -> bool:
        """Whether somebody works on it, or it waits for that."""
        return self.state in {self.WAITING, RUNNING}


class CancellableJob(LeasedJob):
    """A job that people may ask to end: while it waits at once, else at its next heartbeat."""

    cancel_asked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def stopping(self) -> bool:
        """Whether it goes on only to its next step."""
        return self.under_way and self.cancel_asked_at is not None
