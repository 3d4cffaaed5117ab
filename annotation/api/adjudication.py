"""What waits for a decision, decisions, and what is settled."""

from datetime import datetime
from typing import Any

from django.utils import timezone
from ninja import P, QueryEx, Router, Schema, Status
from pydantic import Field

from annotation import access
from annotation.models import Gold, GoldEnd, Lateness, Project, Role
from annotation.selectors.adjudication.cases import Case, adjudication_board_for
from annotation.selectors.adjudication.questions import letters_of
from annotation.selectors.tasks import unanswered_gold_items
from annotation.services.adjudication import (
    CaseChanged,
    Decision,
    GoldFault,
    gold_accept_unanimous,
    gold_decide,
)
from leaderboard.web.api_auth import KNOWN, UserRequest
from leaderboard.web.api_errors import ApiError


class VoteOut(Schema):
    """What one person says of a caption; letters tell nothing of who it is."""

    letter: str
    labels: list[str]
    comment: str
    late: Lateness = Field(
        description='"shown" or "settled": changed after agreement had been shown, or after the '
        "caption had been settled."
    )


class PastGoldOut(Schema):
    """What was settled of a caption once."""

    labels: list[str]
    spans: list[dict[str, Any]]
    provenance: list[dict[str, Any]]
    settled_at: datetime
    end: GoldEnd = Field(description="Why it is no longer settled.")
    reason: str = Field(description="What who took it back said of it.")
    ended_at: datetime


class CaseOut(Schema):
    """A caption to decide."""

    item: int
    words: list[str]
    disputed: list[int] = Field(description="The words that need a choice, from 0.")
    votes: list[VoteOut]
    outdated: bool = Field(description="Settled before, and annotations have changed since.")
    gold: list[str] | None = Field(description="The labels that are settled now.")
    past: list[PastGoldOut] = Field(description="What was settled once, latest first.")
    seen: str = Field(description="Send it with your decision.")

    @classmethod
    def of(cls, case: Case) -> "CaseOut":
        """Describe a case."""
        return cls(
            item=case.item,
            words=list(case.words),
            disputed=list(case.disputed),
            votes=[
                VoteOut(
                    letter=letter, labels=list(vote.labels), comment=vote.comment, late=vote.late
                )
                for letter, vote in zip(letters_of(case), case.votes, strict=True)
            ],
            outdated=case.outdated,
            gold=None if case.gold is None else list(case.gold.labels),
            past=[PastGoldOut.from_orm(row) for row in case.past],
            seen=case.stamp,
        )


class DisputesOut(Schema):
    """What waits for a decision, the greatest share of disputed words first."""

    total: int
    cases: list[CaseOut]
    agreed: int = Field(description="Captions on which all agree and that are not settled yet.")
    settled: int
    waiting: int = Field(description="Captions that others still label.")
    own: int = Field(description="Captions that others have to decide, since you labelled them.")


class ChoiceIn(Schema):
    """The label of a word; "O" for none."""

    word: int = Field(ge=0, description="Number of the word, from 0.")
    label: str = Field(max_length=80)


class DecisionIn(Schema):
    """A label for every word in dispute, and for no other."""

    seen: str = Field(max_length=40, description="As it came with the caption.")
    choices: list[ChoiceIn] = Field(max_length=1000)


class GoldOut(Schema):
    """What is settled of a caption."""

    item: int
    position: int
    text: str
    labels: list[str]
    spans: list[dict[str, Any]]
    provenance: list[dict[str, Any]] = Field(
        description='For each word: "how" (agreed, chosen, single), "by" (id of who chose), '
        '"from" (annotations with this label), "votes" (what each annotation said then).'
    )
    settled_at: datetime
    past: list[PastGoldOut] = Field(description="What was settled before, latest first.")

    @classmethod
    def of(cls, gold: Gold) -> "GoldOut":
        """Describe what is settled."""
        return cls(
            item=gold.item_id,
            position=gold.item.position,
            text=gold.item.text,
            labels=gold.labels,
            spans=gold.spans,
            provenance=gold.provenance,
            settled_at=gold.settled_at,
            past=[PastGoldOut.from_orm(row) for row in gold.item.past_gold.all()],
        )


class GoldsOut(Schema):
    """Settled captions in the order of the project; ``next`` is what to give as ``after``."""

    project: str
    gold: list[GoldOut]
    next: int | None

    @classmethod
    def page(cls, project: Project, rows: list[Gold], limit: int) -> "GoldsOut":
        """Describe a page of at most ``limit`` of ``rows``."""
        following = rows[limit - 1].item.position if len(rows) > limit else None
        return cls(
            project=project.slug, gold=[GoldOut.of(row) for row in rows[:limit]], next=following
        )


class MovedOut(Schema):
    """Settled otherwise, or annotations changed, meanwhile."""

    detail: str
    current: CaseOut


router = Router(tags=["Labelling"])
# Places in a project; more digits than a database's own numbers have mean none.
_MOST = 2**31


@router.get(
    "/labelling/{slug:project}/disputes",
    auth=KNOWN,
    response={200: DisputesOut},
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
    response={200: GoldOut, 409: MovedOut},
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
    response={200: GoldsOut},
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
