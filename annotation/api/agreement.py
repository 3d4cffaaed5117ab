"""How people agree, what waits for a decision, and what is settled."""

from django.http import HttpResponse
from django.utils import timezone
from ninja import P, QueryEx, Router, Status

from annotation import access
from annotation.api.schemas.agreement import AgreementOut
from annotation.api.schemas.deciding import (
    CaseOut,
    DecisionIn,
    DisputesOut,
    GoldOut,
    GoldsOut,
    MovedOut,
)
from annotation.models import Gold, Project, Role
from annotation.selectors.agreeing import NoSuchPair, agreement_of
from annotation.selectors.agreement import Answers, agreement_stamp
from annotation.selectors.cases import board_of
from annotation.selectors.people import Eye
from annotation.selectors.unlabelled import own_captions, settled_unlabelled
from annotation.services.gold import (
    Decision,
    GoldFault,
    GoldMoved,
    gold_settle,
    gold_settle_identical,
)
from annotation.services.lateness import agreement_seen
from leaderboard.api.auth import KNOWN, UserRequest
from leaderboard.api.errors import ApiError
from leaderboard.api.kept import kept_answer
from leaderboard.api.schemas.errors import KEPT_ERRORS, READ_ERRORS, WRITE_ERRORS, Faulty

router = Router(tags=["Labelling"])
# Numbers of people; more digits than a database's own numbers have mean nobody.
_MOST = 2**31


@router.get(
    "/labelling/{slug:project}/agreement",
    auth=KNOWN,
    response={200: AgreementOut, **KEPT_ERRORS, 422: Faulty},
    operation_id="labelling_agreement",
    summary="Read how people agree",
)
def agreement(
    request: UserRequest,
    project: str,
    one: QueryEx[int | None, P(ge=1, le=_MOST, description="Number of a person.")] = None,
    other: QueryEx[int | None, P(ge=1, le=_MOST, description="Number of another one.")] = None,
    answers: QueryEx[Answers, P(description="As first accepted, or as they stand now.")] = (
        Answers.FIRST
    ),
) -> HttpResponse:
    """Give every measure of a pair (of the one with most captions where none is named).

    For managers and adjudicators; for annotators once the project is closed. Captions that
    you may still label take no part.
    """
    found = access.agreement_for(request.auth, project)
    agreement_seen(project=found, user=request.auth, now=timezone.now())
    eye = access.eye_for(request.auth, found)
    return kept_answer(
        request,
        "agreement",
        (agreement_stamp(found), eye, one, other, answers),
        lambda: _agreement(found, eye, (one, other), answers),
    )


def _agreement(
    project: Project, eye: Eye, pair: tuple[int | None, int | None], answers: Answers
) -> AgreementOut:
    try:
        return AgreementOut.of(*agreement_of(project, eye, *pair, answers))
    except NoSuchPair as error:
        raise ApiError(404, str(error)) from error


@router.get(
    "/labelling/{slug:project}/disputes",
    auth=KNOWN,
    response={200: DisputesOut, **READ_ERRORS, 422: Faulty},
    operation_id="labelling_disputes",
    summary="Read what waits for a decision",
)
def disputes(
    request: UserRequest,
    project: str,
    limit: QueryEx[int, P(ge=1, le=200)] = 50,
) -> DisputesOut:
    """Give the captions with words in dispute, for adjudicators; who said what is not told.

    Nor are captions that you may still label, nor those that you labelled where the
    project wants others to decide them.
    """
    found = access.project_for(request.auth, project, role=Role.ADJUDICATOR)
    board = board_of(found).without(settled_unlabelled(found, request.auth))
    board = board.of_others(own_captions(found, request.auth))
    return DisputesOut(
        total=len(board.to_decide),
        cases=[CaseOut.of(case) for case in board.to_decide[:limit]],
        agreed=len(board.agreed),
        settled=len(board.settled),
        waiting=board.waiting,
        own=board.own,
    )


@router.put(
    "/labelling/{slug:project}/items/{int:item_id}/gold",
    auth=KNOWN,
    response={200: GoldOut, **WRITE_ERRORS, 409: MovedOut, 422: Faulty},
    operation_id="labelling_settle",
    summary="Decide the words of a caption that are in dispute",
)
def settle(
    request: UserRequest, project: str, item_id: int, told: DecisionIn
) -> GoldOut | Status[MovedOut]:
    """Keep a decision; captions on which all agree are settled with it."""
    item = access.item_to_settle(request.auth, project, item_id)
    decision = Decision({choice.word: choice.label for choice in told.choices}, told.seen)
    now = timezone.now()
    try:
        gold = gold_settle(item=item, decision=decision, by=request.auth, now=now)
    except GoldFault as fault:
        raise ApiError(422, str(fault), faults=[]) from fault
    except GoldMoved as moved:
        return Status(409, MovedOut(detail=str(moved), current=CaseOut.of(moved.case)))
    gold_settle_identical(project=item.project, by=request.auth, now=now)
    return GoldOut.of(gold)


@router.get(
    "/labelling/{slug:project}/gold",
    auth=KNOWN,
    response={200: GoldsOut, **READ_ERRORS, 422: Faulty},
    operation_id="labelling_gold",
    summary="Read what is settled",
)
def gold_list(
    request: UserRequest,
    project: str,
    after: QueryEx[int | None, P(ge=0, le=_MOST, description="`next` of the page before.")] = None,
    limit: QueryEx[int, P(ge=1, le=500)] = 100,
) -> GoldsOut:
    """Give settled captions with how each word came to its label, for adjudicators.

    Captions that you may still label are left out.
    """
    found = access.project_for(request.auth, project, role=Role.ADJUDICATOR)
    hidden = settled_unlabelled(found, request.auth)
    rows = Gold.objects.filter(item__project=found).exclude(item__in=hidden).select_related("item")
    rows = rows.prefetch_related("item__past_gold")
    if after is not None:
        rows = rows.filter(item__position__gt=after)
    return GoldsOut.page(found, list(rows.order_by("item__position")[: limit + 1]), limit)
