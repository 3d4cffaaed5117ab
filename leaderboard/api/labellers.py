"""The labellers that this site keeps, and choosing the one in use."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.utils import timezone
from ninja import Router, Status

from leaderboard import access
from leaderboard.api.schemas.labellers import (
    LabellerDetail,
    LabellerOut,
    RollBackIn,
    UseIn,
)
from leaderboard.models import LabellerUse
from leaderboard.selectors.labellers.listing import StoredLabeller, kept_labeller, kept_labellers
from leaderboard.services import labellers as services
from leaderboard.services.labellers import LabellerNeeded, UseRefused
from leaderboard.web.api_auth import UserRequest
from leaderboard.web.api_errors import ApiError, Problem
from leaderboard.web.rate_limits import Rate
from scoring.errors import ScoringError

router = Router(tags=["Labellers"])
act_rate = Rate("upload", settings.API_UPLOAD_RATE)
_ONE = "/labellers/{str:identity}"
ACT: dict[str, Any] = {
    "throttle": act_rate,
    "response": {200: LabellerDetail, 409: Problem},
}


@router.get(
    "/labellers",
    response={200: list[LabellerOut]},
    operation_id="labellers",
    summary="List the labellers",
)
def labeller_list(request: UserRequest) -> list[StoredLabeller]:
    """The labeller of the installation and those that are kept, the latest first."""
    access.labellers_for(request.auth)
    return kept_labellers()


@router.post("/labellers/roll-back", operation_id="labeller_roll_back", summary="Roll back", **ACT)
def roll_back(request: UserRequest, asked: RollBackIn) -> StoredLabeller:
    """Put the labeller to use that was in use before; phases keep what they score with."""
    access.publishing_for(request.auth)
    return _chosen(
        lambda: services.labeller_roll_back(actor=request.auth, now=timezone.now(), seen=asked.seen)
    )


@router.get(
    _ONE,
    response={200: LabellerDetail},
    operation_id="labeller",
    summary="Read a labeller",
)
def labeller_detail(request: UserRequest, identity: str) -> StoredLabeller:
    """All that is known of a labeller."""
    access.labeller_for(request.auth, identity)
    return _detail(identity)


@router.delete(
    _ONE,
    throttle=act_rate,
    response={204: None, 409: Problem},
    operation_id="labeller_delete",
    summary="Delete a labeller",
)
def labeller_delete(request: UserRequest, identity: str) -> Status[None]:
    """Delete a labeller to which nothing refers."""
    access.publishing_for(request.auth)
    found = access.labeller_for(request.auth, identity)
    if found.row is None:
        raise ApiError(409, f"{identity} comes with the installation.")
    try:
        services.labeller_delete(labeller=found.row, actor=request.auth, now=timezone.now())
    except LabellerNeeded as needed:
        raise ApiError(409, str(needed)) from needed
    return Status(204, None)


@router.post(f"{_ONE}/use", operation_id="labeller_use", summary="Put a labeller to use", **ACT)
def labeller_use(request: UserRequest, identity: str, asked: UseIn) -> StoredLabeller:
    """Make a labeller the one in use; phases keep what they score with until they are rescored."""
    access.publishing_for(request.auth)
    found = access.labeller_for(request.auth, identity)
    return _chosen(
        lambda: services.labeller_put_to_use(
            labeller=found.row,
            reason=asked.reason,
            actor=request.auth,
            now=timezone.now(),
            seen=asked.seen,
        )
    )


def _chosen(act: Callable[[], LabellerUse]) -> StoredLabeller:
    try:
        return _detail(act().identity)
    except (UseRefused, ScoringError) as refused:
        raise ApiError(409, str(refused)) from refused


def _detail(identity: str) -> StoredLabeller:
    found = kept_labeller(identity)
    if found is None:
        raise ApiError(404, f"There is no labeller {identity} any more.")
    return found
