"""The site at work: what keeps it from that, for its organisers, and figures for Prometheus.

All processes and machines have the figures in common, so that it does not matter which web process
is asked. Nothing tells who uses the site: labels are queues, metric families, states, outcomes.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core.cache import caches
from django.db import Error as AnyDatabaseError
from django.db.models import Count, Max
from django.db.models.functions import Abs
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily

import earmark
from earmark.captions.faults import count_of
from leaderboard.models import AttemptCount, Evaluation, EvaluationState
from leaderboard.queues import BROKER_ERRORS, messages_waiting
from leaderboard.selectors.evaluations.progress import family_label
from leaderboard.selectors.evaluations.readiness import (
    cache_answers,
    oldest_waiting,
    queue_names,
    queues_served,
    start_command,
    workers_seen,
)
from leaderboard.selectors.evaluations.turns import queue_of
from leaderboard.selectors.operations.migrations import migrations_lacking
from leaderboard.web.extensions import site_figures
from leaderboard.web.page_cache import CACHE
from leaderboard.web.resilient_cache import cache_is_away

OLD = timedelta(minutes=15)
# For how long a web process tells the same.
SECONDS = 20
_FAMILIES_NAMED = 3


@dataclass(frozen=True, slots=True)
class SiteProblem:
    """A problem of the site, and what whoever runs it does about it."""

    what: str
    mending: str


def site_problems(now: datetime) -> list[SiteProblem]:
    """Problems that organisers and administrators are told of; none where all is well."""
    known: list[SiteProblem] | None = caches[CACHE].get("site-problems")
    if known is None:
        known = [*_problems(now)]
        caches[CACHE].set("site-problems", known, SECONDS)
    return known


def _problems(now: datetime) -> Iterator[SiteProblem]:
    behind = len(migrations_lacking())
    if behind:
        yield SiteProblem(
            f"The database is {count_of(behind, 'migration')} behind this version.",
            "Run manage.py migrate.",
        )
        return  # what is looked at below may not be there yet
    if cache_is_away():
        yield SiteProblem(
            "The cache is away; limits of use count in each web process.",
            "See that the server of CACHE_URL runs.",
        )
    served, ages = queues_served(now), oldest_waiting(now)
    for queue in sorted(ages):
        if not served.get(queue):
            what = f"No worker serves {queue}. Waiting: {_waiting(queue)}."
            yield SiteProblem(what, start_command(queue))
        elif ages[queue] >= OLD:
            yield SiteProblem(
                f"The queue {queue} is {_duration(ages[queue])} old. Waiting: {_waiting(queue)}.",
                "More workers would shorten it.",
            )
    if not served.get(settings.MAINTENANCE_QUEUE):
        yield SiteProblem(
            "No worker serves maintenance: lost work is not taken back, and no mail is sent.",
            start_command(settings.MAINTENANCE_QUEUE),
        )


def _waiting(queue: str) -> str:
    """What waits in a queue: "BLEU-1 to BLEU-4, CIDEr-D, FENSE, 3 more of 12 systems"."""
    waiting = Evaluation.objects.filter(state=EvaluationState.PENDING).order_by()
    families = waiting.values_list("family", flat=True).distinct()
    names = [name for name in families if queue_of(name) == queue]
    named = sorted(map(family_label, names))[:_FAMILIES_NAMED]
    if len(names) > len(named):
        named.append(f"{len(names) - len(named)} more")
    systems = waiting.filter(family__in=names).values("submission").distinct().count()
    return f"{', '.join(named)} of {count_of(systems, 'system')}"


def _duration(age: timedelta) -> str:
    minutes = int(age.total_seconds() // 60)
    return f"{minutes} minutes" if minutes < 120 else f"{minutes // 60} hours"


STATES = {EvaluationState.PENDING: "waiting", EvaluationState.RUNNING: "running"}


def site_metrics(now: datetime) -> Iterator[Metric]:
    """All figures; what is away is said to be and is left out."""
    yield _gauge("earmark_info", "Version of Earmark", "version", {earmark.__version__: 1})
    answers = {"cache": cache_answers()}
    for part, errors, figures in (
        ("database", (AnyDatabaseError,), lambda: [*_of_the_database(now)]),
        ("broker", BROKER_ERRORS, _messages),
    ):
        metrics, answers[part] = _asked(figures, errors)
        yield from metrics
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
        gauge = figure()
        yield _gauge(gauge.name, gauge.what, gauge.label, gauge.values)


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
    for key, counts in rows.items():
        buckets = []
        for bound in AttemptCount.BOUNDS:
            name = "+Inf" if bound == AttemptCount.BOUNDS[-1] else str(float(bound))
            buckets.append((name, sum(row.attempts for row in counts if row.up_to <= bound)))
        metric.add_metric(key, buckets, sum(row.seconds for row in counts))
    return metric


def _messages() -> list[Metric]:
    waiting = {queue: messages_waiting(queue) for queue in queue_names()}
    return [_gauge("earmark_queue_messages", "Messages that wait in a queue", "queue", waiting)]


def _gauge(name: str, what: str, label: str, values: Mapping[str, float]) -> Metric:
    metric = GaugeMetricFamily(name, what, labels=[label])
    for value, number in values.items():
        metric.add_metric([value], number)
    return metric
