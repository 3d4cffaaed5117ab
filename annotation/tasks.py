"""Celery tasks of the labelling side: thin, and safe to run twice."""

import logging
from collections.abc import Callable

from celery import Task, shared_task
from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from annotation.models import Order, Project
from annotation.selectors.stages.chain import stages_state
from annotation.selectors.suggestions import labeller_in_use, projects_to_rank, projects_to_suggest
from annotation.services import suggestions
from annotation.services.data_sets import findings, splits
from annotation.services.formats.waiting_imports import archives_expire
from annotation.services.stages import stages_update
from annotation.services.training import attempt, states
from earmark.errors import ScoringError
from leaderboard.job_tasks import job_tasks
from leaderboard.leases import database_now
from leaderboard.queues import BROKER_ERRORS, may_send, message_came

logger = logging.getLogger(__name__)

# One at a time for a project where processes share the cache; two would only do the same.
# A worker that dies leaves the mark, and the sweep goes on once it is gone.
MARK_SECONDS = 900

# Once a day every chain of stages is compared as a whole, whatever its state says.
FED_SECONDS = 24 * 3600

TRAINING_QUEUE = "gpu"


@shared_task
def items_rank(project_id: int) -> None:
    """Order the captions of a project, most uncertain first."""
    message_came(items_rank.name, project_id)
    _alone("rank", project_id, suggestions.items_rank)


@shared_task
def suggestions_make(project_id: int) -> None:
    """Have the labeller say what it thinks of the captions of a project."""
    message_came(suggestions_make.name, project_id)
    _alone("suggest", project_id, suggestions.suggestions_make)


def _alone(act: str, project_id: int, work: Callable[..., int]) -> None:
    project = Project.objects.filter(pk=project_id).first()
    mark = f"labelling-{act}-{project_id}"
    if project is None or not cache.add(mark, 1, timeout=MARK_SECONDS):
        return
    try:
        work(project=project, now=timezone.now())
    except ScoringError:
        logger.exception("The labeller in use cannot be used; the sweep tries again")
    finally:
        cache.delete(mark)


@shared_task
def labeller_sweep() -> None:
    """Send what waits for the labeller in use: it is another one, or a message was lost."""
    archives_expire(now=timezone.now())
    try:
        identity = labeller_in_use().identity
    except ScoringError:
        logger.exception("The labeller in use cannot be used")
        return
    waiting = [(items_rank, project) for project in projects_to_rank(identity)]
    waiting += [(suggestions_make, project) for project in projects_to_suggest(identity)]
    for task, project in waiting:
        if may_send(task.name, project.pk, queue=settings.SHORT_QUEUE, now=database_now()):
            _send(task, project.pk)


def labelling_enqueue(project: Project) -> None:
    """Have captions ordered and suggestions made once the transaction is committed.

    Each where the project asks for it. Until then, and where the queue takes no
    messages, captions go out as given and bare; the sweep sends what was lost.
    """
    if project.order == Order.UNCERTAIN:
        transaction.on_commit(lambda: _send(items_rank, project.pk))
    if project.suggest:
        transaction.on_commit(lambda: _send(suggestions_make, project.pk))


def _send(task: "Task[[int], None]", project_id: int) -> None:
    try:
        task.delay(project_id)
    except BROKER_ERRORS as error:
        logger.warning("The queue takes no messages; captions go out as given: %s", error)


@shared_task
def stages_feed(project_id: int, clip: str | None = None) -> None:
    """Bring the projects that a project feeds up to date, with its answers on a clip or all."""
    message_came(stages_feed.name, project_id)
    source = Project.objects.filter(pk=project_id).first()
    if source is None:
        return
    whole = clip is None and source.source_id is None
    # Read first: what changes meanwhile is fed by the next sweep.
    state = stages_state(source) if whole else ""
    stages_update(source=source, now=timezone.now(), clip=clip)
    if whole:
        cache.set(_fed_mark(source), state, timeout=FED_SECONDS)


def _fed_mark(source: Project) -> str:
    return f"stages-fed-{source.pk}"


@shared_task
def stages_sweep() -> None:
    """Have the chains of stages that changed brought up to date, in case a message was lost.

    Those that are as they were when all of them was fed last are left alone for a day.
    """
    for project in Project.objects.filter(source=None, next_stages__isnull=False).distinct():
        if cache.get(_fed_mark(project)) == stages_state(project):
            continue
        if may_send(
            stages_feed.name, project.pk, queue=settings.MAINTENANCE_QUEUE, now=database_now()
        ):
            _feed(project.pk, None)


def stages_enqueue(project: Project, clip: str | None = None) -> None:
    """Have what a project feeds brought up to date once the transaction is committed."""
    transaction.on_commit(lambda: _feed(project.pk, clip))


def _feed(project_id: int, clip: str | None) -> None:
    if not Project.objects.filter(source=project_id).exists():
        return
    try:
        stages_feed.delay(project_id, clip)
    except BROKER_ERRORS as error:
        logger.warning("The queue takes no messages; the sweep feeds the next stages: %s", error)


# A training makes way for others after each turn, and then waits for its next one.
TRAINING_TASKS = job_tasks(
    "annotation.tasks.training_run",
    kind=states.TRAININGS,
    attempt=attempt.training_attempt,
    limit=settings.TRAINING_LIMIT,
    queue=TRAINING_QUEUE,
)
SPLIT_TASKS = job_tasks(
    "annotation.tasks.split_run",
    kind=splits.SPLITS,
    attempt=splits.split_attempt,
    limit=settings.TIME_LIMIT,
    queue=settings.SHORT_QUEUE,
)
CHECK_TASKS = job_tasks(
    "annotation.tasks.captions_check",
    kind=findings.CHECKS,
    attempt=findings.check_run,
    limit=settings.TIME_LIMIT,
    queue=settings.SHORT_QUEUE,
)
