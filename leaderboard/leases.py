"""What attempts at jobs rest on: the clock of leases, who holds them, and what ends an attempt.

Whoever claims a row in the database may work on it until the lease ends. While the work goes on,
``services.jobs.attempts`` extends the lease.
"""

import os
import socket
from datetime import datetime

from django.db import connection
from django.dispatch import Signal
from django.utils import timezone


def process_name(pid: int | None = None) -> str:
    """Name of a process of this machine, of this one by default: what a claim is held by."""
    return f"{socket.gethostname()[:100]}:{pid or os.getpid()}"


def database_now() -> datetime:
    """The time by the database's clock.

    Machines judge each other's leases: by their own clocks, one that is an hour fast would hold
    an evaluation for an hour after its end, and one that is slow would lose all of its own.
    """
    if connection.vendor == "sqlite":  # it is on this machine
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return now


# Sent in a worker when one of its processes has ended otherwise than it should: ``name`` as
# ``process_name`` gives it, ``reason`` why (empty: it was over the hard time limit), ``serving``
# whether the worker can still be thought to serve its queues.
process_ended = Signal()
# Sent in a worker that stops, again and again until its end, or whose process was told to stop:
# what the processes ``names`` have not ended is for others.
work_returned = Signal()


class AttemptOver(Exception):
    """The attempt has no right to go on."""


class LeaseLost(AttemptOver):
    """Another attempt holds the lease now; this one must not write."""


class CancelAsked(AttemptOver):
    """Someone asked to cancel the job."""


class TimeLimitExceeded(AttemptOver):
    """The attempt ran longer than the installation allows."""
