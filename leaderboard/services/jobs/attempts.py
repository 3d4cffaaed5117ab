"""One attempt at a job: its progress and heartbeat, and what is written where it fails."""

import logging
import traceback
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import close_old_connections, connection

from leaderboard.job_memory import memory_reason
from leaderboard.lease_heartbeat import (
    CancelAsked,
    LeaseHeartbeat,
    LeaseLost,
    TimeLimitExceeded,
    database_now,
)
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
from scoring.errors import ResourceMissing, ScoringError

logger = logging.getLogger(__name__)


class JobProgress:
    """How far an attempt is, in columns of its job, written with each heartbeat."""

    def __init__(
        self,
        claim: JobClaim,
        *,
        limit: timedelta,
        lease: timedelta | None = None,
        longest_pause: timedelta = timedelta.max,
    ) -> None:
        self.claim = claim
        self.columns: dict[str, Any] = {}
        self._written = self.columns
        self._lease = lease or settings.LEASE
        self.heartbeat = LeaseHeartbeat(
            write=self._write,
            has_news=lambda: self.columns is not self._written,
            limit=limit,
            lease=self._lease,
            longest_pause=longest_pause,
        )

    def note(self, **columns: Any) -> None:
        """Note how far it is; raises what ended the right to go on."""
        self.columns = columns
        self.heartbeat.check()

    def _write(self, now: datetime) -> None:
        columns = self.columns
        job_renew(claim=self.claim, now=now, lease=self._lease, **columns)
        self._written = columns


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


def job_attempt(progress: JobProgress, work: Callable[[], None]) -> Exception | None:
    """Do the work of a claimed job, which stores its results; returns what it failed with.

    The lease is kept alive meanwhile. Of unexpected errors only the kind is told, since their
    text may hold a caption.
    """
    claim = progress.claim
    with progress.heartbeat:
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
    if not isinstance(error, CancelAsked):
        failure = _failure(claim, error)
        connection_renew()
        job_fail(claim=claim, failure=failure, now=database_now())
        return
    connection_renew()
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
    said = str(error) if known else f"Unexpected error ({type(error).__name__})."
    return JobFailure(
        # Participants read it, to whom it is no use where something lies on the server.
        without_paths(_storable(want_of_memory or said)),
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
