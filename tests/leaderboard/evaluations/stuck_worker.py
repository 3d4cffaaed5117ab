"""The site's Celery application, on a machine on which no evaluation comes to an end."""

import time

from celery.signals import worker_process_init

from leaderboard.celery import app

__all__ = ["app"]


def _stick(**_: object) -> None:
    from leaderboard.services.evaluations import attempts

    vars(attempts)["score_family"] = lambda *_arguments, **_more: time.sleep(3600)


worker_process_init.connect(_stick)
