"""Whether the site can do all that it is there for: what answers, and what waits for whom."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, connection
from django.db.models import Min, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from earmark.registry import FAMILIES
from leaderboard.models import Evaluation, EvaluationState, WorkerProcess
from leaderboard.queues import BROKER_ERRORS, messages_waiting
from leaderboard.selectors.evaluations.turns import queue_of
from leaderboard.selectors.outside import kind_of
from leaderboard.web.resilient_cache import cache_is_away

# Workers are heard of every fifteen seconds; a busy machine may miss a few.
SEEN_WITHIN = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class ReadinessCheck:
    """One part of the site: whether it does its work, a sentence about it, and what mends it."""

    name: str
    ok: bool
    detail: str
    mending: str = ""


def readiness(*, now: datetime) -> list[ReadinessCheck]:
    """Database, cache and each queue; nothing of who uses the site."""
    checks = [
        check_of("database", _database, "DATABASE_URL"),
        check_of("cache", _cache, "CACHE_URL"),
    ]
    if checks[0].ok:
        checks += _queues(now)
    return checks


def oldest_waiting(now: datetime) -> dict[str, timedelta]:
    """How long the oldest evaluation that waits has done so, by queue."""
    since = Coalesce("retried_at", "created_at")
    rows = Evaluation.objects.filter(state=EvaluationState.PENDING).values("family")
    ages: dict[str, timedelta] = {}
    for row in rows.annotate(since=Min(since)).order_by():
        queue = queue_of(row["family"])
        ages[queue] = max(ages.get(queue, timedelta()), now - row["since"])
    return ages


def workers_seen(now: datetime) -> QuerySet[WorkerProcess]:
    """Workers that were heard of lately."""
    return WorkerProcess.objects.filter(seen_at__gte=now - SEEN_WITHIN)


def queue_names() -> list[str]:
    """Names of the queues that workers must serve: not of the one for models that are not set."""
    names = {name for name in FAMILIES if kind_of(name) != "language" or settings.LANGUAGE_MODELS}
    return sorted({settings.MAINTENANCE_QUEUE, *(FAMILIES[name].queue for name in names)})


def queues_served(now: datetime) -> dict[str, int]:
    """Number of workers that serve each queue, by the name of the queue."""
    served: dict[str, int] = {}
    for queues in workers_seen(now).values_list("queues", flat=True):
        for queue in queues:
            served[queue] = served.get(queue, 0) + 1
    return served


def clock_offset() -> timedelta:
    """By how much the clock of this machine is ahead of that of the database's."""
    if connection.vendor == "sqlite":  # a file of this machine
        return timedelta()
    with connection.cursor() as cursor:
        asked_at = timezone.now()
        cursor.execute("SELECT clock_timestamp()")
        there: datetime = cursor.fetchone()[0]
    return asked_at + (timezone.now() - asked_at) / 2 - there


def start_command(queue: str) -> str:
    """What starts a worker that serves a queue."""
    maintenance = " -B --pool threads -c 4" if queue == settings.MAINTENANCE_QUEUE else ""
    return f"Start one: celery -A leaderboard worker -Q {queue}{maintenance}"


def check_of(name: str, work: Callable[[], str], setting: str) -> ReadinessCheck:
    """Ask a server; ``setting`` has its address."""
    try:
        return ReadinessCheck(name, True, work())
    except (DatabaseError, OSError) as error:
        detail = f"It does not answer ({type(error).__name__})."
        return ReadinessCheck(name, False, detail, f"See that the server of {setting} runs.")


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()
    return "It answers."


def _cache() -> str:
    if not cache_answers():
        raise ConnectionError
    return "It answers."


def cache_answers() -> bool:
    """Whether the shared cache takes something now."""
    cache.set("readiness", 1, timeout=10)
    return not cache_is_away()


def _queues(now: datetime) -> Iterator[ReadinessCheck]:
    served, ages = queues_served(now), oldest_waiting(now)
    waiting, fault = _messages()
    for queue in queue_names():
        workers = served.get(queue, 0)
        parts = [f"{workers or 'No'} {'worker serves' if workers < 2 else 'workers serve'} it"]
        mending = "" if workers else start_command(queue)
        if queue in waiting:
            parts.append(f"{waiting[queue]:,} messages wait")
        else:
            mending = "See that the server of CELERY_BROKER_URL runs."
            parts.append(f"the broker does not answer ({fault})")
        if queue in ages:
            parts.append(f"the oldest evaluation waits for {ages[queue].total_seconds():,.0f} s")
        yield ReadinessCheck(f"queue {queue}", not mending, f"{'; '.join(parts)}.", mending)


def _messages() -> tuple[dict[str, int], str]:
    """Messages by queue, and the fault of a broker that is away, which is not asked again."""
    waiting: dict[str, int] = {}
    try:
        for queue in queue_names():
            waiting[queue] = messages_waiting(queue)
    except BROKER_ERRORS as error:
        return waiting, type(error).__name__
    return waiting, ""
