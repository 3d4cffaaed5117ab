"""How people agree."""

from django.http import HttpResponse
from django.utils import timezone
from ninja import P, QueryEx, Router

from annotation import access
from annotation.api.schemas.agreement import AgreementOut
from annotation.models import Project
from annotation.selectors.agreement.answers import AnswerVersion, agreement_stamp
from annotation.selectors.agreement.report import AgreementViewer, NoSuchPair, agreement_report
from annotation.services.answers import agreement_note_shown
from leaderboard.web.api_auth import KNOWN, UserRequest
from leaderboard.web.api_errors import CACHED_ERRORS, ApiError, Faulty
from leaderboard.web.page_cache import cached_json

router = Router(tags=["Labelling"])
# Numbers of people; more digits than a database's own numbers have mean nobody.
_MOST = 2**31


@router.get(
    "/labelling/{slug:project}/agreement",
    auth=KNOWN,
    response={200: AgreementOut, **CACHED_ERRORS, 422: Faulty},
    operation_id="labelling_agreement",
    summary="Read how people agree",
)
def agreement(
    request: UserRequest,
    project: str,
    one: QueryEx[int | None, P(ge=1, le=_MOST, description="Number of a person.")] = None,
    other: QueryEx[int | None, P(ge=1, le=_MOST, description="Number of another one.")] = None,
    answers: QueryEx[AnswerVersion, P(description="As first accepted, or as they stand now.")] = (
        AnswerVersion.FIRST
    ),
) -> HttpResponse:
    """Every measure of a pair (of the one with most captions where none is named).

    For managers and adjudicators; for annotators once the project is closed. Captions that
    you may still label take no part.
    """
    found = access.agreement_for(request.auth, project)
    agreement_note_shown(project=found, user=request.auth, now=timezone.now())
    viewer = access.viewer_for(request.auth, found)
    return cached_json(
        request,
        "agreement",
        (agreement_stamp(found), viewer, one, other, answers),
        lambda: _agreement(found, viewer, (one, other), answers),
    )


def _agreement(
    project: Project,
    viewer: AgreementViewer,
    pair: tuple[int | None, int | None],
    answers: AnswerVersion,
) -> AgreementOut:
    try:
        return AgreementOut.of(*agreement_report(project, viewer, *pair, answers))
    except NoSuchPair as error:
        raise ApiError(404, str(error)) from error
