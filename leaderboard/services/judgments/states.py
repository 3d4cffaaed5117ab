"""The states of judgments whose metrics are measured: who may change them, and when.

Every change is one UPDATE with the expected state in its WHERE clause, as with evaluations.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet

from leaderboard.lease_heartbeat import LeaseLost, process_name
from leaderboard.models import JudgmentsState, Phase, PhaseJudgments, User
from leaderboard.services.audit_log import audit_phase

MAX_ATTEMPTS = 3
WORKER_LOST = "The worker stopped three times while it measured. Measure again, or ask who runs it."


class NothingJudged(Exception):
    """No pair about which judges are not evenly split."""

    def __init__(self) -> None:
        super().__init__(
            "There is no pair yet on which judges prefer one caption. Metrics can be compared "
            "with them once there is."
        )


@dataclass(frozen=True, slots=True)
class HandedJudgments:
    """Judgments of a source, as ``PhaseJudgments`` keeps them."""

    source: str
    name: str
    pairs: Sequence[Mapping[str, Any]]
    judges: int
    votes: int


@dataclass(frozen=True, slots=True)
class JudgmentsClaim:
    """The right to measure, until the lease ends; a message is good for its token alone."""

    pk: int
    token: int


@transaction.atomic
def judgments_store(
    *, phase: Phase, handed: HandedJudgments, actor: User, now: datetime
) -> PhaseJudgments:
    """Take the judgments of a source in the place of its earlier ones, and have them measured.

    What was measured stays until it is measured again. Raises ``NothingJudged``.
    """
    if not any(pair["truth"] for pair in handed.pairs):
        raise NothingJudged
    Phase.objects.select_for_update().get(pk=phase.pk)
    pairs = [dict(pair) for pair in handed.pairs]
    values = {
        "name": handed.name,
        "pairs": pairs,
        "sha256": sha256(json.dumps(pairs, sort_keys=True).encode()).hexdigest(),
        "judges": handed.judges,
        "votes": handed.votes,
        "state": JudgmentsState.WAITING,
        "attempts": 0,
        "lease_expires_at": None,
        "enqueued_at": None,
        "progress": {},
        "reason": "",
        "handed_over_at": now,
    }
    rows = PhaseJudgments.objects.filter(phase=phase, source=handed.source)
    # An attempt that is under way measures what is not there any more: its token is an old one.
    if not rows.update(token=F("token") + 1, **values):
        PhaseJudgments.objects.create(phase=phase, source=handed.source, **values)
    audit_phase(phase, "judgments.measure", actor=actor, now=now, source=handed.source)
    return rows.get()


@transaction.atomic
def judgments_publish(
    *, judgments: PhaseJudgments, public: bool, actor: User, now: datetime
) -> None:
    """Show the results to everyone, or to organisers alone; nothing where it is so already."""
    rows = PhaseJudgments.objects.filter(pk=judgments.pk, published_at__isnull=public)
    if rows.update(published_at=now if public else None):
        act = "judgments.publish" if public else "judgments.unpublish"
        audit_phase(judgments.phase, act, actor=actor, now=now, source=judgments.source)


def judgments_claim(
    *, pk: int, token: int, now: datetime, lease: timedelta
) -> JudgmentsClaim | None:
    """Take judgments that wait to be measured, or give None where they are not ours to take."""
    waiting = PhaseJudgments.objects.filter(pk=pk, token=token, state=JudgmentsState.WAITING)
    taken = waiting.update(
        state=JudgmentsState.RUNNING,
        token=F("token") + 1,
        attempts=F("attempts") + 1,
        worker=process_name(),
        lease_expires_at=now + lease,
        progress={},
    )
    return JudgmentsClaim(pk, token + 1) if taken == 1 else None


def judgments_beat(
    *, claim: JudgmentsClaim, progress: Mapping[str, Any], now: datetime, lease: timedelta
) -> None:
    """Extend the lease and store how far it is. Raises ``LeaseLost``."""
    _update_or_lose(claim, progress=dict(progress), lease_expires_at=now + lease)


def judgments_finish(*, claim: JudgmentsClaim, results: Mapping[str, Any], now: datetime) -> None:
    """Store the results with the final state. Raises ``LeaseLost``."""
    _update_or_lose(
        claim,
        state=JudgmentsState.DONE,
        results=dict(results),
        measured_at=now,
        lease_expires_at=None,
        progress={},
        reason="",
    )


def judgments_fail(*, claim: JudgmentsClaim, reason: str, final: bool) -> None:
    """End an attempt that failed: wait for the next one, or fail with the reason."""
    held = PhaseJudgments.objects.filter(
        pk=claim.pk, token=claim.token, state=JudgmentsState.RUNNING
    )
    note = {"reason": reason[:500], "lease_expires_at": None}
    if not final:
        again = held.filter(attempts__lt=MAX_ATTEMPTS)
        if again.update(state=JudgmentsState.WAITING, enqueued_at=None, **note):
            return
    held.update(state=JudgmentsState.FAILED, **note)


PROCESS_ENDED = "The worker's process ended while it measured."


def process_judgments_end(*, process: str, reason: str) -> None:
    """End the attempts of a process that is known to have ended, as ``judgments_fail`` does."""
    held = PhaseJudgments.objects.filter(state=JudgmentsState.RUNNING, worker=process)
    for pk, token in held.values_list("pk", "token"):
        claim = JudgmentsClaim(pk, token)
        judgments_fail(claim=claim, reason=reason or PROCESS_ENDED, final=False)


def process_judgments_return(*, processes: Collection[str]) -> list[JudgmentsClaim]:
    """Let what processes of a worker that stops measure wait again; returns it.

    It is no failure, so that the attempt does not count.
    """
    held = PhaseJudgments.objects.filter(state=JudgmentsState.RUNNING, worker__in=processes)
    keys = list(held.values_list("pk", flat=True))
    held.filter(pk__in=keys).update(
        state=JudgmentsState.WAITING,
        attempts=F("attempts") - 1,
        token=F("token") + 1,
        lease_expires_at=None,
        enqueued_at=None,
    )
    return _waiting(PhaseJudgments.objects.filter(pk__in=keys, enqueued_at=None))


@transaction.atomic
def judgments_sweep(*, now: datetime, requeue_after: timedelta) -> list[JudgmentsClaim]:
    """Take back what was lost; give what must be sent to the queue."""
    lost = PhaseJudgments.objects.filter(state=JudgmentsState.RUNNING, lease_expires_at__lt=now)
    lost.filter(attempts__gte=MAX_ATTEMPTS).update(
        state=JudgmentsState.FAILED, reason=WORKER_LOST, lease_expires_at=None
    )
    lost.update(state=JudgmentsState.WAITING, enqueued_at=None, lease_expires_at=None)
    unsent = Q(enqueued_at=None) | Q(enqueued_at__lt=now - requeue_after)
    return _waiting(PhaseJudgments.objects.filter(unsent))


def judgments_waiting(pk: int) -> list[JudgmentsClaim]:
    """The judgments, if they wait and no message for them is under way; else nothing."""
    return _waiting(PhaseJudgments.objects.filter(pk=pk, enqueued_at=None))


def judgments_mark_enqueued(*, waiting: JudgmentsClaim, now: datetime) -> None:
    """Note that a message was sent, unless a worker took them meanwhile."""
    rows = PhaseJudgments.objects.filter(pk=waiting.pk, token=waiting.token)
    rows.filter(state=JudgmentsState.WAITING).update(enqueued_at=now)


def _waiting(rows: QuerySet[PhaseJudgments]) -> list[JudgmentsClaim]:
    found = rows.filter(state=JudgmentsState.WAITING).order_by("pk").values_list("pk", "token")
    return [JudgmentsClaim(pk, token) for pk, token in found]


def _update_or_lose(claim: JudgmentsClaim, **changes: Any) -> None:
    rows = PhaseJudgments.objects.filter(
        pk=claim.pk, token=claim.token, state=JudgmentsState.RUNNING
    )
    if rows.update(**changes) != 1:
        raise LeaseLost
