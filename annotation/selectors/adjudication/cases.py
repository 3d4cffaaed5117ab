"""Captions as adjudicators see them: everyone's labels of each word, and what is settled."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

from django.db.models import Count, Q, QuerySet

from annotation.agreement.captions import letter_order, word_labels
from annotation.models import Annotation, Answer, Gold, Item, Lateness, PastGold, Project
from annotation.selectors.tasks import own_answered_items, unanswered_gold_items
from leaderboard.models import User

# An annotation as it is read: id, spans, comment, whether it was changed late.
_Row = tuple[int, list[dict[str, Any]], str, str]


@dataclass(frozen=True, slots=True)
class Vote:
    """What an accepted annotation that counts says of a caption: one label per word."""

    annotation: int
    labels: tuple[str, ...]
    spans: tuple[dict[str, Any], ...]
    comment: str = ""
    late: Lateness = Lateness.NO


@dataclass(frozen=True)
class Case:
    """A caption with its votes, in an order that tells nothing of who cast them.

    ``complete``: nobody else is going to label it. ``gold`` is what is settled,
    None where nothing is; ``past`` what was settled before, latest first.
    """

    item: int
    position: int
    words: tuple[str, ...]
    tokens: tuple[dict[str, Any], ...]
    votes: tuple[Vote, ...]
    copies: int
    complete: bool
    gold: Gold | None
    past: tuple[PastGold, ...] = ()

    @cached_property
    def disputed(self) -> tuple[int, ...]:
        """The words that not all label alike, from 0."""
        every = zip(*(vote.labels for vote in self.votes), strict=True)
        return tuple(number for number, labels in enumerate(every) if len(set(labels)) > 1)

    @property
    def share(self) -> float:
        """Share of the words that are in dispute."""
        return len(self.disputed) / len(self.words) if self.words else 0.0

    @property
    def votes_of_words(self) -> list[dict[str, str]]:
        """What each annotation says of each word, by the annotation's id as a text."""
        by_annotation = sorted(self.votes, key=lambda vote: vote.annotation)
        return [
            {str(vote.annotation): vote.labels[number] for vote in by_annotation}
            for number in range(len(self.words))
        ]

    @property
    def ready(self) -> bool:
        """Whether it can be settled: several accepted it, and nobody else is going to."""
        return self.complete and len(self.votes) > 1

    @property
    def outdated(self) -> bool:
        """Whether annotations say of a word what they did not say when it was settled."""
        if self.gold is None:
            return False
        stored: list[dict[str, Any]] = self.gold.provenance
        votes = [row.get("votes") for row in stored]
        # What was settled elsewhere, and brought in, says nothing of votes.
        return None not in votes and votes != self.votes_of_words

    @property
    def decided(self) -> bool:
        """Whether a person chose the label of a word of what is settled."""
        stored: list[dict[str, Any]] = self.gold.provenance if self.gold else []
        return any(row.get("how") == "chosen" for row in stored)

    @property
    def stamp(self) -> str:
        """Change with every vote and with what is settled."""
        gold = self.gold and (self.gold.labels, self.gold.settled_at.isoformat())
        return sha256(repr((self.votes_of_words, gold)).encode()).hexdigest()[:24]


def cases_of(project: Project, items: Iterable[int] | None = None) -> list[Case]:
    """Read the captions of a project (or some of them), in its order, in four queries."""
    chosen = Item.objects.filter(project=project)
    if items is not None:
        chosen = chosen.filter(pk__in=list(items))
    votes = _votes(chosen)
    golds = {gold.item_id: gold for gold in Gold.objects.filter(item__in=chosen)}
    past = defaultdict(list)
    for row in PastGold.objects.filter(item__in=chosen).select_related("settled_by", "ended_by"):
        past[row.item_id].append(row)
    rows = (
        chosen.annotate(open=Count("assignments", filter=Q(assignments__done=False)))
        .order_by("position")
        .values_list("pk", "position", "tokens", "copies", "open")
    )
    return [
        Case(
            item=pk,
            position=position,
            words=tuple(str(token["text"]) for token in tokens),
            tokens=tuple(tokens),
            votes=_blind(pk, votes.get(pk, []), len(tokens)),
            copies=copies,
            complete=project.closed or waiting == 0,
            gold=golds.get(pk),
            past=tuple(past[pk]),
        )
        for pk, position, tokens, copies, waiting in rows
    ]


def _votes(chosen: QuerySet[Item]) -> dict[int, list[_Row]]:
    found = defaultdict(list)
    rows = Annotation.objects.filter(
        item__in=chosen, answer=Answer.ACCEPT, assignment__isnull=False
    )
    for pk, item, spans, comment, late in rows.values_list(
        "pk", "item", "spans", "comment", "late"
    ):
        found[item].append((pk, spans, comment, late))
    return found


def _blind(item: int, rows: Iterable[_Row], words: int) -> tuple[Vote, ...]:
    """Put votes in the order of the letters."""
    return tuple(
        Vote(pk, word_labels(spans, words), tuple(spans), comment, Lateness(late))
        for pk, spans, comment, late in sorted(rows, key=lambda row: letter_order(item, row[0]))
    )


@dataclass(frozen=True)
class AdjudicationBoard:
    """The captions of a project by how far they are settled.

    ``open`` wait for a decision, the greatest share of disputed words first;
    ``outdated`` were settled before an annotation changed; ``agreed`` are not
    settled although all say the same; ``single`` one person alone had to label;
    ``waiting`` counts those that others still label, ``yours`` those left out
    since who looks may still label them, ``own`` those left out since who looks
    labelled them.
    """

    open: tuple[Case, ...]
    outdated: tuple[Case, ...]
    agreed: tuple[Case, ...]
    settled: tuple[Case, ...]
    single: tuple[Case, ...]
    waiting: int
    yours: int = 0
    own: int = 0

    def without(self, hidden: frozenset[int]) -> "AdjudicationBoard":
        """Leave out settled captions that who looks may still label; ``yours`` counts them."""
        outdated, settled = (
            tuple(case for case in cases if case.item not in hidden)
            for cases in (self.outdated, self.settled)
        )
        return replace(self, outdated=outdated, settled=settled, yours=len(hidden))

    def of_others(self, own: frozenset[int]) -> "AdjudicationBoard":
        """Leave out what waits for a decision on captions that who looks labelled."""
        left, outdated = (
            tuple(case for case in cases if case.item not in own)
            for cases in (self.open, self.outdated)
        )
        gone = len(self.to_decide) - len(left) - len(outdated)
        return replace(self, open=left, outdated=outdated, own=gone)

    @property
    def to_decide(self) -> tuple[Case, ...]:
        """What a person has to look at, in this order."""
        return (*self.open, *self.outdated)

    @property
    def share(self) -> float:
        """Share settled of what several people labelled through."""
        every = len(self.to_decide) + len(self.agreed) + len(self.settled)
        return len(self.settled) / every if every else 0.0


def adjudication_board(project: Project) -> AdjudicationBoard:
    """Sort the captions of a project by how far they are settled."""
    cases = cases_of(project)
    unsettled = [case for case in cases if case.gold is None]
    ready = [case for case in unsettled if case.ready]
    outdated = [case for case in cases if case.outdated]
    return AdjudicationBoard(
        open=tuple(
            sorted(
                (case for case in ready if case.disputed),
                key=lambda case: (-case.share, case.position),
            )
        ),
        outdated=tuple(case for case in outdated if not needs_no_decision(case)),
        agreed=tuple(case for case in cases if needs_no_decision(case)),
        settled=tuple(case for case in cases if case.gold and not case.outdated),
        single=tuple(case for case in unsettled if is_single(case)),
        waiting=sum(case.copies > 1 and not case.complete for case in unsettled),
    )


def adjudication_board_for(project: Project, user: User) -> AdjudicationBoard:
    """The board as ``user`` may see it.

    Without settled captions that they may still label, and without the decisions on captions
    that they labelled.
    """
    board = adjudication_board(project).without(unanswered_gold_items(project, user))
    return board.of_others(own_answered_items(project, user))


def is_single(case: Case) -> bool:
    """Whether one person alone had to label it, has done so, and it is not settled."""
    return case.gold is None and case.copies == 1 and len(case.votes) == 1


def needs_no_decision(case: Case) -> bool:
    """Whether all agree and no decision of a person would be overwritten."""
    if not case.ready or case.disputed:
        return False
    return case.gold is None or (case.outdated and not case.decided)
