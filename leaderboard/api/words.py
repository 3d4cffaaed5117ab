"""Which sound descriptors captions have, as on the pages."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import P, QueryEx, Router, Schema
from pydantic import BeforeValidator, Field

from leaderboard import access
from leaderboard.api.schemas.analysis import SystemRef
from leaderboard.selectors.submissions.system_choice import pool_of
from leaderboard.selectors.visibility.visibility import Visibility
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.selectors.words.counts import MEASURES, Measure
from leaderboard.selectors.words.reading import (
    MOST_SYSTEMS,
    REFERENCES,
    CaptionSet,
    WordsChoice,
    words_of_phase,
    words_of_system,
)
from leaderboard.selectors.words.table import MOST_TEXTS, DescriptorRow, DescriptorShare, rows_of
from leaderboard.web.api_auth import ANYONE, VisitorRequest
from leaderboard.web.api_errors import Problem
from leaderboard.web.page_cache import cached_json
from leaderboard.web.refusals import Refused


class CountOut(Schema):
    """One count of a descriptor in a set of captions."""

    count: int
    share: float | None = Field(description="Of all captions, words or spans of the set, 0 to 1.")
    difference: float | None = Field(
        description="Share less that of the set compared with, -1 to 1; null for that set "
        "itself, and where another labeller labelled it."
    )
    low: Annotated[float | None, BeforeValidator(lambda ends: ends and ends.low)] = Field(
        validation_alias="interval", description="Lower end of the 95 % interval of the difference."
    )
    high: Annotated[float | None, BeforeValidator(lambda ends: ends and ends.high)] = Field(
        validation_alias="interval", description="Upper end of the 95 % interval of the difference."
    )


class TextOut(Schema):
    """A text of spans with one descriptor."""

    text: str
    spans: int
    clips: list[int] = Field(description="Numbers of clips that have it, at most three.")


class DescriptorOut(Schema):
    """One descriptor in a set of captions."""

    descriptor: str
    captions: CountOut = Field(description="Captions that have it.")
    words: CountOut
    spans: CountOut
    texts: list[TextOut] = Field(description="The most frequent texts of its spans.")


class CaptionSetOut(Schema):
    """A set of captions with its descriptors."""

    system: SystemRef | None = Field(description="Null: the references.")
    name: str
    labeller: str = Field(description="Who labelled the words, as in signatures of ACES.")
    captions: int
    words: int
    spans: int
    descriptors: list[DescriptorOut]


class WordsOut(Schema):
    """Descriptors of sets of captions; ``against`` is the name of the set compared with."""

    against: str
    sets: list[CaptionSetOut]
    without: list[SystemRef] = Field(description="Systems of which no labels are stored.")


def words_out(
    sets: Sequence[CaptionSet], against: CaptionSet | None, without: Sequence[AnySubmission]
) -> WordsOut:
    """Describe sets beside one another."""
    sets_out: list[dict[str, Any]] = []
    if against is not None:
        tables = {measure: rows_of(sets, measure, against) for measure in MEASURES}
        sets_out = [_set(one, place, tables) for place, one in enumerate(sets)]
    name = "" if against is None else against.name
    return WordsOut.model_validate({"against": name, "sets": sets_out, "without": without})


def _set(one: CaptionSet, place: int, tables: dict[Measure, list[DescriptorRow]]) -> dict[str, Any]:
    cells: dict[str, dict[str, DescriptorShare]] = defaultdict(dict)
    for measure, rows in tables.items():
        for row in rows:
            cells[row.label][measure] = row.cells[place]
    return {
        "system": one.system,
        "name": one.name,
        "labeller": one.labeller,
        "captions": one.counts.captions,
        "words": one.counts.words,
        "spans": one.counts.spans,
        "descriptors": [
            {
                "descriptor": row.label,
                **cells[row.label],
                "texts": list(one.counts.label(row.label).texts.values())[:MOST_TEXTS],
            }
            for row in tables["captions"]
        ],
    }


router = Router(tags=["For everyone"], auth=ANYONE)

AGAINST = "Id of one of the systems; without: the references."


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/words",
    response={200: WordsOut, 503: Problem},
    operation_id="phase_words",
    summary="Read which descriptors references and systems have",
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
