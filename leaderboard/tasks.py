"""Celery tasks: thin, and safe to run twice."""

import logging
from collections.abc import Iterable

from celery import shared_task
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import KombuError, OperationalError

from leaderboard.models import Evaluation, EvaluationState, Submission
from leaderboard.services import attempts, evaluations
from scoring.registry import FAMILIES

logger = logging.getLogger(__name__)

# The lease ends an attempt that is stuck; this ends its process.
HARD_LIMIT = (settings.TIME_LIMIT + settings.LEASE).total_seconds()


@shared_task(time_limit=HARD_LIMIT)
def evaluation_run(evaluation_id: int) -> None:
    """Attempt one evaluation."""
    attempts.evaluation_attempt(evaluation_id=evaluation_id)


@shared_task
def evaluations_sweep() -> None:
    """Take back lost work and send what waits unsent."""
    send(evaluations.evaluations_sweep(now=timezone.now(), requeue_after=settings.REQUEUE_AFTER))


def submission_enqueue(submission: Submission) -> None:
    """Send a submission's waiting evaluations once the transaction is committed."""
    waiting = submission.evaluations.filter(state=EvaluationState.PENDING)
    ids = list(waiting.values_list("pk", flat=True))
    transaction.on_commit(lambda: send(ids))


def send(evaluation_ids: Iterable[int]) -> None:
    """Send evaluations to their queues; what cannot be sent is left to the sweep."""
    sent = []
    for evaluation in Evaluation.objects.filter(pk__in=list(evaluation_ids)).order_by("pk"):
        try:
            evaluation_run.apply_async(args=[evaluation.pk], queue=_queue(evaluation.family))
        except (KombuError, OperationalError, OSError):
            logger.exception("The queue takes no messages; the sweep will send them")
            break
        sent.append(evaluation.pk)
    evaluations.evaluations_mark_enqueued(evaluation_ids=sent, now=timezone.now())


def _queue(family: str) -> str:
    """Give a family's queue; one that the registry no longer has fails in any, with a reason."""
    known = FAMILIES.get(family)
    return settings.CELERY_TASK_DEFAULT_QUEUE if known is None else known.queue
