"""The Celery application; workers are started with ``celery -A leaderboard worker``."""

import os
from typing import Any

from celery import Celery
from celery.signals import task_postrun, task_prerun

from leaderboard import log_context

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
