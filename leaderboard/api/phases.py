"""Challenges, their phases, their leaderboards."""

from datetime import datetime
from typing import Literal

from django.utils import timezone
from ninja import P, QueryEx, Router

from leaderboard import access
from leaderboard.api.auth import ANYONE, PUBLIC, VisitorRequest
from leaderboard.api.errors import ApiError
from leaderboard.api.schemas.challenges import (
    BoardOut,
    BoardRow,
    ChallengeLine,
    ChallengeOut,
    PhaseOut,
)
from leaderboard.api.schemas.errors import READ_ERRORS, Faulty, Problem
from leaderboard.api.schemas.scores import scores
from leaderboard.models import Challenge, Kind, Phase
from leaderboard.selectors.phases import Row, board_of

router = Router(tags=["Challenges"])


@router.get(
    "/challenges",
    auth=ANYONE,
    response={200: list[ChallengeLine], 401: Problem, 429: Problem},
    operation_id="challenges",
    summary="List the challenges",
    openapi_extra=PUBLIC,
)
def challenge_list(request: VisitorRequest) -> list[ChallengeLine]:
    """Give the challenges that you may see, by title."""
    found = access.challenges_visible(request.auth).order_by("title", "slug")
    return [ChallengeLine.of(challenge) for challenge in found]


@router.get(
    "/challenges/{slug:challenge}",
    auth=ANYONE,
    response={200: ChallengeOut, **READ_ERRORS},
    operation_id="challenge",
    summary="Read a challenge and its phases",
    openapi_extra=PUBLIC,
)
def challenge_detail(request: VisitorRequest, challenge: str) -> ChallengeOut:
    """Give a challenge with the rules of each phase."""
    found = access.challenge_for(request.auth, challenge)
    return ChallengeOut(
        **ChallengeLine.of(found).dict(),
        description=found.description,
        phases=_phases(found, timezone.now()),
    )


@router.get(
    "/phases/{slug:challenge}/{slug:phase}",
    auth=ANYONE,
    response={200: PhaseOut, **READ_ERRORS},
    operation_id="phase",
    summary="Read a phase",
    openapi_extra=PUBLIC,
)
def phase_detail(request: VisitorRequest, challenge: str, phase: str) -> PhaseOut:
    """Give the rules of a phase."""
    return PhaseOut.of(access.phase_for(request.auth, challenge, phase), timezone.now())


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/leaderboard",
    auth=ANYONE,
    response={200: BoardOut, **READ_ERRORS, 403: Problem, 422: Faulty},
    operation_id="leaderboard",
    summary="Read a leaderboard",
    openapi_extra=PUBLIC,
)
def leaderboard(
    request: VisitorRequest,
    challenge: str,
    phase: str,
    systems: QueryEx[
        Literal["counting", "all"],
        P(description="counting: the system that counts for each team; all: every system."),
    ] = "counting",
) -> BoardOut:
    """Give the rows in rank order, those without a rank last, then what does not compete."""
    found = access.phase_for(request.auth, challenge, phase)
    if not access.may_see_scores(request.auth, found):
        raise ApiError(403, "The scores of this phase are not public.")
    board = board_of(found, every_system=systems == "all")
    return BoardOut(
        challenge=found.challenge.slug,
        phase=found.slug,
        ranking_metric=found.ranking_metric,
        direction=found.ranking.direction,
        precision=found.precision,
        systems=systems,
        rows=[_row(row) for row in (*board.rows, *board.beside)],
    )


def _phases(challenge: Challenge, now: datetime) -> list[PhaseOut]:
    phases = (
        Phase.objects.filter(challenge=challenge)
        .select_related("reference_set")
        .defer("reference_set__payload")
        .order_by("position", "id")
    )
    return [PhaseOut.of(phase, now) for phase in phases]


def _row(row: Row) -> BoardRow:
    submission = row.submission
    return BoardRow(
        rank=row.rank,
        counts=row.counts,
        kind=Kind(submission.kind),
        id=submission.public_id,
        team=submission.team.slug,
        team_name=submission.team.name,
        system_name=submission.system_name,
        submitted_at=submission.created_at,
        state=row.progress.state,
        metrics=scores(row.cells),
    )
