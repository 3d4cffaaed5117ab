"""What waits for a decision, decisions, and what is settled."""

from django.utils import timezone
from ninja import P, QueryEx, Router, Status

from annotation import access
from annotation.api.schemas.adjudication import (
    CaseOut,
    DecisionIn,
    DisputesOut,
    GoldOut,
    GoldsOut,
    MovedOut,
)
from annotation.models import Gold, Role
from annotation.selectors.adjudication.cases import adjudication_board_for
from annotation.selectors.tasks import unanswered_gold_items
from annotation.services.adjudication import (
    CaseChanged,
    Decision,
    GoldFault,
    gold_accept_unanimous,
    gold_decide,
)
from leaderboard.web.api_auth import KNOWN, UserRequest
from leaderboard.web.api_errors import READ_ERRORS, WRITE_ERRORS, ApiError, Faulty

router = Router(tags=["Labelling"])
# Places in a project; more digits than a database's own numbers have mean none.
_MOST = 2**31


@router.get(
    "/labelling/{slug:project}/disputes",
    auth=KNOWN,
    response={200: DisputesOut, **READ_ERRORS, 422: Faulty},
    operation_id="labelling_disputes",
    summary="Read what waits for a decision",
)
def disputes(
    request: UserRequest, project: str, limit: QueryEx[int, P(ge=1, le=200)] = 50
) -> DisputesOut:
    """The captions with words in dispute, for adjudicators; who said what is not told.

    Nor are captions that you may still label, nor those that you labelled where the
    project wants others to decide them.
    """
    found = access.project_for(request.auth, project, role=Role.ADJUDICATOR)
    board = adjudication_board_for(found, request.auth)
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
    item = access.item_to_decide(request.auth, project, item_id)
    decision = Decision({choice.word: choice.label for choice in told.choices}, told.seen)
    now = timezone.now()
    try:
        gold = gold_decide(item=item, decision=decision, by=request.auth, now=now)
    except GoldFault as fault:
        raise ApiError(422, str(fault), faults=[]) from fault
    except CaseChanged as moved:
        return Status(409, MovedOut(detail=str(moved), current=CaseOut.of(moved.case)))
    gold_accept_unanimous(project=item.project, by=request.auth, now=now)
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
    """Settled captions with how each word came to its label, for adjudicators.

    Captions that you may still label are left out.
    """
    found = access.project_for(request.auth, project, role=Role.ADJUDICATOR)
    hidden = unanswered_gold_items(found, request.auth)
    rows = Gold.objects.filter(item__project=found).exclude(item__in=hidden).select_related("item")
    rows = rows.prefetch_related("item__past_gold")
    if after is not None:
        rows = rows.filter(item__position__gt=after)
    return GoldsOut.page(found, list(rows.order_by("item__position")[: limit + 1]), limit)
