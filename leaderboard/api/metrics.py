"""The metrics and what to know before looking at a number."""

import math

from django.http import HttpRequest
from ninja import Router

from leaderboard.api.auth import ANYONE, PUBLIC
from leaderboard.api.schemas.errors import Problem
from leaderboard.api.schemas.scores import Metric
from scoring.registry import METRICS, MetricInfo

router = Router(tags=["Metrics"])


@router.get(
    "/metrics",
    auth=ANYONE,
    response={200: list[Metric], 401: Problem, 429: Problem},
    operation_id="metrics",
    summary="List the metrics",
    openapi_extra=PUBLIC,
)
def metric_list(request: HttpRequest) -> list[Metric]:
    """Give every metric in the order used everywhere."""
    return [_metric(info) for info in METRICS.values()]


def _metric(info: MetricInfo) -> Metric:
    return Metric(
        name=info.name,
        label=info.label,
        family=info.family,
        low=_bound(info.low),
        high=_bound(info.high),
        direction=info.direction,
        decimals=info.decimals,
        summary=info.summary,
        source=info.source,
    )


def _bound(value: float) -> float | None:
    # JSON has no infinity.
    return value if math.isfinite(value) else None
