"""The Celery application; workers are started with ``celery -A leaderboard worker``."""

import contextlib
import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from billiard.util import get_logger as pool_logger
from celery import Celery
from celery.signals import (
    after_setup_logger,
    beat_embedded_init,
    celeryd_after_setup,
    celeryd_init,
    heartbeat_sent,
    task_postrun,
    task_prerun,
    worker_init,
    worker_process_init,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)
from django.conf import settings
from django.db import DatabaseError, connection
from django.dispatch import receiver
from django.utils import timezone

from earmark.runtime import share_memory_pools, usable_processors
from leaderboard import log_context
from leaderboard.leases import process_ended, process_name, work_returned
from leaderboard.parent_watch import end_with

logger = logging.getLogger(__name__)

AUTOGROUP = Path("/proc/self/autogroup")

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
# A worker would read every page for Django's checks, and say nothing of what they find.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")

app = Celery("leaderboard", task_cls="leaderboard.job_memory:Job")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


class _Main:
    """The worker's own process, from which its others come."""

    pid = 0


@after_setup_logger.connect
def _log_in_one_form(**_: Any) -> None:
    """Have what Celery's pool says in the form of all other lines, which may be JSON."""
    pool_logger().handlers, pool_logger().propagate = [], True


@worker_init.connect
def _end_with_parents(**_: Any) -> None:
    _Main.pid = os.getpid()
    end_with(settings.PARENTS)


@beat_embedded_init.connect
def _end_with_worker(**_: Any) -> None:
    end_with([_Main.pid])


@celeryd_init.connect
def _share_processors(conf: Any, options: dict[str, Any], **_: Any) -> None:
    """Let each process of a worker use its share of the processors, and no more."""
    processes = options.get("concurrency") or conf.worker_concurrency or os.cpu_count() or 1
    share = max(1, usable_processors() // int(processes))
    # What computes networks reads this when it is imported, which is after the processes begin.
    os.environ.setdefault("OMP_NUM_THREADS", str(share))


@celeryd_after_setup.connect
def _serve_short_work(instance: Any, **_: Any) -> None:
    queues = instance.app.amqp.queues
    if settings.CELERY_TASK_DEFAULT_QUEUE in queues.consume_from:
        queues.select_add(settings.SHORT_QUEUE)


@celeryd_init.connect
def _give_way(**_: Any) -> None:
    """Have the nice value of a worker count beside programs that began in other sessions.

    Linux may give each session an equal share of the processors and weigh nice values within it
    alone (sched(7), autogroups): a worker would then take as much as all web processes.
    """
    nice = os.nice(0)
    if nice > 0:
        with contextlib.suppress(OSError):  # another system, or a container without them
            AUTOGROUP.write_text(str(nice))


@worker_process_init.connect
def _limit_memory(**_: Any) -> None:
    """Have threads share pools, and jobs limited in memory where each has a process to itself.

    The limit is there on Linux alone.
    """
    from leaderboard.job_memory import JobMemory

    share_memory_pools()
    JobMemory.limited = sys.platform == "linux"


@task_prerun.connect
def _name_job(task: Any, args: Any, **_: Any) -> None:
    """Have each line of the log say which job wrote it: the task and what it is about."""
    about = ",".join(map(str, args or ()))
    log_context.job.set(f"{task.name.rpartition('.')[2]}({about})")


@task_postrun.connect
def _forget_job(**_: Any) -> None:
    log_context.job.set("")


class _Presence:
    """What this worker serves, how many jobs at a time, and when it next says so."""

    SECONDS = 15.0
    queues: list[str] = []
    jobs = 1
    next_at = 0.0
    pool: Any = None
    # Every process that it has had since it stops.
    stopping: set[str] = set()


@worker_ready.connect
def _worker_begins(sender: Any, **_: Any) -> None:
    _Presence.queues = sorted(queue.name for queue in sender.task_consumer.queues)
    _Presence.jobs = sender.pool.num_processes
    _Presence.pool = sender.pool


@heartbeat_sent.connect
def _worker_lives(**_: Any) -> None:
    """Note in the database that the worker is there, once one of its processes is."""
    if not _Presence.queues or time.monotonic() < _Presence.next_at:
        return
    if not getattr(_Presence.pool, "takes_jobs", True):  # other pools have no processes
        return
    from leaderboard.services.workers import worker_seen

    _Presence.next_at = time.monotonic() + _Presence.SECONDS
    _tell(worker_seen, queues=_Presence.queues, jobs=_Presence.jobs, now=timezone.now())


@worker_shutting_down.connect
def _worker_stops(**_: Any) -> None:
    """Give what is under way a little longer, then hand it to other workers."""
    if _Presence.pool is None or _Presence.stopping:
        return
    _note_processes()
    threading.Thread(target=_return_work_until_the_end, daemon=True).start()


def _note_processes() -> None:
    children = (_Presence.pool.info or {}).get("processes") or []
    _Presence.stopping |= {process_name(), *map(process_name, children)}


def _return_work_until_the_end() -> None:
    time.sleep(settings.SHUTDOWN_AFTER.total_seconds())
    while True:
        _note_processes()
        _return_work()
        time.sleep(1)


def _return_work() -> None:
    work_returned.send_robust(sender=app, names=sorted(_Presence.stopping))


@worker_shutdown.connect
def _worker_has_stopped(**_: Any) -> None:
    # What processes had begun that were ended by the same signal.
    if _Presence.stopping:
        _return_work()
    _worker_ends()


def _worker_ends() -> None:
    """Note that it is there no more: at its end, and while its processes end at their start."""
    from leaderboard.services.workers import worker_gone

    if _Presence.queues:
        _tell(worker_gone)


@receiver(process_ended)
def _process_ended(*, serving: bool, **_: Any) -> None:
    if not serving:
        _Presence.next_at = 0.0
        _worker_ends()


def _tell(write: Callable[..., None], **what: Any) -> None:
    """Write about this worker; a database that is away hears it later."""
    try:
        write(name=process_name(), **what)
    except DatabaseError:
        logger.warning("The database does not hear of this worker", exc_info=True)
    finally:
        connection.close()
