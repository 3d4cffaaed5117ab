"""Figures of the site for Prometheus, as the database, the queues and the cache have them now.

All processes and machines have these in common, so that it does not matter which web process is
asked. Nothing tells who uses the site: labels are queues, metric families, states, outcomes.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from django.conf import settings
from django.db import Error as AnyDatabaseError
from django.db.models import Count, Max
from django.db.models.functions import Abs
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily

import scoring
from leaderboard.models import AttemptCount, Evaluation, EvaluationState
from leaderboard.queues import BROKER_ERRORS, messages_waiting
from leaderboard.selectors.evaluations.readiness import (
    cache_answers,
    oldest_waiting,
    queue_names,
    queues_served,
    workers_seen,
)
from leaderboard.selectors.evaluations.turns import queue_of
from leaderboard.web.extensions import site_figures

STATES = {EvaluationState.PENDING: "waiting", EvaluationState.RUNNING: "running"}


def site_metrics(now: datetime) -> Iterator[Metric]:
    """All figures; what is away is said to be and is left out."""
    yield _gauge("earmark_info", "Version of Earmark", "version", {scoring.__version__: 1})
    answers = {"cache": cache_answers()}
    for part, errors, figures in (
        ("database", (AnyDatabaseError,), lambda: [*_of_the_database(now)]),
        ("broker", BROKER_ERRORS, _messages),
    ):
        found, answers[part] = _asked(figures, errors)
        yield from found
    yield _gauge("earmark_part_answers", "Whether a part of the site answers", "part", answers)


def _asked(
    figures: Callable[[], list[Metric]], errors: tuple[type[Exception], ...]
) -> tuple[list[Metric], bool]:
    try:
        return figures(), True
    except errors:
        return [], False


def _of_the_database(now: datetime) -> Iterator[Metric]:
    queues = dict.fromkeys(queue_names(), 0)
    ages = {queue: age.total_seconds() for queue, age in oldest_waiting(now).items()}
    yield _evaluations()
    yield _gauge(
        "earmark_queue_oldest_seconds",
        "For how long the oldest evaluation of a queue has waited",
        "queue",
        {**queues, **ages},
    )
    yield _gauge(
        "earmark_queue_workers",
        "Workers that serve a queue",
        "queue",
        {**queues, **queues_served(now)},
    )
    offset = workers_seen(now).aggregate(largest=Max(Abs("clock_offset")))["largest"] or 0
    yield GaugeMetricFamily(
        "earmark_worker_clock_offset_seconds",
        "How far the clock of a worker is off that of the database, at most",
        value=offset,
    )
    yield _attempts()
    for figure in site_figures:
        found = figure()
        yield _gauge(found.name, found.what, found.label, found.values)


def _evaluations() -> Metric:
    rows = Evaluation.objects.filter(state__in=STATES).order_by().values_list("family", "state")
    counted = Counter({(queue, state): 0 for queue in queue_names() for state in STATES})
    for family, state, count in rows.annotate(Count("pk")):
        counted[queue_of(family), EvaluationState(state)] += count
    metric = GaugeMetricFamily(
        "earmark_evaluations", "Evaluations that wait or run", labels=["queue", "state"]
    )
    for (queue, state), count in counted.items():
        if queue != settings.MAINTENANCE_QUEUE:
            metric.add_metric([queue, STATES[state]], count)
    return metric


def _attempts() -> Metric:
    """Attempts that ended, by metric family and outcome, and how long they took."""
    metric = HistogramMetricFamily(
        "earmark_attempt_seconds",
        "Attempts at evaluations by metric family and outcome, and how long they took",
        labels=["family", "outcome"],
    )
    rows: dict[tuple[str, str], list[AttemptCount]] = {}
    for row in AttemptCount.objects.all():
        rows.setdefault((row.family, row.outcome), []).append(row)
    for key, found in rows.items():
        buckets = []
        for bound in AttemptCount.BOUNDS:
            name = "+Inf" if bound == AttemptCount.BOUNDS[-1] else str(float(bound))
            buckets.append((name, sum(row.attempts for row in found if row.up_to <= bound)))
        metric.add_metric(key, buckets, sum(row.seconds for row in found))
    return metric


def _messages() -> list[Metric]:
    waiting = {queue: messages_waiting(queue) for queue in queue_names()}
    return [_gauge("earmark_queue_messages", "Messages that wait in a queue", "queue", waiting)]


def _gauge(name: str, what: str, label: str, values: Mapping[str, float]) -> Metric:
    metric = GaugeMetricFamily(name, what, labels=[label])
    for value, number in values.items():
        metric.add_metric([value], number)
    return metric
