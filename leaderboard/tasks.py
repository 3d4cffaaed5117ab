"""Celery tasks: thin, and safe to run twice."""

import logging
from collections.abc import Iterable
from functools import lru_cache

from celery import shared_task
from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from leaderboard.models import Evaluation, EvaluationState, Notice, Submission
from leaderboard.queues import BROKER_ERRORS, may_send, message_came, pause_before_requeue
from leaderboard.selectors.ranking import rank_intervals
from leaderboard.services.evaluations import attempts, states
from leaderboard.services.labellers import reference_words
from leaderboard.services.people import notices
from leaderboard.services.ranking import rank_estimates
from scoring.errors import ScoringError
from scoring.registry import FAMILIES

logger = logging.getLogger(__name__)

# The lease ends an attempt that is stuck; this ends its process.
HARD_LIMIT = (settings.TIME_LIMIT + settings.LEASE).total_seconds()


@shared_task(time_limit=HARD_LIMIT)
def evaluation_run(evaluation_id: int) -> None:
    """Attempt one evaluation."""
    attempts.evaluation_attempt(evaluation_id=evaluation_id)
    notices_enqueue()
    phase_id = rank_intervals.phase_to_estimate(evaluation_id=evaluation_id, now=timezone.now())
    if phase_id is not None:
        rank_estimates_enqueue([phase_id])


@shared_task
def evaluations_sweep() -> None:
    """Take back lost work and send what waits unsent."""
    pause = lru_cache(pause_before_requeue)
    evaluations_enqueue(
        states.evaluations_sweep(
            now=timezone.now(), requeue_after=lambda family: pause(_queue(family))
        )
    )


# The queue knows this task and its sweep by their first names.
@shared_task(name="leaderboard.tasks.standings_refresh", time_limit=HARD_LIMIT)
def rank_estimates_refresh(phase_id: int) -> None:
    """Estimate the rank intervals of a phase, where they have changed."""
    message_came("rank_estimates", phase_id)
    # One at a time for a phase where processes share the cache; two would only do the same.
    mark = f"standings-{phase_id}"
    if not cache.add(mark, 1, timeout=HARD_LIMIT):
        return
    try:
        rank_estimates.rank_estimates_refresh(phase_id=phase_id, now=timezone.now())
    finally:
        cache.delete(mark)


@shared_task(name="leaderboard.tasks.standings_sweep")
def rank_estimates_sweep() -> None:
    """Send the phases whose ranks changed without a word: a system withdrawn, a message lost."""
    due = rank_intervals.phases_due_for_estimates(now=timezone.now())
    rank_estimates_enqueue(
        phase_id
        for phase_id in due
        if may_send("rank_estimates", phase_id, queue=settings.CELERY_TASK_DEFAULT_QUEUE)
    )


def rank_estimates_enqueue(phase_ids: Iterable[int]) -> None:
    """Send phases to be estimated; what cannot be sent is left to the sweep."""
    for phase_id in phase_ids:
        try:
            rank_estimates_refresh.apply_async(
                args=[phase_id], queue=settings.CELERY_TASK_DEFAULT_QUEUE
            )
        except BROKER_ERRORS:
            logger.exception("The queue takes no messages; the sweep will send them")
            return


@shared_task(time_limit=HARD_LIMIT)
def reference_words_make(phase_id: int) -> None:
    """Label the words of a phase's references."""
    message_came("reference_words", phase_id)
    mark = f"reference-words-{phase_id}"
    if not cache.add(mark, 1, timeout=HARD_LIMIT):
        return
    try:
        reference_words.reference_words_make(phase_id=phase_id, now=timezone.now())
    except ScoringError:
        logger.exception("The references of phase %s were not labelled", phase_id)
    finally:
        cache.delete(mark)


@shared_task
def reference_words_sweep() -> None:
    """Send the phases whose references are not labelled yet."""
    for phase_id in reference_words.phases_to_label():
        if not may_send("reference_words", phase_id, queue=settings.CELERY_TASK_DEFAULT_QUEUE):
            continue
        try:
            reference_words_make.delay(phase_id)
        except BROKER_ERRORS:
            logger.exception("The queue takes no messages; the next sweep will send them")
            return


@shared_task
def notices_mail() -> None:
    """Send the notices that are to be mailed."""
    notices.notices_mail(now=timezone.now())


@shared_task
def notices_sweep() -> None:
    """Make notices that were missed, and send those that are to be mailed."""
    notices.missed_scoring_notices_send(now=timezone.now())
    notices.notices_mail(now=timezone.now())


def notices_enqueue() -> None:
    """Have new notices mailed once the transaction is committed; else the sweep does it."""
    transaction.on_commit(_send_mails)


def _send_mails() -> None:
    if not Notice.objects.filter(mail_due_at__lte=timezone.now()).exists():
        return
    try:
        notices_mail.delay()
    except BROKER_ERRORS:
        logger.exception("The queue takes no messages; the sweep will have notices mailed")


def submission_enqueue(submission: Submission) -> None:
    """Send a submission's waiting evaluations once the transaction is committed."""
    waiting = submission.evaluations.filter(state=EvaluationState.PENDING)
    ids = list(waiting.values_list("pk", flat=True))
    transaction.on_commit(lambda: evaluations_enqueue(ids))


def evaluations_enqueue(evaluation_ids: Iterable[int]) -> None:
    """Send evaluations to their queues; what cannot be sent is left to the sweep."""
    sent = []
    for evaluation in Evaluation.objects.filter(pk__in=list(evaluation_ids)).order_by("pk"):
        try:
            evaluation_run.apply_async(args=[evaluation.pk], queue=_queue(evaluation.family))
        except BROKER_ERRORS:
            logger.exception("The queue takes no messages; the sweep will send them")
            break
        sent.append(evaluation.pk)
    states.evaluations_mark_enqueued(evaluation_ids=sent, now=timezone.now())


def _queue(family: str) -> str:
    """Queue of a family; the default one for a family that the registry no longer has."""
    known = FAMILIES.get(family)
    return settings.CELERY_TASK_DEFAULT_QUEUE if known is None else known.queue
