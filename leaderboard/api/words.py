"""Which sound descriptors captions have, as on the pages."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import P, QueryEx, Router

from leaderboard import access
from leaderboard.api.schemas.words import WordsOut, words_out
from leaderboard.selectors.submissions.system_choice import pool_of
from leaderboard.selectors.visibility.visibility import Visibility
from leaderboard.selectors.words.choice import (
    MOST_SYSTEMS,
    WordsChoice,
    words_of_phase,
    words_of_system,
)
from leaderboard.selectors.words.reading import REFERENCES
from leaderboard.web.api_auth import ANYONE, PUBLIC, VisitorRequest
from leaderboard.web.api_errors import Problem
from leaderboard.web.page_cache import cached_json
from leaderboard.web.refusals import Refused

router = Router(tags=["For everyone"], auth=ANYONE)

AGAINST = "Id of one of the systems; without: the references."


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/words",
    response={200: WordsOut, 503: Problem},
    operation_id="phase_words",
    summary="Read which descriptors references and systems have",
    openapi_extra=PUBLIC,
)
def phase_words(
    request: VisitorRequest,
    challenge: str,
    phase: str,
    s: QueryEx[
        list[str] | None,
        P(max_length=MOST_SYSTEMS, description="Ids of systems; without: the best."),
    ] = None,
    against: QueryEx[str, P(description=AGAINST)] = REFERENCES,
) -> HttpResponse:
    """Counts, shares and differences, where the references of the phase are public."""
    found = access.words_for(request.auth, challenge, phase)
    view = access.visibility_for(request.auth, found, timezone.now())
    pool = pool_of(found, view=view)
    if not pool.has(s or []):
        raise Refused("This phase has no scored system of that id.", status=404)
    # Descriptors of references are shown once the phase opens, as the names of clips are.
    shown = access.may_see_clip_names(request.auth, found, timezone.now())
    choice = words_of_phase(found, pool, s or [], references_shown=shown)
    return _answer(request, choice, view, against)


@router.get(
    "/submissions/{slug:public_id}/words",
    response={200: WordsOut, 503: Problem},
    operation_id="submission_words",
    summary="Read which descriptors a system's captions have",
    openapi_extra=PUBLIC,
)
def submission_words(
    request: VisitorRequest,
    public_id: str,
    beside: QueryEx[str, P(alias="with", description="Id of another system of the phase.")] = "",
    against: QueryEx[str, P(description=AGAINST)] = REFERENCES,
) -> HttpResponse:
    """Counts, shares and differences, where the references of the phase are public."""
    submission = access.system_words_for(request.auth, public_id)
    view = access.visibility_for(request.auth, submission.phase, timezone.now())
    others = access.comparable_submissions(request.auth, submission)
    choice = words_of_system(submission, others, beside)
    if choice is None:
        raise Refused("This phase has no other scored system of that id.", status=404)
    return _answer(request, choice, view, against)


def _answer(
    request: HttpRequest, choice: WordsChoice, view: Visibility, against: str
) -> HttpResponse:
    if not choice.has(against):
        raise Refused(
            "What to compare with is references, or the id of a chosen system.", status=404
        )
    key = (choice.stamp, view, against)
    return cached_json(request, "words", key, lambda: words_out(*choice.read(against)))
