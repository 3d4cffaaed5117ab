"""One attempt at a job: its progress and the heartbeat that keeps its lease, and how it fails."""

import logging
import threading
import time
import traceback
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any, Self

from django.conf import settings
from django.db import Error as AnyDatabaseError
from django.db import close_old_connections, connection

from earmark.errors import ResourceMissing, ScoringError
from leaderboard.job_memory import memory_reason
from leaderboard.leases import AttemptOver, CancelAsked, LeaseLost, TimeLimitExceeded, database_now
from leaderboard.services.jobs.states import (
    JobClaim,
    JobFailure,
    JobKind,
    job_claim,
    job_fail,
    job_renew,
    job_stop,
)
from leaderboard.web.redaction import without_paths

logger = logging.getLogger(__name__)


SECONDS_BETWEEN_WRITES = 1.0


class JobProgress:
    """How far an attempt is, in columns of its job; keeps its lease while the ``with`` block runs.

    A thread extends the lease and writes the columns where they are new (at most once a second),
    and whenever ``longest_pause`` has passed (a quarter of the lease at most). It stops after
    ``limit``, so that even work stuck in native code loses its lease.
    """

    def __init__(
        self, claim: JobClaim, *, limit: timedelta, longest_pause: timedelta = timedelta.max
    ) -> None:
        self.claim = claim
        self.columns: dict[str, Any] = {}
        self._written = self.columns
        # By a clock that nobody sets.
        self._last = time.monotonic()
        self._deadline = self._last + limit.total_seconds()
        self._longest_pause = min(settings.LEASE / 4, longest_pause).total_seconds()
        self._seconds = min(SECONDS_BETWEEN_WRITES, settings.LEASE.total_seconds() / 4)
        self._over: AttemptOver | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def note(self, **columns: Any) -> None:
        """Note how far it is; raises what ended the right to go on."""
        self.columns = columns
        self.check()

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
        columns = self.columns
        if columns is self._written and now - self._last < self._longest_pause:
            return
        self._last = now
        try:
            job_renew(claim=self.claim, now=database_now(), lease=settings.LEASE, **columns)
            self._written = columns
        except AttemptOver as over:
            self._over = over
        except AnyDatabaseError:
            # The next beat may succeed, over a new connection where this one is broken;
            # the lease covers a few that do not.
            logger.warning("A heartbeat could not be written", exc_info=True)
            connection.close()


def job_work(
    *,
    kind: JobKind,
    pk: int,
    token: int,
    limit: timedelta,
    work: Callable[[JobProgress], None],
    **changes: Any,
) -> None:
    """Claim a job under the token of its message and do its work; nothing where it is taken."""
    now, lease = database_now(), settings.LEASE
    claim = job_claim(kind=kind, pk=pk, token=token, now=now, lease=lease, **changes)
    if claim is not None:
        progress = JobProgress(claim, limit=limit)
        job_attempt(progress, partial(work, progress))


def job_attempt(
    progress: JobProgress, work: Callable[[], None], about: str = ""
) -> Exception | None:
    """Do the work of a claimed job, which stores its results; returns what it failed with.

    The lease is kept alive meanwhile. A line of the log says what the process is at, with what is
    said ``about`` it. Of unexpected errors only the kind is told, since their text may hold a
    caption.
    """
    claim = progress.claim
    logger.info("%s %s begins%s", claim.kind.model.__name__, claim.pk, about)
    with progress:
        try:
            work()
        except LeaseLost:
            _log_lost(claim)
        except Exception as error:
            _end(progress, error)
            return error
    return None


def _end(progress: JobProgress, error: Exception) -> None:
    """Write how an attempt ended that has no results."""
    claim = progress.claim
    failure = None if isinstance(error, CancelAsked) else _failure(claim, error)
    connection_renew()
    if failure is not None:
        job_fail(claim=claim, failure=failure, now=database_now())
        return
    try:
        job_stop(claim=claim, now=database_now(), **progress.columns)
    except LeaseLost:
        _log_lost(claim)


def _failure(claim: JobClaim, error: Exception) -> JobFailure:
    if isinstance(error, TimeLimitExceeded):
        # Final, since the next attempt would most likely only keep others waiting as long.
        return claim.kind.over_limit()
    advice, final = str(getattr(error, "advice", "")), isinstance(error, ScoringError)
    want_of_memory = memory_reason(error)
    if not final:
        logger.exception("%s %s failed. %s", _name(claim), claim.pk, want_of_memory)
        # The next attempt would need as much memory.
        advice, final = claim.kind.lost_advice if want_of_memory else "", bool(want_of_memory)
    elif isinstance(error, ResourceMissing):  # which whoever runs the site mends
        logger.error("%s %s failed. %s", _name(claim), claim.pk, error)
    known = isinstance(error, ScoringError)
    message = str(error) if known else f"Unexpected error ({type(error).__name__})."
    return JobFailure(
        # Participants read it, to whom it is no use where something lies on the server.
        without_paths(_storable(want_of_memory or message)),
        without_paths(_storable(advice)),
        _storable(traceback.format_exc()[-8000:]),
        final,
    )


def _name(claim: JobClaim) -> str:
    return str(claim.kind.model._meta.verbose_name)


def _log_lost(claim: JobClaim) -> None:
    logger.warning("The %s %s is no longer this attempt's", _name(claim), claim.pk)


def connection_renew() -> None:
    """Drop a connection that the work outlived, unless a transaction depends on it."""
    if not connection.in_atomic_block:
        close_old_connections()


def _storable(text: str) -> str:
    """Escape what databases refuse in text: NUL and halves of surrogate pairs."""
    return text.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode()
