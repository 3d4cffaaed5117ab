"""How the clips of chosen systems are spread, as on the page."""

from collections.abc import Sequence

from django.http import HttpResponse
from django.utils import timezone
from ninja import P, QueryEx, Router

from leaderboard import access
from leaderboard.api.auth import ANYONE, PUBLIC, VisitorRequest
from leaderboard.api.errors import ApiError
from leaderboard.api.kept import kept_answer
from leaderboard.api.schemas.distributions import DistributionsOut, EventsOut, MetricSpreadOut
from leaderboard.api.schemas.errors import KEPT_ERRORS, Faulty, Problem
from leaderboard.models import Phase, Submission
from leaderboard.selectors.analysis.spread import event_counts, spreads_of
from leaderboard.selectors.analysis.stamps import systems_stamp
from leaderboard.selectors.pool import pool_of
from leaderboard.selectors.view import View
from scoring.registry import METRICS

router = Router(tags=["Analysis"])

MOST = 8


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/distributions",
    auth=ANYONE,
    response={200: DistributionsOut, **KEPT_ERRORS, 403: Problem, 422: Faulty},
    operation_id="phase_distributions",
    summary="Read how clips are spread",
    openapi_extra=PUBLIC,
)
def phase_distributions(
    request: VisitorRequest,
    challenge: str,
    phase: str,
    metric: QueryEx[
        list[str] | None, P(max_length=MOST, description="Metrics; without: the ranking metric.")
    ] = None,
    s: QueryEx[
        list[str] | None,
        P(max_length=MOST, description="Ids of systems; without: the best and the human row."),
    ] = None,
) -> HttpResponse:
    """Give the spread of each metric over clips, where the references of the phase are public."""
    found = access.analysis_for(request.auth, challenge, phase)
    names = tuple(dict.fromkeys(metric or [found.ranking_metric]))
    if unknown := [name for name in names if name not in METRICS]:
        raise ApiError(
            404, f"There is no metric {unknown[0]!r}. Choose from: {', '.join(METRICS)}."
        )
    view = access.view_of(request.auth, found, timezone.now())
    systems = _systems(found, view, s or [])
    key = (systems_stamp(systems), view, names)
    return kept_answer(request, "distributions", key, lambda: _spread(systems, names))


def _systems(phase: Phase, view: View, asked: Sequence[str]) -> list[Submission]:
    pool = pool_of(phase, view=view)
    if not asked:
        return [*pool.best(MOST - len(pool.beside)), *pool.beside]
    if not pool.has(asked):
        raise ApiError(404, "This phase has no scored system of that id.")
    by_id = {system.public_id: system for system in pool.read(asked)}
    return [by_id[public_id] for public_id in dict.fromkeys(asked)]


def _spread(systems: Sequence[Submission], names: Sequence[str]) -> DistributionsOut:
    spreads = spreads_of(systems, [METRICS[name] for name in names])
    events = ((system, event_counts(system)) for system in systems)
    return DistributionsOut(
        metrics=[MetricSpreadOut.of(spread) for spread in spreads if spread.spreads],
        events=[EventsOut.of(system, shares) for system, shares in events if shares],
    )
