"""The site's Celery application, on a machine on which no evaluation or split comes to an end."""

import time

from celery.signals import worker_process_init

from leaderboard.celery import app

__all__ = ["app"]


def _stick(**_: object) -> None:
    from annotation.services.data_sets import splits
    from leaderboard.services.evaluations import attempts

    for module, work in (attempts, "score_family"), (splits, "_store"):
        vars(module)[work] = lambda *_arguments, **_more: time.sleep(3600)


worker_process_init.connect(_stick)
