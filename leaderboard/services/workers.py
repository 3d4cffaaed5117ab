"""Workers say that they are there, and how their attempts ended."""

import logging
from datetime import datetime, timedelta

from django.db import DatabaseError, transaction
from django.db.models import F

from leaderboard.models import AttemptCount, AttemptOutcome, WorkerProcess
from leaderboard.selectors.evaluations.readiness import clock_offset

logger = logging.getLogger(__name__)

FORGOTTEN_AFTER = timedelta(days=1)


def worker_seen(*, name: str, queues: list[str], jobs: int, now: datetime) -> None:
    """Note that a worker serves these queues now; those not heard of for a day are forgotten."""
    WorkerProcess.objects.update_or_create(
        name=name,
        defaults={
            "queues": queues,
            "jobs": jobs,
            "clock_offset": clock_offset().total_seconds(),
            "seen_at": now,
        },
    )
    WorkerProcess.objects.filter(seen_at__lt=now - FORGOTTEN_AFTER).delete()


def worker_gone(*, name: str) -> None:
    """Note that a worker serves nothing any more."""
    WorkerProcess.objects.filter(name=name).delete()


def attempt_count(
    *, family: str, outcome: AttemptOutcome, took: timedelta = timedelta(), attempts: int = 1
) -> None:
    """Count attempts that ended; what cannot be counted keeps nobody from going on."""
    seconds = max(0.0, took.total_seconds())
    up_to = next(bound for bound in AttemptCount.BOUNDS if seconds <= bound)
    key = {"family": family, "outcome": outcome, "up_to": up_to}
    more = {"attempts": F("attempts") + attempts, "seconds": F("seconds") + attempts * seconds}
    counted = AttemptCount.objects.filter(**key)
    try:
        with transaction.atomic():
            if not counted.update(**more):
                AttemptCount.objects.bulk_create([AttemptCount(**key)], ignore_conflicts=True)
                counted.update(**more)
    except DatabaseError:
        logger.warning("An attempt at %s was not counted", family, exc_info=True)
