"""The queues: how much waits in them, and when something is sent again."""

import logging
from datetime import datetime, timedelta

from celery import current_app
from django.conf import settings
from django.core.cache import cache
from kombu.exceptions import ChannelError, KombuError, OperationalError

logger = logging.getLogger(__name__)

# What the broker, its transport or the network raise where a message cannot be sent.
BROKER_ERRORS = (KombuError, OperationalError, OSError)
# Who asks how much waits does not wait for a broker that is away or says nothing: anyone may open
# /readyz, and whoever does holds a thread of a web process.
TIMEOUTS = {"socket_connect_timeout": 1, "socket_timeout": 1}


def messages_waiting(queue: str) -> int:
    """The number of messages that wait in a queue; raises one of ``BROKER_ERRORS``.

    Messages that a worker has fetched and not begun are not counted.
    """
    with current_app.connection_for_read(transport_options=TIMEOUTS) as connection:
        connection.ensure_connection(max_retries=0)
        try:
            declared = connection.default_channel.queue_declare(queue, passive=True)
        except ChannelError:  # Redis has no empty queues
            return 0
    return int(declared.message_count)


def pause_before_requeue(queue: str) -> timedelta:
    """How long after a message the next one may be sent for the same work.

    Where the queue is empty, an earlier message is lost or about to be worked on. Where
    messages wait, the earlier one is most likely among them; sent every minute, copies would
    pile up without end.
    """
    try:
        empty = messages_waiting(queue) == 0
    except BROKER_ERRORS as error:
        logger.warning("The queue %s cannot be looked at: %s", queue, error)
        empty = False
    return settings.REQUEUE_AFTER if empty else settings.REQUEUE_AFTER_IN_BACKLOG


def may_send(task: str, key: int, *, queue: str, now: datetime) -> bool:
    """Whether a task may be sent for a row that does not note when it was; notes that it is."""
    sent_at: datetime | None = cache.get(_mark(task, key))
    if sent_at is not None and now - sent_at < pause_before_requeue(queue):
        return False
    cache.set(_mark(task, key), now, timeout=settings.REQUEUE_AFTER_IN_BACKLOG.total_seconds())
    return True


def message_came(task: str, key: int) -> None:
    """Note that no message for the row waits any more."""
    cache.delete(_mark(task, key))


def _mark(task: str, key: int) -> str:
    return f"sent-{task}-{key}"
