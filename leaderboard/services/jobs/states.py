"""The states of a job under a lease: who may change them, and when.

Every change is one UPDATE with the expected state in its WHERE clause. One row changed means
that it was ours to change; none means that another was first.
"""

from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Case, F, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce

from leaderboard.leases import CancelAsked, LeaseLost, process_name
from leaderboard.models import AttemptOutcome, CancellableJob, LeasedJob
from leaderboard.models.leased_job import CANCELLED, DONE, FAILED, RUNNING

MAX_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class JobFailure:
    """Why an attempt failed, and what to do; ``detail`` may hold captions.

    ``final``: the next attempt would fail as well. A job stores what it has columns for.
    """

    reason: str
    advice: str = ""
    detail: str = ""
    final: bool = True


def _nothing(*_: Any) -> None:
    pass


@dataclass(frozen=True, slots=True)
class JobKind:
    """What jobs of a kind say of their ends, and what else happens then.

    ``worker_lost`` is said where three workers stopped, ``lost_advice`` where one did or ran out
    of memory. ``ended`` is called in the transaction that ends a job without a result, with its
    id and the time. ``lost`` is called with attempts that cannot speak for themselves any more,
    before these are ended. Of ``stuck`` ones whose lease ran out no other attempt is made.
    """

    model: type[LeasedJob]
    worker_lost: str
    over_limit: Callable[[], JobFailure]
    lost_advice: str = ""
    ended: Callable[[int, datetime], None] = _nothing
    lost: Callable[[QuerySet[Any], AttemptOutcome], None] = _nothing
    stuck: Callable[[], Q] = Q

    @property
    def rows(self) -> QuerySet[LeasedJob]:
        """All jobs of the kind."""
        return self.model.objects.all()


@dataclass(frozen=True, slots=True)
class JobClaim:
    """The right to work on a job, until the lease ends; a message is good for its token alone."""

    kind: JobKind
    pk: int
    token: int

    @property
    def held(self) -> QuerySet[LeasedJob]:
        """The job, if the claim still holds it."""
        return self.kind.rows.filter(pk=self.pk, token=self.token, state=RUNNING)


@transaction.atomic
def job_claim(
    *,
    kind: JobKind,
    pk: int,
    token: int | None = None,
    now: datetime,
    lease: timedelta,
    **changes: Any,
) -> JobClaim | None:
    """Take a waiting job, or give None where it is not ours to take.

    ``token`` is the one under which the message was sent: a message that comes late or twice
    takes nothing.
    """
    waiting = kind.rows.filter(pk=pk, state=kind.model.WAITING)
    if token is not None:
        waiting = waiting.filter(token=token)
    taken = waiting.update(
        state=RUNNING,
        token=F("token") + 1,
        attempts=F("attempts") + 1,
        worker=process_name(),
        lease_expires_at=now + lease,
        **_stored(kind, {"started_at": Coalesce(F("started_at"), now)}) | changes,
    )
    if taken != 1:
        return None
    # Still under the lock of the update: read later, the token could be that of an
    # attempt which took over meanwhile, and two would hold it.
    return JobClaim(kind, pk, kind.rows.values_list("token", flat=True).get(pk=pk))


def job_write(*, claim: JobClaim, **changes: Any) -> None:
    """Change a job that the claim still holds, or raise ``LeaseLost``."""
    if claim.held.update(**changes) != 1:
        raise LeaseLost


def job_renew(*, claim: JobClaim, now: datetime, lease: timedelta, **progress: Any) -> None:
    """Extend the lease and note the progress. Raises ``LeaseLost`` and ``CancelAsked``."""
    job_write(claim=claim, lease_expires_at=now + lease, **progress)
    _check_not_cancelled(claim)


def job_finish(*, claim: JobClaim, now: datetime, **changes: Any) -> None:
    """Store the final state, first in the transaction that stores what was computed.

    Raises ``LeaseLost``, and ``CancelAsked``, which takes back what was just written.
    """
    done = {"finished_at": now, "reason": "", "advice": "", "detail": ""}
    job_write(claim=claim, state=DONE, lease_expires_at=None, **_stored(claim.kind, done) | changes)
    _check_not_cancelled(claim)


@transaction.atomic
def job_give_way(*, claim: JobClaim, now: datetime, **changes: Any) -> None:
    """Wait for the next turn; what was computed is kept. Raises ``LeaseLost``."""
    # Something was finished: what went wrong before is over.
    job_write(claim=claim, **_waiting_again(claim.kind), attempts=0, **changes)
    job_cancel_asked(kind=claim.kind, pk=claim.pk, now=now)


@transaction.atomic
def job_stop(*, claim: JobClaim, now: datetime, **changes: Any) -> None:
    """End a job that someone cancelled. Raises ``LeaseLost``."""
    if not _end(claim.kind, claim.held, claim.pk, now, state=CANCELLED, **changes):
        raise LeaseLost


@transaction.atomic
def job_fail(*, claim: JobClaim, failure: JobFailure, now: datetime) -> None:
    """End an attempt that failed: wait for the next one, or fail with the reason.

    Nothing happens where the claim does not hold the job any more.
    """
    kind, note = claim.kind, _stored(claim.kind, asdict(failure))
    if not failure.final:
        left = claim.held.filter(attempts__lt=MAX_ATTEMPTS)
        if left.update(**_waiting_again(kind), **note):
            job_cancel_asked(kind=kind, pk=claim.pk, now=now)
            return
    _end(kind, claim.held, claim.pk, now, state=FAILED, **note)


def job_cancel_asked(*, kind: JobKind, pk: int, now: datetime) -> None:
    """Cancel a job that waits and that someone asked to cancel; within a transaction."""
    waiting = kind.rows.filter(pk=pk, state=kind.model.WAITING)
    _end(kind, _to_cancel(kind, waiting), pk, now, state=CANCELLED)


def process_jobs_end(*, kind: JobKind, process: str, reason: str, now: datetime) -> None:
    """End the attempts of a process that is known to have ended, as ``job_fail`` does.

    Without a reason it was over the time limit. An attempt that was taken over has another
    process by now.
    """
    failure = JobFailure(reason, kind.lost_advice, final=False) if reason else kind.over_limit()
    held = kind.rows.filter(state=RUNNING, worker=process)
    kind.lost(held, AttemptOutcome.PROCESS_ENDED if reason else AttemptOutcome.TIME_LIMIT)
    for pk, token in held.values_list("pk", "token"):
        job_fail(claim=JobClaim(kind, pk, token), failure=failure, now=now)


@transaction.atomic
def process_jobs_return(
    *, kind: JobKind, processes: Collection[str], now: datetime
) -> list[JobClaim]:
    """Set the jobs of processes of a worker that stops to waiting again; returns them.

    It is no failure, so that the attempt does not count.
    """
    held = kind.rows.select_for_update().filter(state=RUNNING, worker__in=processes)
    keys = list(held.values_list("pk", flat=True))
    kind.rows.filter(pk__in=keys).update(**_waiting_again(kind), attempts=F("attempts") - 1)
    for pk in keys:
        job_cancel_asked(kind=kind, pk=pk, now=now)
    return _waiting(kind, Q(pk__in=keys))


def jobs_sweep(*, kind: JobKind, now: datetime, requeue_after: timedelta) -> list[JobClaim]:
    """Take back what was lost; give what must be sent to the queue.

    Jobs whose lease ran out wait again, or end after the last attempt.
    """
    jobs_take_back(kind=kind, now=now)
    return _waiting(kind, Q(enqueued_at=None) | Q(enqueued_at__lt=now - requeue_after))


def jobs_take_back(*, kind: JobKind, now: datetime) -> None:
    """Let jobs whose lease ran out wait again, or end them after the last attempt."""
    lost = kind.rows.filter(state=RUNNING, lease_expires_at__lt=now)
    for pk in list(lost.values_list("pk", flat=True)):
        _take_back(kind, lost.filter(pk=pk), pk, now)


@transaction.atomic
def _take_back(kind: JobKind, lost: QuerySet[LeasedJob], pk: int, now: datetime) -> None:
    if stuck := kind.stuck():
        kind.lost(lost.filter(stuck), AttemptOutcome.TIME_LIMIT)
        over = _stored(kind, asdict(kind.over_limit()))
        _end(kind, lost.filter(stuck), pk, now, state=FAILED, **over)
    kind.lost(lost, AttemptOutcome.WORKER_LOST)
    _end(kind, _to_cancel(kind, lost), pk, now, state=CANCELLED)
    texts = {"reason": kind.worker_lost, "advice": kind.lost_advice}
    # What was said of an earlier attempt says more.
    note = {
        name: Case(
            When(reason="", then=Value(text)),
            default=F(name),
            output_field=_columns(kind)[name],
        )
        for name, text in _stored(kind, texts).items()
    }
    _end(kind, lost.filter(attempts__gte=MAX_ATTEMPTS), pk, now, state=FAILED, **note)
    lost.update(**_waiting_again(kind))


def job_waiting(*, kind: JobKind, pk: int) -> list[JobClaim]:
    """The job, if it waits and no message for it is under way; else nothing."""
    return _waiting(kind, Q(pk=pk, enqueued_at=None))


def job_mark_enqueued(*, waiting: JobClaim, now: datetime) -> None:
    """Note that a message was sent, unless a worker took the job meanwhile."""
    rows = waiting.kind.rows.filter(pk=waiting.pk, token=waiting.token)
    rows.filter(state=waiting.kind.model.WAITING).update(enqueued_at=now)


def _waiting(kind: JobKind, which: Q) -> list[JobClaim]:
    rows = kind.rows.filter(which, state=kind.model.WAITING).order_by("pk")
    return [JobClaim(kind, pk, token) for pk, token in rows.values_list("pk", "token")]


def _waiting_again(kind: JobKind) -> dict[str, Any]:
    return {"state": kind.model.WAITING, "enqueued_at": None, "lease_expires_at": None}


def _end(kind: JobKind, rows: QuerySet[LeasedJob], pk: int, now: datetime, **changes: Any) -> bool:
    """End a job without a result if it is among the rows; returns whether it was.

    Goes within a transaction: whoever writes the end sends the notice, so it is sent once.
    """
    over = {"lease_expires_at": None, **_stored(kind, {"finished_at": now})}
    ended = rows.update(**over, **changes) == 1
    if ended:
        kind.ended(pk, now)
    return ended


def _to_cancel(kind: JobKind, rows: QuerySet[LeasedJob]) -> QuerySet[LeasedJob]:
    if not issubclass(kind.model, CancellableJob):
        return rows.none()
    return rows.filter(~Q(cancel_asked_at=None))


def _check_not_cancelled(claim: JobClaim) -> None:
    if _to_cancel(claim.kind, claim.kind.rows.filter(pk=claim.pk)).exists():
        raise CancelAsked


def _stored(kind: JobKind, values: dict[str, Any]) -> dict[str, Any]:
    """Those of the values that jobs of the kind have a column for, no longer than it takes."""
    columns = _columns(kind)
    return {
        name: value[: columns[name].max_length] if isinstance(value, str) else value
        for name, value in values.items()
        if name in columns
    }


def _columns(kind: JobKind) -> dict[str, Any]:
    return {column.name: column for column in kind.model._meta.fields}
