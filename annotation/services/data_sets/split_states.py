"""The states of a split: who may change them, and when.

Every change is one UPDATE with the expected state in its WHERE clause, as with trainings
(``annotation.services.training.states``). A split has no turns: it takes minutes.
"""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce

from annotation.models import DataSet, SplitRun, SplitState
from annotation.services.data_sets.making import DataSetAct
from leaderboard.lease_heartbeat import LeaseLost, process_name
from scoring.datasets.splitting import SIMILARITY, TRIALS

MAX_ATTEMPTS = 3
UNDER_WAY = (SplitState.WAITING, SplitState.RUNNING)
WORKER_LOST = (
    "The worker stopped three times in this split, most often because memory ran out. "
    "Whoever runs this site finds why in the log of the worker."
)
TOO_LONG = "Computed longer than the limit. Whoever runs this site can set another."


class SplitRefused(Exception):
    """An act on a split that is in another state; the text says so."""


@dataclass(frozen=True, slots=True)
class SplitRequest:
    """What is asked of a split.

    ``parts`` are written NAME=SHARE with commas. Clips with the same value of one of
    ``columns`` of their metadata stay together, and so do clips with captions of at least
    this ``similarity`` (a number as text; "": captions do not matter).
    """

    parts: str
    seed: int = 0
    columns: tuple[str, ...] = ()
    similarity: str = str(float(SIMILARITY))
    trials: int = TRIALS

    @classmethod
    def of(cls, stored: dict[str, Any]) -> "SplitRequest":
        """The request as ``SplitRun.asked`` has it."""
        return cls(**{**stored, "columns": tuple(stored["columns"])})


@dataclass(frozen=True, slots=True)
class WaitingSplit:
    """A split to be sent to the queue; the message is good for this token alone."""

    run_id: int
    token: int


@dataclass(frozen=True, slots=True)
class SplitClaim:
    """The right to work on a split, until the lease ends."""

    run_id: int
    token: int


@transaction.atomic
def split_start(*, data_set: DataSet, request: SplitRequest, act: DataSetAct) -> SplitRun:
    """Have a data set split; the parts that it has stay until that is done.

    Raises ``SplitRefused`` where a split of it is under way.
    """
    locked = DataSet.objects.select_for_update().get(pk=data_set.pk)
    if SplitRun.objects.filter(data_set=locked, state__in=UNDER_WAY).exists():
        raise SplitRefused("A split of this data set is under way. Wait for it, or cancel it.")
    run = SplitRun.objects.create(
        data_set=locked, asked=asdict(request), started_by=act.actor, created_at=act.now
    )
    act.note("split", locked, parts=request.parts, seed=request.seed)
    return run


@transaction.atomic
def split_claim(*, run_id: int, token: int, now: datetime, lease: timedelta) -> SplitClaim | None:
    """Take a waiting split, or give None where it is not ours to take.

    ``token`` is the one under which the message was sent: a message that comes late or twice
    takes nothing.
    """
    taken = SplitRun.objects.filter(pk=run_id, token=token, state=SplitState.WAITING).update(
        state=SplitState.RUNNING,
        token=F("token") + 1,
        attempts=F("attempts") + 1,
        worker=process_name(),
        started_at=Coalesce(F("started_at"), now),
        lease_expires_at=now + lease,
    )
    return SplitClaim(run_id, token + 1) if taken == 1 else None


def split_beat(
    *, claim: SplitClaim, progress: tuple[str, int, int], now: datetime, lease: timedelta
) -> bool:
    """Extend the lease and store the progress; return whether someone asked to cancel.

    Raises ``LeaseLost``.
    """
    stage, done, total = progress
    update_or_lose(claim, lease_expires_at=now + lease, stage=stage, done=done, total=total)
    return SplitRun.objects.filter(pk=claim.run_id, cancel_asked_at__isnull=False).exists()


def split_stop(*, claim: SplitClaim, now: datetime) -> None:
    """End a split that someone cancelled. Raises ``LeaseLost``."""
    update_or_lose(claim, state=SplitState.CANCELLED, finished_at=now, lease_expires_at=None)


@transaction.atomic
def split_fail(*, claim: SplitClaim, reason: str, final: bool, now: datetime) -> None:
    """End an attempt that failed: wait for the next one, or fail with the reason."""
    held = SplitRun.objects.filter(pk=claim.run_id, token=claim.token, state=SplitState.RUNNING)
    over = {"finished_at": now, "lease_expires_at": None, "reason": reason[:500]}
    held.filter(cancel_asked_at__isnull=False).update(state=SplitState.CANCELLED, **over)
    if not final:
        held.filter(attempts__lt=MAX_ATTEMPTS).update(
            state=SplitState.WAITING, enqueued_at=None, lease_expires_at=None
        )
    held.update(state=SplitState.FAILED, **over)


@transaction.atomic
def split_cancel(*, run: SplitRun, act: DataSetAct) -> bool:
    """Cancel a split: at once while it waits, else at its next step (False then).

    Raises ``SplitRefused`` where it is over.
    """
    row = SplitRun.objects.select_for_update().get(pk=run.pk)
    if row.state not in UNDER_WAY:
        raise SplitRefused("This split is over already.")
    if row.cancel_asked_at is None:
        SplitRun.objects.filter(pk=row.pk).update(cancel_asked_at=act.now)
        act.note("split-cancel", row.data_set)
    _cancel_asked(SplitRun.objects.filter(pk=row.pk), act.now)
    return row.state == SplitState.WAITING


def process_splits_end(*, process: str, reason: str, now: datetime) -> None:
    """End the attempts of a process that is known to have ended.

    Without a reason it was over the time limit.
    """
    held = SplitRun.objects.filter(state=SplitState.RUNNING, worker=process)
    for run_id, token in held.values_list("pk", "token"):
        split_fail(
            claim=SplitClaim(run_id, token),
            reason=reason or TOO_LONG,
            final=not reason,
            now=now,
        )


@transaction.atomic
def process_splits_return(*, processes: Collection[str], now: datetime) -> list[WaitingSplit]:
    """Set the splits of processes of a worker that stops to waiting again; returns them.

    It is no failure, so that the attempt does not count.
    """
    held = SplitRun.objects.select_for_update().filter(
        state=SplitState.RUNNING, worker__in=processes
    )
    rows = SplitRun.objects.filter(pk__in=list(held.values_list("pk", flat=True)))
    rows.update(
        state=SplitState.WAITING,
        attempts=F("attempts") - 1,
        lease_expires_at=None,
        enqueued_at=None,
    )
    _cancel_asked(rows, now)
    return _waiting(rows)


@transaction.atomic
def splits_sweep(*, now: datetime, requeue_after: timedelta) -> list[WaitingSplit]:
    """Take back what was lost; give the splits that must be sent to the queue."""
    lost = SplitRun.objects.filter(state=SplitState.RUNNING, lease_expires_at__lt=now)
    over = {"finished_at": now, "lease_expires_at": None}
    lost.filter(cancel_asked_at__isnull=False).update(state=SplitState.CANCELLED, **over)
    lost.filter(attempts__gte=MAX_ATTEMPTS).update(
        state=SplitState.FAILED, reason=WORKER_LOST, **over
    )
    lost.update(state=SplitState.WAITING, lease_expires_at=None, enqueued_at=None)
    unsent = Q(enqueued_at=None) | Q(enqueued_at__lt=now - requeue_after)
    return _waiting(SplitRun.objects.filter(unsent))


def split_waiting(run_id: int) -> list[WaitingSplit]:
    """The split, if it waits and no message for it is under way; else nothing."""
    return _waiting(SplitRun.objects.filter(pk=run_id, enqueued_at=None))


def split_mark_enqueued(*, waiting: WaitingSplit, now: datetime) -> None:
    """Note that a message was sent, unless a worker took the split meanwhile."""
    rows = SplitRun.objects.filter(pk=waiting.run_id, token=waiting.token)
    rows.filter(state=SplitState.WAITING).update(enqueued_at=now)


def update_or_lose(claim: SplitClaim, **changes: Any) -> None:
    """Change a split that the claim still holds, or raise ``LeaseLost``."""
    held = SplitRun.objects.filter(pk=claim.run_id, token=claim.token, state=SplitState.RUNNING)
    if held.update(**changes) != 1:
        raise LeaseLost


def _cancel_asked(rows: QuerySet[SplitRun], now: datetime) -> None:
    """Cancel splits that wait and that someone asked to cancel."""
    asked = rows.filter(state=SplitState.WAITING, cancel_asked_at__isnull=False)
    asked.update(state=SplitState.CANCELLED, finished_at=now)


def _waiting(rows: QuerySet[SplitRun]) -> list[WaitingSplit]:
    found = rows.filter(state=SplitState.WAITING).order_by("pk").values_list("pk", "token")
    return [WaitingSplit(run_id, token) for run_id, token in found]
