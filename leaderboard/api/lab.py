"""The ranking lab, as on its page: for those who run the challenge."""

from ninja import Query, Router

from leaderboard import access
from leaderboard.api.schemas.lab import LabOut, LabParameters
from leaderboard.selectors.lab.pool import LabRefused, clip_names
from leaderboard.selectors.lab.query import LabQuery
from leaderboard.selectors.lab.report import report_of
from leaderboard.web.api_auth import KNOWN, UserRequest
from leaderboard.web.api_errors import READ_ERRORS, ApiError, Faulty, Problem
from leaderboard.web.page_cache import parts_rate_check
from leaderboard.web.rate_limits import identity

router = Router(tags=["Organisers"])


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/lab",
    auth=KNOWN,
    response={200: LabOut, **READ_ERRORS, 409: Problem, 422: Faulty},
    operation_id="phase_lab",
    summary="Read what a ranking would be",
)
def phase_lab(
    request: UserRequest, challenge: str, phase: str, rules: Query[LabParameters]
) -> LabOut:
    """Rank a phase of a challenge that you run under other rules; nothing is written."""
    found = access.organised_phase_for(request.auth, challenge, phase)
    asked = LabQuery.read(rules.query, found)
    names = clip_names(found)
    if not names:
        raise ApiError(409, "This phase has no references yet, so there is nothing to rank.")
    parts_rate_check(request, identity(request))
    try:
        return LabOut.of(asked, report_of(found, asked, clips=len(names)))
    except LabRefused as refused:
        raise ApiError(409, str(refused)) from refused
