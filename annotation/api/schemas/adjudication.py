"""Disputes, decisions and what is settled, as the API gives and takes them."""

from datetime import datetime
from typing import Any

from ninja import Schema
from pydantic import Field

from annotation.models import Gold, GoldEnd, Lateness, Project
from annotation.selectors.adjudication.cases import Case
from annotation.selectors.adjudication.questions import letters_of


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
            project=project.slug,
            gold=[GoldOut.of(row) for row in rows[:limit]],
            next=following,
        )


class MovedOut(Schema):
    """Settled otherwise, or annotations changed, meanwhile."""

    detail: str
    current: CaseOut
