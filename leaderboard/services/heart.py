"""The heartbeat of an attempt, in a thread of its own."""

import logging
import threading
from datetime import datetime, timedelta
from types import TracebackType
from typing import Self

from django.db import Error as AnyDatabaseError
from django.db import connection
from django.utils import timezone

from leaderboard.services.evaluations import Claim, LeaseLost, evaluation_beat

logger = logging.getLogger(__name__)

PROGRESS_EVERY = 1.0


class TimeLimitExceeded(Exception):
    """An attempt ran longer than the installation allows."""


class Heart:
    """Keep a lease alive while the work goes on, and carry its progress.

    Beats at once when there is progress to tell (at most once a second), and
    in any case four times per lease. Stops beating when the time limit is
    over, so that even work stuck in native code loses its lease.
    """

    def __init__(self, claim: Claim, *, lease: timedelta, time_limit: timedelta) -> None:
        self._claim = claim
        self._lease = lease
        self._deadline = claim.started_at + time_limit
        self._clips_done = 0
        self._told = 0
        self._failure: Exception | None = None
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

    def progress(self, _family: str, done: int, _total: int) -> None:
        """Note clips done; raises what ended the right to go on."""
        self._clips_done = done
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        last = self._claim.started_at
        wait = min(PROGRESS_EVERY, self._lease.total_seconds() / 4)
        try:
            while not self._stop.wait(wait):
                now = timezone.now()
                if self._due(now, last):
                    self._beat(now)
                    last = now
                if self._failure is not None:
                    return
        finally:
            connection.close()

    def _due(self, now: datetime, last: datetime) -> bool:
        return (
            now >= self._deadline or self._clips_done != self._told or now - last >= self._lease / 4
        )

    def _beat(self, now: datetime) -> None:
        if now >= self._deadline:
            self._failure = TimeLimitExceeded()
            return
        done = self._clips_done
        try:
            evaluation_beat(claim=self._claim, clips_done=done, now=now, lease=self._lease)
            self._told = done
        except LeaseLost as lost:
            self._failure = lost
        except AnyDatabaseError:
            # The next beat may succeed, over a new connection where this one is broken;
            # the lease covers a few that do not.
            logger.warning("A heartbeat could not be written", exc_info=True)
            connection.close()
