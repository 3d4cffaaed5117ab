"""The metrics and what to know before looking at a number."""

import math
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import Router
from ninja.decorators import decorate_view

from leaderboard.api.schemas.metrics import HumanAgreementOut, TryIn, TryOut, TryScore
from leaderboard.api.schemas.scores import MetricOut
from leaderboard.services.playground.computing import (
    DOCUMENTS,
    RATE_GROUP,
    RETRY_SECONDS,
    PlaygroundBusy,
    PlaygroundReport,
    playground_compute,
    playground_labeller,
)
from leaderboard.services.playground.texts import MOST_BYTES, TextsRefused, texts_read, too_long
from leaderboard.web.api_auth import ANYONE, PUBLIC, VisitorRequest
from leaderboard.web.api_errors import ApiError, FaultOut, Faulty, Problem, fault_rows, problem
from leaderboard.web.body_limits import body_capped_at
from leaderboard.web.rate_limits import Rate
from scoring.captions import Fault
from scoring.registry import METRICS, MetricInfo

router = Router(tags=["Metrics"], auth=ANYONE)
try_rate = Rate(RATE_GROUP, settings.TRY_RATE)

TRY_ERRORS: dict[int, Any] = {
    **dict.fromkeys((400, 401, 403, 413, 429, 503), Problem),
    422: Faulty,
}


@router.get(
    "/metrics",
    response={200: list[MetricOut], 401: Problem, 429: Problem},
    operation_id="metrics",
    summary="List the metrics",
    openapi_extra=PUBLIC,
)
def metric_list(request: HttpRequest) -> list[MetricOut]:
    """Give every metric in the order used everywhere."""
    return [_metric(info) for info in METRICS.values()]


@router.get(
    "/metrics/agreement",
    response={200: HumanAgreementOut, 401: Problem, 429: Problem},
    operation_id="metrics_agreement",
    summary="Read how often metrics agree with people",
    openapi_extra=PUBLIC,
)
def metrics_agreement(request: HttpRequest) -> HumanAgreementOut:
    """Give the share of pairs of captions that each metric orders as people did."""
    return HumanAgreementOut.now()


@router.post(
    "/metrics/try",
    throttle=try_rate,
    response={200: TryOut, **TRY_ERRORS},
    operation_id="metrics_try",
    summary="Try the metrics on a caption",
    openapi_extra=PUBLIC,
)
@decorate_view(body_capped_at(MOST_BYTES, too_long()))
def metrics_try(request: VisitorRequest, texts: TryIn) -> TryOut | HttpResponse:
    """Compute every metric of one caption against its references; nothing is stored."""
    try:
        read, warnings = texts_read(caption=texts.caption, references=texts.references)
    except TextsRefused as refused:
        raise ApiError(
            422, "The texts cannot be taken.", faults=fault_rows(refused.faults)
        ) from refused
    try:
        return _try_out(playground_compute(read, playground_labeller()), warnings)
    except PlaygroundBusy as busy:
        response = problem(503, str(busy))
        response["Retry-After"] = str(RETRY_SECONDS)
        return response


def _try_out(report: PlaygroundReport, warnings: Sequence[Fault]) -> TryOut:
    families = report.families
    return TryOut(
        caption=report.texts.caption,
        references=list(report.texts.references),
        documents=DOCUMENTS,
        metrics={
            name: TryScore(value=metric.value, signature=metric.signature)
            for name, metric in report.metrics.items()
        },
        details={row.name: dict(row.details) for row in families if row.details is not None},
        unavailable={row.name: row.note for row in families if row.note},
        warnings=[FaultOut(**row) for row in fault_rows(warnings)],
    )


def _metric(info: MetricInfo) -> MetricOut:
    return MetricOut(
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
