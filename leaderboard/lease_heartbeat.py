"""The lease heartbeat of an attempt at a job.

Whoever claims a row in the database may work on it until the lease ends. While the
work goes on, a thread of its own extends the lease and writes the progress.
"""

import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from types import TracebackType
from typing import Self

from django.db import Error as AnyDatabaseError
from django.db import connection
from django.dispatch import Signal
from django.utils import timezone

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_WRITES = 1.0


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


class LeaseHeartbeat:
    """Thread that keeps a lease alive while the ``with`` block runs.

    ``write`` extends the lease and stores the progress, or raises an ``AttemptOver``. It
    is called when ``has_news`` says that there is progress to store (at most once a second), and
    whenever ``longest_pause`` has passed (a quarter of the lease at most).

    The thread stops after ``limit``, so that even work stuck in native code loses its lease.
    """

    def __init__(
        self,
        *,
        write: Callable[[datetime], None],
        has_news: Callable[[], bool],
        limit: timedelta,
        lease: timedelta,
        longest_pause: timedelta = timedelta.max,
    ) -> None:
        self._write = write
        self._has_news = has_news
        # By a clock that nobody sets.
        self._last = time.monotonic()
        self._deadline = self._last + limit.total_seconds()
        self._longest_pause = min(lease / 4, longest_pause).total_seconds()
        self._seconds = min(SECONDS_BETWEEN_WRITES, lease.total_seconds() / 4)
        self._over: AttemptOver | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    def check(self) -> None:
        """Raise what ended the attempt, if anything did."""
        if self._over is not None:
            raise self._over

    def _run(self) -> None:
        try:
            while self._over is None and not self._stop.wait(self._seconds):
                self._beat(time.monotonic())
        finally:
            connection.close()

    def _beat(self, now: float) -> None:
        if now >= self._deadline:
            self._over = TimeLimitExceeded()
            return
        if not self._has_news() and now - self._last < self._longest_pause:
            return
        self._last = now
        try:
            self._write(database_now())
        except AttemptOver as over:
            self._over = over
        except AnyDatabaseError:
            # The next beat may succeed, over a new connection where this one is broken;
            # the lease covers a few that do not.
            logger.warning("A heartbeat could not be written", exc_info=True)
            connection.close()
