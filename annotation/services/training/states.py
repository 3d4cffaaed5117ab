"""The states of a training: who may change them, and when.

Every change is one UPDATE with the expected state in its WHERE clause, as with
evaluations (``leaderboard.services.evaluations.states``). A training gives way to others
after its turn: it waits again and goes on from what it has computed. Whoever started it gets
a notice in the transaction that ends it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.urls import reverse

from annotation.access import has_role
from annotation.models import Project, Role, RunState, TrainingRun
from annotation.selectors.training.runs import project_scores
from annotation.services.projects import ProjectAct
from leaderboard.lease_heartbeat import LeaseLost, process_name
from leaderboard.models import NoticeKind
from leaderboard.services.people.notices import NoticePage, notice_send, shortened

MAX_ATTEMPTS = 3
UNDER_WAY = (RunState.WAITING, RunState.RUNNING)
WORKER_LOST = "The worker stopped three times in this training without finishing an epoch."
TOO_LONG = (
    "Choose fewer epochs, no folds and no learning curve, or another method, and start a new "
    "training. Trying again goes on from where it stopped."
)
LOST_ADVICE = (
    "Most often memory ran out. Choose a smaller batch, or the method head or lora, and try again."
)


class NothingToDo(Exception):
    """An act on a training that is in another state; the text says so."""


@dataclass(frozen=True, slots=True)
class WaitingTraining:
    """A training to be sent to the queue; the message is good for this token alone."""

    run_id: int
    token: int


@dataclass(frozen=True, slots=True)
class TrainingClaim:
    """The right to work on a training, until the lease ends."""

    run_id: int
    token: int


@transaction.atomic
def training_claim(
    *, run_id: int, token: int, now: datetime, lease: timedelta
) -> TrainingClaim | None:
    """Take a waiting training, or give None where it is not ours to take.

    ``token`` is the one under which the message was sent: a message that comes late
    or twice takes nothing.
    """
    waiting = TrainingRun.objects.filter(pk=run_id, token=token, state=RunState.WAITING)
    taken = waiting.update(
        state=RunState.RUNNING,
        token=F("token") + 1,
        attempts=F("attempts") + 1,
        worker=process_name(),
        started_at=Coalesce(F("started_at"), now),
        lease_expires_at=now + lease,
    )
    return TrainingClaim(run_id, token + 1) if taken == 1 else None


def training_beat(
    *, claim: TrainingClaim, notes: dict[str, Any] | None, now: datetime, lease: timedelta
) -> bool:
    """Extend the lease and store the notes; return whether someone asked to cancel.

    Raises ``LeaseLost``.
    """
    changes: dict[str, Any] = {} if notes is None else {"told": notes}
    update_or_lose(claim, lease_expires_at=now + lease, **changes)
    cancelled = TrainingRun.objects.filter(pk=claim.run_id, cancel_asked_at__isnull=False)
    return cancelled.exists()


@transaction.atomic
def training_give_way(*, claim: TrainingClaim, notes: dict[str, Any], now: datetime) -> None:
    """Wait for the next turn; what was computed is kept. Raises ``LeaseLost``."""
    update_or_lose(
        claim,
        state=RunState.WAITING,
        attempts=0,  # an epoch was finished: what went wrong before is over
        lease_expires_at=None,
        enqueued_at=None,
        told=notes,
    )
    _cancel_asked(claim.run_id, now)


def _cancel_asked(run_id: int, now: datetime) -> None:
    """Cancel a training that waits again and that someone asked to cancel meanwhile."""
    cancelled = Q(state=RunState.WAITING, cancel_asked_at__isnull=False)
    _end(run_id, cancelled, now, state=RunState.CANCELLED)


def _end(run_id: int, still: Q, now: datetime, **changes: Any) -> None:
    """End a training of which ``still`` holds, and send the notice to whoever started it.

    Goes within a transaction: whoever writes the end sends the notice, so it is sent once.
    """
    row = TrainingRun.objects.filter(still, pk=run_id)
    if row.update(finished_at=now, lease_expires_at=None, **changes):
        training_notify(run_id=run_id, now=now)


@transaction.atomic
def training_stop(*, claim: TrainingClaim, notes: dict[str, Any], now: datetime) -> None:
    """End a training that someone cancelled; its notes stay. Raises ``LeaseLost``."""
    update_or_lose(
        claim, state=RunState.CANCELLED, finished_at=now, lease_expires_at=None, told=notes
    )
    training_notify(run_id=claim.run_id, now=now)


@dataclass(frozen=True, slots=True)
class TrainingFailure:
    """Why an attempt failed, and what to do; ``detail`` is for managers.

    ``final``: the next attempt would fail as well.
    """

    reason: str
    advice: str = ""
    detail: str = ""
    final: bool = True


def over_time_limit() -> TrainingFailure:
    """Why an attempt was ended that computed for too long."""
    hours = settings.TRAINING_LIMIT.total_seconds() / 3600
    return TrainingFailure(f"Computed longer than the limit of {hours:g} hours.", TOO_LONG)


def process_trainings_end(*, process: str, reason: str, now: datetime) -> None:
    """End the attempts of a process that is known to have ended, as ``training_fail`` does.

    Without a reason it was over the time limit.
    """
    failure = TrainingFailure(reason, LOST_ADVICE, final=False) if reason else over_time_limit()
    held = TrainingRun.objects.filter(state=RunState.RUNNING, worker=process)
    for run_id, token in held.values_list("pk", "token"):
        training_fail(claim=TrainingClaim(run_id, token), failure=failure, now=now)


@transaction.atomic
def process_trainings_return(*, processes: Collection[str], now: datetime) -> list[WaitingTraining]:
    """Set the trainings of processes of a worker that stops to waiting again; returns them.

    They go on from what was saved. It is no failure, so that the attempt does not count.
    """
    held = TrainingRun.objects.select_for_update().filter(
        state=RunState.RUNNING, worker__in=processes
    )
    keys = list(held.values_list("pk", flat=True))
    rows = TrainingRun.objects.filter(pk__in=keys)
    rows.update(
        state=RunState.WAITING,
        attempts=F("attempts") - 1,
        lease_expires_at=None,
        enqueued_at=None,
    )
    for key in keys:
        _cancel_asked(key, now)
    return _waiting(rows)


@transaction.atomic
def training_fail(*, claim: TrainingClaim, failure: TrainingFailure, now: datetime) -> None:
    """End an attempt that failed: wait for the next one, or fail with the reason."""
    held = Q(token=claim.token, state=RunState.RUNNING)
    note: dict[str, Any] = {
        "reason": failure.reason[:500],
        "advice": failure.advice[:500],
        "detail": failure.detail,
    }
    if not failure.final:
        left = TrainingRun.objects.filter(held, pk=claim.run_id, attempts__lt=MAX_ATTEMPTS)
        if left.update(state=RunState.WAITING, enqueued_at=None, lease_expires_at=None, **note):
            _cancel_asked(claim.run_id, now)
            return
    _end(claim.run_id, held, now, state=RunState.FAILED, **note)


@transaction.atomic
def training_cancel(*, run: TrainingRun, act: ProjectAct) -> bool:
    """Cancel a training: at once while it waits, else at its next step (False then).

    Raises ``NothingToDo`` where it is over.
    """
    row = TrainingRun.objects.select_for_update().get(pk=run.pk)
    if row.state not in UNDER_WAY:
        raise NothingToDo("This training is over already.")
    if row.cancel_asked_at is not None:
        return False
    rows = TrainingRun.objects.filter(pk=run.pk)
    rows.update(cancel_asked_at=act.now, cancel_asked_by=act.actor)
    act.note("train-cancel", run.project, number=run.number)
    _cancel_asked(run.pk, act.now)
    return row.state == RunState.WAITING


@transaction.atomic
def training_retry(*, run: TrainingRun, act: ProjectAct) -> None:
    """Let a training that failed or was cancelled go on, with the same captions and options.

    The time limit counts anew. Raises ``NothingToDo`` where it did neither, or another
    one is under way.
    """
    project_lock(run.project)
    row = TrainingRun.objects.select_for_update().get(pk=run.pk)
    if row.state not in (RunState.FAILED, RunState.CANCELLED):
        raise NothingToDo("This training did not fail. Start another one.")
    notes: dict[str, Any] = row.told
    TrainingRun.objects.filter(pk=run.pk).update(
        state=RunState.WAITING,
        attempts=0,
        cancel_asked_at=None,
        cancel_asked_by=None,
        enqueued_at=None,
        finished_at=None,
        reason="",
        advice="",
        detail="",
        told={**notes, "spent": 0},
    )
    act.note("train-again", run.project, number=run.number)


def project_lock(project: Project) -> None:
    """Let one training be started in a project at a time; raises ``NothingToDo``.

    Goes within a transaction, until whose end the project is locked.
    """
    Project.objects.select_for_update().get(pk=project.pk)
    if TrainingRun.objects.filter(project=project, state__in=UNDER_WAY).exists():
        raise NothingToDo("A training of this project is under way. Wait for it, or cancel it.")


def trainings_sweep(*, now: datetime, requeue_after: timedelta) -> list[WaitingTraining]:
    """Take back what was lost; give the trainings that must be sent to the queue."""
    lost = Q(state=RunState.RUNNING, lease_expires_at__lt=now)
    for run_id in list(TrainingRun.objects.filter(lost).values_list("pk", flat=True)):
        _take_back(run_id, lost, now)
    unsent = Q(enqueued_at=None) | Q(enqueued_at__lt=now - requeue_after)
    return _waiting(TrainingRun.objects.filter(unsent))


@transaction.atomic
def _take_back(run_id: int, lost: Q, now: datetime) -> None:
    """Let a training whose worker was lost wait again, or end it."""
    cancelled, tried = Q(cancel_asked_at__isnull=False), Q(attempts__gte=MAX_ATTEMPTS)
    _end(run_id, lost & cancelled, now, state=RunState.CANCELLED)
    failed = {"state": RunState.FAILED, "reason": WORKER_LOST, "advice": LOST_ADVICE}
    _end(run_id, lost & tried, now, **failed)
    TrainingRun.objects.filter(lost, pk=run_id).update(
        state=RunState.WAITING, lease_expires_at=None, enqueued_at=None
    )


def training_waiting(run_id: int) -> list[WaitingTraining]:
    """The training, if it waits and no message for it is under way; else nothing."""
    return _waiting(TrainingRun.objects.filter(pk=run_id, enqueued_at=None))


def _waiting(rows: QuerySet[TrainingRun]) -> list[WaitingTraining]:
    found = rows.filter(state=RunState.WAITING).order_by("pk").values_list("pk", "token")
    return [WaitingTraining(run_id, token) for run_id, token in found]


def training_mark_enqueued(*, waiting: WaitingTraining, now: datetime) -> None:
    """Note that a message was sent, unless a worker took the training meanwhile."""
    rows = TrainingRun.objects.filter(pk=waiting.run_id, token=waiting.token)
    rows.filter(state=RunState.WAITING).update(enqueued_at=now)


def update_or_lose(claim: TrainingClaim, **changes: Any) -> None:
    """Change a training that the claim still holds, or raise ``LeaseLost``."""
    changed = TrainingRun.objects.filter(
        pk=claim.run_id, token=claim.token, state=RunState.RUNNING
    ).update(**changes)
    if changed != 1:
        raise LeaseLost


def training_notify(*, run_id: int, now: datetime) -> None:
    """Send the notice that a training ended; call it once, in the transaction that ends it.

    Told is who started it and may still see it, and not of what they cancelled themselves.
    """
    run = (
        TrainingRun.objects.select_related("project__scheme", "started_by", "cancel_asked_by")
        .select_related("labeller")
        .get(pk=run_id)
    )
    user = run.started_by
    if user is None or not has_role(user, run.project, Role.ADJUDICATOR):
        return
    if run.state == RunState.CANCELLED and run.cancel_asked_by == user:
        return
    page = NoticePage(
        f"{run.project.name}, training {run.number}",
        reverse("annotation:training", args=[run.project.slug, run.number]),
    )
    notice_send(users=[user], kind=NoticeKind.TRAINING, text=_notice_text(run), now=now, page=page)


def _notice_text(run: TrainingRun) -> str:
    name = f"Training {run.number} of {shortened(run.project.name, 80)}"
    if run.state == RunState.FAILED:
        return f"{name} failed. {run.reason or 'No reason was recorded.'}"
    if run.state == RunState.CANCELLED:
        who = run.cancel_asked_by
        by = f" by {who.get_username()}" if who is not None else ""
        return f"{name} was cancelled{by}. Nothing was registered."
    scores = project_scores(run)
    micro = None if scores is None else scores["micro"]
    f1 = "" if micro is None else f": F1 {micro:.3f} on captions it did not learn from"
    labeller = "" if run.labeller is None else f" Its labeller is {run.labeller.identity}."
    return f"{name} is done{f1}.{labeller}"
