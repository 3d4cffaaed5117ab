"""The ranking lab, as on its page: for those who run the challenge."""

from ninja import Query, Router

from leaderboard import access
from leaderboard.api.auth import KNOWN, UserRequest
from leaderboard.api.errors import ApiError
from leaderboard.api.schemas.errors import READ_ERRORS, Faulty, Problem
from leaderboard.api.schemas.lab import LabOut, LabQuery
from leaderboard.api.throttles import identity
from leaderboard.kept import admit_within_rate
from leaderboard.selectors.lab.asked import Asked
from leaderboard.selectors.lab.pool import LabRefused, clip_names
from leaderboard.selectors.lab.report import report_of

router = Router(tags=["Organisers"])


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/lab",
    auth=KNOWN,
    response={200: LabOut, **READ_ERRORS, 409: Problem, 422: Faulty},
    operation_id="phase_lab",
    summary="Read what a ranking would be",
)
def phase_lab(request: UserRequest, challenge: str, phase: str, rules: Query[LabQuery]) -> LabOut:
    """Rank a phase of a challenge that you run under other rules; nothing is written."""
    found = access.organised_phase_for(request.auth, challenge, phase)
    asked = Asked.read(rules.query, found)
    names = clip_names(found)
    if not names:
        raise ApiError(409, "This phase has no references yet, so there is nothing to rank.")
    admit_within_rate(request, identity(request))
    try:
        return LabOut.of(asked, report_of(found, asked, clips=len(names)))
    except LabRefused as refused:
        raise ApiError(409, str(refused)) from refused
