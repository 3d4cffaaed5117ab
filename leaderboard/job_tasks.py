"""What the tasks of all kinds of jobs share: sending them, taking them back, the one sweep."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from celery import shared_task
from django.conf import settings
from django.db import connection, transaction
from django.dispatch import receiver

from leaderboard.leases import database_now, process_ended, work_returned
from leaderboard.queues import BROKER_ERRORS, pause_before_requeue
from leaderboard.services.jobs.states import (
    JobClaim,
    JobKind,
    job_mark_enqueued,
    job_waiting,
    jobs_sweep,
    process_jobs_end,
    process_jobs_return,
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class JobTasks:
    """What the site does with jobs of a kind: ``sweep`` takes back what is lost and sends it.

    ``task`` makes an attempt at a job, where the kind has no other task of its own.
    """

    kind: JobKind
    send: Callable[[Iterable[JobClaim]], None]
    sweep: Callable[[], None]
    task: Any = None

    def enqueue(self, pk: int) -> None:
        """Send a job once the transaction is committed; else the sweep does it."""
        transaction.on_commit(lambda: self.send(job_waiting(kind=self.kind, pk=pk)))


# Every kind of job of the site, each entered where its task is.
KINDS: list[JobTasks] = []


def job_tasks(
    name: str, *, kind: JobKind, attempt: Callable[..., None], limit: timedelta, queue: str
) -> JobTasks:
    """Enter a kind of job, and the task of that name, which makes an attempt at one.

    The lease ends an attempt that is stuck at its limit; after one more, its process is ended.
    """

    @shared_task(name=name, time_limit=(limit + settings.LEASE).total_seconds())
    def task(pk: int, token: int) -> None:
        attempt(pk=pk, token=token)
        send_all(job_waiting(kind=kind, pk=pk))

    def send_all(waiting: Iterable[JobClaim]) -> None:
        for one in waiting:
            try:
                task.apply_async(args=[one.pk, one.token], queue=queue)
            except BROKER_ERRORS as error:
                logger.warning("The queue takes no messages; the sweep will send them: %s", error)
                return
            job_mark_enqueued(waiting=one, now=database_now())

    def sweep() -> None:
        pause = pause_before_requeue(queue)
        send_all(jobs_sweep(kind=kind, now=database_now(), requeue_after=pause))

    tasks = JobTasks(kind, send_all, sweep, task)
    KINDS.append(tasks)
    return tasks


@shared_task(name="leaderboard.tasks.jobs_sweep")
def kinds_sweep() -> None:
    """Take back lost work of every kind, and send what waits unsent."""
    for tasks in KINDS:
        try:
            tasks.sweep()
        except Exception:  # what is wrong with one kind keeps no other from its sweep
            logger.exception("The sweep of jobs of the kind %s failed", tasks.kind.model.__name__)


@receiver(process_ended)
def jobs_give_back(*, name: str, reason: str, **_: Any) -> None:
    """End the attempts of a process of this worker that ended; the sweep would do so later."""
    try:
        for tasks in KINDS:
            process_jobs_end(kind=tasks.kind, process=name, reason=reason, now=database_now())
    finally:
        connection.close()


@receiver(work_returned)
def jobs_return(*, names: list[str], **_: Any) -> None:
    """Let other workers go on at once with what a worker that stops has not ended."""
    try:
        for tasks in KINDS:
            tasks.send(process_jobs_return(kind=tasks.kind, processes=names, now=database_now()))
    finally:
        connection.close()
