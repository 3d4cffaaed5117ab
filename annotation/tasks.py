"""Celery tasks of the labelling side: thin, and safe to run twice."""

import logging

from celery import shared_task
from django.db import transaction
from kombu.exceptions import KombuError, OperationalError

from annotation.models import Order, Project
from annotation.services import uncertainty

logger = logging.getLogger(__name__)


@shared_task
def items_rank(project_id: int) -> None:
    """Order the captions of a project, most uncertain first."""
    project = Project.objects.filter(pk=project_id).first()
    if project is not None:
        uncertainty.items_rank(project=project)


def ranking_enqueue(project: Project) -> None:
    """Have captions ordered once the transaction is committed, where the project asks for it.

    Until then, and where the queue takes no messages, they go out as given.
    """
    if project.order == Order.UNCERTAIN:
        transaction.on_commit(lambda: _send(project.pk))


def _send(project_id: int) -> None:
    try:
        items_rank.delay(project_id)
    except (KombuError, OperationalError, OSError):
        logger.exception("The queue takes no messages; captions go out as given")
