"""What waits for a decision, decisions, and what is settled."""

from datetime import datetime
from typing import Annotated, Any

from django.http import Http404
from django.utils import timezone
from ninja import P, QueryEx, Router, Schema, Status
from pydantic import AfterValidator, Field

from annotation import access
from annotation.models import Gold, GoldEnd, Item, Lateness, PastGold, Project, Role
from annotation.models.gold import LONGEST_NOTE
from annotation.selectors.adjudication.cases import Case, adjudication_board_for, case_for
from annotation.selectors.adjudication.questions import letters_of
from annotation.selectors.tasks import unanswered_gold_items
from annotation.services.adjudication import (
    CaseChanged,
    Decision,
    gold_accept_unanimous,
    gold_decide,
    gold_reopen,
    note_cleaned,
)
from annotation.services.answers import agreement_note_shown
from leaderboard.models import User
from leaderboard.web.api_auth import KNOWN, UserRequest

Note = Annotated[str, AfterValidator(note_cleaned)]


class VoteOut(Schema):
    """What one person says of a caption; letters tell nothing of who it is."""

    letter: str
    labels: list[str]
    spans: list[dict[str, Any]] = Field(description="The spans as they were drawn.")
    comment: str
    late: Lateness = Field(
        description='"shown" or "settled": changed after agreement had been shown, or after the '
        "caption had been settled."
    )


def _name(user: User | None) -> str | None:
    return None if user is None else user.get_username()


class PastGoldOut(Schema):
    """What was settled of a caption once."""

    labels: list[str]
    spans: list[dict[str, Any]]
    provenance: list[dict[str, Any]]
    settled_by: str | None = Field(description="User name of who settled it.")
    settled_at: datetime
    note: str = Field(description="What who settled it said of why.")
    end: GoldEnd = Field(description="Why it is no longer settled.")
    reason: str = Field(description="What who took it back said of it.")
    ended_by: str | None = Field(description="User name of who ended it.")
    ended_at: datetime

    @classmethod
    def of(cls, row: PastGold) -> "PastGoldOut":
        """Describe what was settled once."""
        return cls(
            labels=row.labels,
            spans=row.spans,
            provenance=row.provenance,
            settled_by=_name(row.settled_by),
            settled_at=row.settled_at,
            note=row.note,
            end=GoldEnd(row.end),
            reason=row.reason,
            ended_by=_name(row.ended_by),
            ended_at=row.ended_at,
        )


class CaseOut(Schema):
    """A caption to decide."""

    item: int
    words: list[str]
    disputed: list[int] = Field(description="The words that need a choice of label, from 0.")
    disputed_edges: list[int] = Field(
        description="The words that need a choice of whether a span begins there: those who give "
        "them and the word before the same label differ on it."
    )
    votes: list[VoteOut]
    outdated: bool = Field(description="Settled before, and annotations have changed since.")
    reopened: bool = Field(
        description="Taken back, so that a person decides it even where all agree."
    )
    gold: list[str] | None = Field(description="The labels that are settled now.")
    gold_spans: list[dict[str, Any]] | None = Field(description="The spans that are settled now.")
    note: str = Field(description="Why they are settled so, where anybody said.")
    past: list[PastGoldOut] = Field(description="What was settled once, latest first.")
    seen: str = Field(description="Send it with your decision.")

    @classmethod
    def of(cls, case: Case) -> "CaseOut":
        """Describe a case."""
        return cls(
            item=case.item,
            words=list(case.words),
            disputed=list(case.disputed),
            disputed_edges=list(case.disputed_edges),
            votes=[
                VoteOut(
                    letter=letter,
                    labels=list(vote.labels),
                    spans=list(vote.spans),
                    comment=vote.comment,
                    late=vote.late,
                )
                for letter, vote in zip(letters_of(case), case.votes, strict=True)
            ],
            outdated=case.outdated,
            reopened=case.reopened,
            gold=None if case.gold is None else list(case.gold.labels),
            gold_spans=None if case.gold is None else list(case.gold.spans),
            note="" if case.gold is None else case.gold.note,
            past=[PastGoldOut.of(row) for row in case.past],
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


class EdgeIn(Schema):
    """Whether a span begins at a word that has the same label as the word before it."""

    word: int = Field(ge=1, description="Number of the word, from 0.")
    begins: bool = Field(description="false: the span of the word before goes on.")


class DecisionIn(Schema):
    """Labels of words, and where spans begin: all that is in dispute, and corrections.

    What is not named stays as it is settled, or as all say.
    """

    seen: str = Field(max_length=40, description="As it came with the caption.")
    choices: list[ChoiceIn] = Field(max_length=1000)
    edges: list[EdgeIn] = Field(default=[], max_length=1000)
    note: Note = Field("", max_length=LONGEST_NOTE, description="Why it is settled so.")


class ReopeningIn(Schema):
    """Taking back what is settled."""

    seen: str = Field(max_length=40, description="As it came with the caption.")
    reason: Note = Field("", max_length=LONGEST_NOTE, description="Why it is taken back.")


class GoldOut(Schema):
    """What is settled of a caption."""

    item: int
    position: int
    text: str
    labels: list[str]
    spans: list[dict[str, Any]]
    provenance: list[dict[str, Any]] = Field(
        description='For each word: "how" (agreed, chosen, single), "by" (id of who chose), '
        '"from" (annotations with this label), "votes" (what each annotation said then), '
        '"edge" ("how" and "by" the span got or lost its edge here, "votes": whether a span of '
        "each annotation began here then)."
    )
    settled_by: str | None = Field(description="User name of who settled it.")
    settled_at: datetime
    note: str = Field(description="What who settled it said of why.")
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
            settled_by=_name(gold.settled_by),
            settled_at=gold.settled_at,
            note=gold.note,
            past=[PastGoldOut.of(row) for row in gold.item.past_gold.all()],
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


@router.get(
    "/labelling/{slug:project}/items/{int:item_id}/gold",
    auth=KNOWN,
    response={200: CaseOut},
    operation_id="labelling_case",
    summary="Read what people say of a caption, what is settled and what was",
)
def case_read(request: UserRequest, project: str, item_id: int) -> CaseOut:
    """A caption to decide, correct or reopen, for adjudicators; who said what is not told.

    One that you may still label, or that is neither labelled through nor settled, is not found.
    """
    item = access.item_to_decide(request.auth, project, item_id)
    case = _case_shown(item, request.auth)
    # Who labelled it knows now what others say of it.
    agreement_note_shown(project=item.project, user=request.auth, now=timezone.now())
    return CaseOut.of(case)


def _case_shown(item: Item, user: User) -> Case:
    case = case_for(item, user)
    if case is None:
        raise Http404
    return case


@router.put(
    "/labelling/{slug:project}/items/{int:item_id}/gold",
    auth=KNOWN,
    response={200: GoldOut, 409: MovedOut},
    operation_id="labelling_settle",
    summary="Decide what is in dispute of a caption, or correct any word of it",
)
def settle(
    request: UserRequest, project: str, item_id: int, told: DecisionIn
) -> GoldOut | Status[MovedOut]:
    """Keep a decision; captions on which all agree are settled with it."""
    item = access.item_to_decide(request.auth, project, item_id)
    decision = Decision(
        choices={choice.word: choice.label for choice in told.choices},
        seen=told.seen,
        edges={edge.word: edge.begins for edge in told.edges},
        note=told.note,
    )
    now = timezone.now()
    try:
        gold = gold_decide(item=item, decision=decision, by=request.auth, now=now)
    except CaseChanged as moved:
        return Status(409, MovedOut(detail=str(moved), current=CaseOut.of(moved.case)))
    gold_accept_unanimous(project=item.project, by=request.auth, now=now)
    return GoldOut.of(gold)


@router.post(
    "/labelling/{slug:project}/items/{int:item_id}/gold/reopen",
    auth=KNOWN,
    response={204: None, 409: MovedOut},
    operation_id="labelling_reopen",
    summary="Take back what is settled of a caption",
)
def reopen(
    request: UserRequest, project: str, item_id: int, told: ReopeningIn
) -> Status[MovedOut] | Status[None]:
    """What was settled stays as past, and a person has to decide; where nothing is, it is done."""
    item = access.item_to_decide(request.auth, project, item_id)
    _case_shown(item, request.auth)
    now = timezone.now()
    try:
        gold_reopen(item=item, by=request.auth, now=now, seen=told.seen, reason=told.reason)
    except CaseChanged as moved:
        return Status(409, MovedOut(detail=str(moved), current=CaseOut.of(moved.case)))
    return Status(204, None)


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
    rows = Gold.objects.filter(item__project=found).exclude(item__in=hidden)
    rows = rows.select_related("item", "settled_by").prefetch_related(
        "item__past_gold__settled_by", "item__past_gold__ended_by"
    )
    if after is not None:
        rows = rows.filter(item__position__gt=after)
    return GoldsOut.page(found, list(rows.order_by("item__position")[: limit + 1]), limit)
