"""The Celery application; workers are started with ``celery -A leaderboard worker``."""

import logging
import os
import socket
import time
from typing import Any

from celery import Celery
from celery.signals import heartbeat_sent, task_postrun, task_prerun, worker_ready

from leaderboard import log_context

logger = logging.getLogger(__name__)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

app = Celery("leaderboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@task_prerun.connect
def _name_job(task: Any, args: Any, **_: Any) -> None:
    """Have each line of the log say which job wrote it: the task and what it is about."""
    about = ",".join(map(str, args or ()))
    log_context.job.set(f"{task.name.rpartition('.')[2]}({about})")


@task_postrun.connect
def _forget_job(**_: Any) -> None:
    log_context.job.set("")


class _Presence:
    """What this worker serves, and when it last said so."""

    SECONDS = 15.0
    queues: list[str] = []
    told_at = float("-inf")


@worker_ready.connect
def _worker_begins(sender: Any, **_: Any) -> None:
    _Presence.queues = sorted(queue.name for queue in sender.task_consumer.queues)
    _worker_lives()


@heartbeat_sent.connect
def _worker_lives(**_: Any) -> None:
    """Note in the database that the worker is there; a database that is away hears it later."""
    if not _Presence.queues or time.monotonic() - _Presence.told_at < _Presence.SECONDS:
        return
    from django.db import DatabaseError, connection
    from django.utils import timezone

    from leaderboard.services.workers import worker_seen

    _Presence.told_at = time.monotonic()
    try:
        name = f"{socket.gethostname()}:{os.getpid()}"
        worker_seen(name=name, queues=_Presence.queues, now=timezone.now())
    except DatabaseError:
        logger.warning("The database does not hear that this worker is there", exc_info=True)
    finally:
        connection.close()
