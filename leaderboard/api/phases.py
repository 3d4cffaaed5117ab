"""Challenges and their phases."""

from django.conf import settings
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.utils import timezone
from ninja import Router

from leaderboard import access
from leaderboard.api.schemas.challenges import (
    ChallengeLine,
    ChallengeOut,
    ClipsToDescribe,
    PhaseOut,
)
from leaderboard.models import Challenge, Phase
from leaderboard.starter.package import kit_name, kit_packed
from leaderboard.web.api_auth import ANYONE, PUBLIC, VisitorRequest
from leaderboard.web.file_responses import attachment

router = Router(tags=["For everyone"], auth=ANYONE)


@router.get(
    "/challenges",
    response={200: list[ChallengeLine]},
    operation_id="challenges",
    summary="List the challenges",
    openapi_extra=PUBLIC,
)
def challenge_list(request: VisitorRequest) -> QuerySet[Challenge]:
    """The challenges that you may see, by title."""
    return access.challenges_visible(request.auth).order_by("title", "slug")


@router.get(
    "/challenges/{slug:challenge}",
    response={200: ChallengeOut},
    operation_id="challenge",
    summary="Read a challenge and its phases",
    openapi_extra=PUBLIC,
)
def challenge_detail(request: VisitorRequest, challenge: str) -> Challenge:
    """A challenge with the rules of each phase and what its organisers announced."""
    return access.challenge_for(request.auth, challenge)


@router.get(
    "/phases/{slug:challenge}/{slug:phase}",
    response={200: PhaseOut},
    operation_id="phase",
    summary="Read a phase",
    openapi_extra=PUBLIC,
)
def phase_detail(request: VisitorRequest, challenge: str, phase: str) -> Phase:
    """The rules of a phase."""
    return access.phase_for(request.auth, challenge, phase)


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/starter-kit",
    tags=["For participants"],
    operation_id="starter_kit",
    summary="Download the starter kit of a phase",
    openapi_extra={
        **PUBLIC,
        "responses": {
            200: {
                "description": "A zip with two baselines and a README of the phase.",
                "content": {"application/zip": {}},
            }
        },
    },
)
def starter_kit(request: VisitorRequest, challenge: str, phase: str) -> HttpResponse:
    """Code to train a first system with; the same file as on the pages of the phase."""
    found = access.phase_for(request.auth, challenge, phase)
    return attachment(kit_packed(found), f"{kit_name(found)}.zip", "application/zip")


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/clips",
    tags=["For participants"],
    response={200: ClipsToDescribe},
    operation_id="clips_to_describe",
    summary="List the clips of a phase",
    openapi_extra=PUBLIC,
)
def clips_to_describe(request: VisitorRequest, challenge: str, phase: str) -> ClipsToDescribe:
    """The names of the clips that a file of captions must have, once the phase has opened."""
    found = access.phase_for(request.auth, challenge, phase)
    references = found.reference_set
    if references is None or not access.may_see_clip_names(request.auth, found, timezone.now()):
        raise Http404
    return ClipsToDescribe(
        file_names=list(references.read().file_names), max_bytes=settings.MAX_UPLOAD_BYTES
    )
