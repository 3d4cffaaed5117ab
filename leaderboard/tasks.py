"""Celery tasks: thin, and safe to run twice."""

import logging
from collections.abc import Iterable
from functools import lru_cache

from celery import Task, shared_task
from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from earmark.errors import ScoringError
from leaderboard.job_tasks import KINDS, JobTasks, job_tasks
from leaderboard.leases import database_now
from leaderboard.models import Evaluation, EvaluationState, Notice, Submission
from leaderboard.models.public_change import public_changes_prune
from leaderboard.queues import BROKER_ERRORS, may_send, message_came, pause_before_requeue
from leaderboard.selectors.evaluations.preparation import phases_to_prepare
from leaderboard.selectors.evaluations.turns import queue_of
from leaderboard.selectors.ranking import rank_intervals
from leaderboard.services import retention
from leaderboard.services.evaluations import attempts, preparing, states
from leaderboard.services.judgments import measuring
from leaderboard.services.judgments import states as judgments
from leaderboard.services.labellers import reference_words
from leaderboard.services.people import notices
from leaderboard.services.ranking import rank_estimates, snapshots

logger = logging.getLogger(__name__)

# The lease ends an attempt that is stuck; this ends its process.
HARD_LIMIT = (settings.TIME_LIMIT + settings.LEASE).total_seconds()
# How long work of which one process does all is left to a process that may be gone.
ALONE_FOR = 5 * settings.LEASE.total_seconds()


@shared_task(bind=True, time_limit=HARD_LIMIT)
def evaluation_run(self: Task, evaluation_id: int) -> None:
    """Attempt the evaluation whose turn it is in the queues that this worker serves.

    The message says only that there is work: often another evaluation than the one for which
    it was sent, which is attempted with another's message then.
    """
    came_from_queue = (self.request.delivery_info or {}).get("routing_key")
    served = self.app.amqp.queues.consume_from if came_from_queue else [_queue_by_id(evaluation_id)]
    attempted = attempts.evaluation_attempt_in_turn(*served)
    notices_enqueue()
    if attempted is None:
        return
    phase_id = rank_intervals.phase_to_estimate(evaluation_id=attempted, now=database_now())
    if phase_id is not None:  # here and at once, for at most a tenth of the time of a worker
        rank_estimates_refresh(phase_id)


def _evaluations_sweep() -> None:
    pause = lru_cache(pause_before_requeue)
    evaluations_enqueue(
        states.evaluations_sweep(
            now=database_now(), requeue_after=lambda family: pause(queue_of(family))
        )
    )
    snapshots.phases_freeze_due(now=timezone.now())


# Their messages name no token, since whichever evaluation's turn it is is attempted with them.
KINDS.append(
    JobTasks(
        states.EVALUATIONS,
        send=lambda waiting: evaluations_enqueue(one.pk for one in waiting),
        sweep=_evaluations_sweep,
    )
)


# The queue knows this task and its sweep by their first names.
@shared_task(name="leaderboard.tasks.standings_refresh", time_limit=HARD_LIMIT)
def rank_estimates_refresh(phase_id: int) -> None:
    """Estimate the rank intervals of a phase, where they have changed."""
    message_came("rank_estimates", phase_id)
    # One at a time for a phase where processes share the cache; two would only do the same.
    mark = f"standings-{phase_id}"
    if not cache.add(mark, 1, timeout=ALONE_FOR):
        return
    try:
        rank_estimates.rank_estimates_refresh(phase_id=phase_id, now=database_now())
    finally:
        cache.delete(mark)


@shared_task(name="leaderboard.tasks.standings_sweep")
def rank_estimates_sweep() -> None:
    """Send the phases whose ranks changed without a word: a system withdrawn, a message lost."""
    _send("rank_estimates", rank_intervals.phases_due_for_estimates(now=database_now()))


def _send(work: str, phase_ids: Iterable[int]) -> None:
    """Send phases to be worked on; what cannot be sent is left to the next sweep."""
    task, queue = {
        "rank_estimates": (rank_estimates_refresh, settings.SHORT_QUEUE),
        "reference_words": (reference_words_make, settings.CELERY_TASK_DEFAULT_QUEUE),
        "references": (references_prepare, settings.CELERY_TASK_DEFAULT_QUEUE),
    }[work]
    for phase_id in phase_ids:
        if not may_send(work, phase_id, queue=queue, now=database_now()):
            continue
        try:
            task.delay(phase_id)
        except BROKER_ERRORS as error:
            logger.warning("The queue takes no messages; the next sweep will send them: %s", error)
            return


@shared_task(time_limit=HARD_LIMIT)
def reference_words_make(phase_id: int) -> None:
    """Label the words of a phase's references."""
    message_came("reference_words", phase_id)
    mark = f"reference-words-{phase_id}"
    if not cache.add(mark, 1, timeout=ALONE_FOR):
        return
    try:
        reference_words.reference_words_make(phase_id=phase_id, now=timezone.now())
    except ScoringError:
        logger.exception("The references of phase %s were not labelled", phase_id)
    finally:
        cache.delete(mark)


@shared_task(time_limit=HARD_LIMIT)
def references_prepare(phase_id: int) -> None:
    """Prepare the references of a phase for a metric family, and leave the next to a message."""
    message_came("references", phase_id)
    if preparing.references_prepare(phase_id=phase_id):
        _send("references", [phase_id])


@shared_task
def reference_words_sweep() -> None:
    """Send the phases whose references are not prepared or not labelled yet."""
    _send("references", phases_to_prepare(now=timezone.now()))
    _send("reference_words", reference_words.phases_to_label())


JUDGMENTS_TASKS = job_tasks(
    "leaderboard.tasks.judgments_measure",
    kind=judgments.JUDGMENTS,
    attempt=measuring.judgments_attempt,
    limit=measuring.time_limit(),
    queue=settings.CELERY_TASK_DEFAULT_QUEUE,
)


@shared_task
def public_changes_sweep() -> None:
    """Prune what the version of visitors' pages is counted from."""
    public_changes_prune(timezone.now())


@shared_task
def notices_mail() -> None:
    """Send some of the notices that are to be mailed, and a message for the next ones."""
    if notices.notices_mail(now=timezone.now()):
        notices_enqueue()


@shared_task
def notices_sweep() -> None:
    """Make notices that were missed, and send those that are to be mailed."""
    notices.missed_scoring_notices_send(now=timezone.now())
    notices.notices_mail(now=timezone.now())


@shared_task
def retention_sweep() -> None:
    """Delete what has expired."""
    retention.expired_delete(now=timezone.now())
    retention.leftovers_delete()


def notices_enqueue() -> None:
    """Have new notices mailed once the transaction is committed; else the sweep does it."""
    transaction.on_commit(_send_mails)


def _send_mails() -> None:
    if not Notice.objects.filter(mail_due_at__lte=timezone.now()).exists():
        return
    try:
        notices_mail.delay()
    except BROKER_ERRORS as error:
        logger.warning("The queue takes no messages; the sweep will have notices mailed: %s", error)


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
            evaluation_run.apply_async(args=[evaluation.pk], queue=queue_of(evaluation.family))
        except BROKER_ERRORS as error:
            logger.warning("The queue takes no messages; the sweep will send them: %s", error)
            break
        sent.append(evaluation.pk)
    states.evaluations_mark_enqueued(evaluation_ids=sent, now=database_now())


def _queue_by_id(evaluation_id: int) -> str:
    family = Evaluation.objects.values_list("family", flat=True).filter(pk=evaluation_id).first()
    return queue_of(family or "")
