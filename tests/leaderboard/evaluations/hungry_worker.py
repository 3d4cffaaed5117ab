"""The site's Celery application, in whose workers one metric family takes a gigabyte."""

from typing import Any

from celery.signals import worker_process_init

from leaderboard.celery import app

__all__ = ["app"]

HUNGRY = "rouge_l"


def _make_hungry(**_: object) -> None:
    from leaderboard.scorer import score_family
    from leaderboard.services.evaluations import attempts

    def scored(family: str, *rest: Any, **more: Any) -> Any:
        if family == HUNGRY:
            bytearray(1_000_000_000)
        return score_family(family, *rest, **more)

    vars(attempts)["score_family"] = scored


worker_process_init.connect(_make_hungry)
