"""What keeps the site from its work now, in sentences for its organisers."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core.cache import caches

from leaderboard.models import Evaluation, EvaluationState
from leaderboard.selectors.evaluations.progress import family_label
from leaderboard.selectors.evaluations.readiness import (
    oldest_waiting,
    queues_served,
    start_command,
)
from leaderboard.selectors.evaluations.turns import queue_of
from leaderboard.selectors.operations.migrations import migrations_lacking
from leaderboard.web.page_cache import CACHE
from leaderboard.web.resilient_cache import cache_is_away
from scoring.captions.faults import count_of

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
