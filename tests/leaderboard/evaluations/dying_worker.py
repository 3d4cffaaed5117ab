"""The site's Celery application, on a machine on which no process of a worker starts."""

import os

from celery.signals import worker_process_init

from leaderboard.celery import app

__all__ = ["app"]


def _die(**_: object) -> None:
    os._exit(3)


worker_process_init.connect(_die)
