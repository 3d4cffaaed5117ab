"""Which sound descriptors captions have, as on the pages."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import P, QueryEx, Router

from leaderboard import access
from leaderboard.api.schemas.words import WordsOut, words_out
from leaderboard.models import LabelledReferences
from leaderboard.selectors.analysis.stamps import systems_stamp
from leaderboard.selectors.submissions.system_choice import pool_of
from leaderboard.selectors.visibility.visibility import Visibility
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.selectors.words.reading import REFERENCES, sets_of, stored_of
from leaderboard.web.api_auth import ANYONE, PUBLIC, VisitorRequest
from leaderboard.web.api_errors import Problem
from leaderboard.web.page_cache import cached_json
from leaderboard.web.refusals import Refused

router = Router(tags=["Analysis"], auth=ANYONE)

MOST = 4
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
        list[str] | None, P(max_length=MOST, description="Ids of systems; without: the best.")
    ] = None,
    against: QueryEx[str, P(description=AGAINST)] = REFERENCES,
) -> HttpResponse:
    """Counts, shares and differences, where the references of the phase are public."""
    found = access.words_for(request.auth, challenge, phase)
    view = access.visibility_for(request.auth, found, timezone.now())
    pool = pool_of(found, view=view)
    if not pool.has(s or []):
        raise Refused("This phase has no scored system of that id.", status=404)
    by_id = {system.public_id: system for system in pool.read(s or [])}
    chosen = [by_id[public_id] for public_id in dict.fromkeys(s or [])]
    best = pool.best(MOST)
    systems = chosen or [*best, *pool.unranked][:MOST]
    sources = [*best[:1], *pool.unranked[:1]]
    # Descriptors of references are shown once the phase opens, as the names of clips are.
    shown = access.may_see_clip_names(request.auth, found, timezone.now())
    stored = stored_of(found) if shown else None
    return _answer(request, systems, sources, stored, view, against)


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
    other = [row for row in others if row.public_id == beside]
    if beside and not other:
        raise Refused("This phase has no other scored system of that id.", status=404)
    sources = [row for row in others if row.other_references_id is None][:1]
    stored = stored_of(submission.phase)
    return _answer(request, [submission, *other], sources, stored, view, against)


def _answer(
    request: HttpRequest,
    systems: Sequence[AnySubmission],
    sources: Sequence[AnySubmission],
    stored: LabelledReferences | None,
    view: Visibility,
    against: str,
) -> HttpResponse:
    if against not in {REFERENCES, *(system.public_id for system in systems)}:
        raise Refused(
            "What to compare with is references, or the id of a chosen system.", status=404
        )
    more = [row for row in sources if row not in systems]
    key = (systems_stamp([*systems, *more]), stored and stored.pk, view, len(systems), against)

    def make() -> WordsOut:
        sets = sets_of(systems, references=more, stored=stored)
        base = sets.of(against) or next(iter(sets.sets), None)
        return words_out(sets.sets, base, sets.without)

    return cached_json(request, "words", key, make)
