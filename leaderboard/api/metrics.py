"""The metrics and what to know before looking at a number."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from ninja import Router
from ninja.decorators import decorate_view

from leaderboard.api.schemas.metrics import HumanAgreementOut, TryIn, TryOut
from leaderboard.api.schemas.scores import MetricOut
from leaderboard.selectors.analysis.human_judgments import (
    left_out,
    published_shares,
    registry_shares,
)
from leaderboard.services.playground.computing import (
    DOCUMENTS,
    RATE_GROUP,
    PlaygroundReport,
    playground_compute,
    playground_labeller,
)
from leaderboard.services.playground.texts import MOST_BYTES, texts_read, too_long
from leaderboard.web.api_auth import ANYONE, PUBLIC, VisitorRequest
from leaderboard.web.api_errors import Problem, fault_rows
from leaderboard.web.body_limits import body_capped_at
from leaderboard.web.rate_limits import Rate
from scoring.benchmark_results import measured
from scoring.captions import Fault
from scoring.registry import METRICS, MetricInfo
from scoring.tricks.captions import TRICKS
from scoring.tricks.false_sounds import measured_false_sounds
from scoring.tricks.measuring import measured_tricks

router = Router(tags=["For everyone"], auth=ANYONE)
try_rate = Rate(RATE_GROUP, settings.TRY_RATE)


@router.get(
    "/metrics",
    response={200: list[MetricOut]},
    operation_id="metrics",
    summary="List the metrics",
    openapi_extra=PUBLIC,
)
def metric_list(request: HttpRequest) -> list[MetricInfo]:
    """Every metric in the order used everywhere."""
    return list(METRICS.values())


@router.get(
    "/metrics/agreement",
    response={200: HumanAgreementOut},
    operation_id="metrics_agreement",
    summary="Read how often metrics agree with people",
    openapi_extra=PUBLIC,
)
def metrics_agreement(request: HttpRequest) -> dict[str, Any]:
    """The share of pairs that each metric orders as people did, and what altered captions gain."""
    tricks = measured_tricks()
    return {
        "benchmark": "AudioCaps-Eval",
        "sha256": measured().sha256,
        "metrics": registry_shares(),
        "not_measured": left_out(),
        "published": published_shares(),
        "tricks": {
            "candidates": tricks.candidates,
            "references": tricks.references,
            "clips": tricks.clips,
            "tricks": {trick.name: trick.about for trick in TRICKS},
            "metrics": list(tricks.metrics.values()),
        },
        "false_sounds": list(measured_false_sounds().metrics.values()),
    }


@router.post(
    "/metrics/try",
    throttle=try_rate,
    response={200: TryOut, 503: Problem},
    operation_id="metrics_try",
    summary="Try the metrics on a caption",
    openapi_extra=PUBLIC,
)
@decorate_view(body_capped_at(MOST_BYTES, too_long()))
def metrics_try(request: VisitorRequest, texts: TryIn) -> dict[str, Any]:
    """Compute every metric of one caption against its references; nothing is stored."""
    read, warnings = texts_read(caption=texts.caption, references=texts.references)
    return _try_out(playground_compute(read, playground_labeller()), warnings)


def _try_out(report: PlaygroundReport, warnings: Sequence[Fault]) -> dict[str, Any]:
    families = report.families
    return {
        "caption": report.texts.caption,
        "references": report.texts.references,
        "documents": DOCUMENTS,
        "metrics": report.metrics,
        "details": {row.name: row.details for row in families if row.details is not None},
        "unavailable": {row.name: row.note for row in families if row.note},
        "warnings": fault_rows(warnings),
    }
