"""Captions as adjudicators see them: everyone's labels of each word, and what is settled."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

from django.db.models import Count, Q, QuerySet

from annotation.agreement.captions import letter_order, word_labels, word_starts
from annotation.models import Annotation, Answer, Gold, GoldEnd, Item, Lateness, PastGold, Project
from annotation.selectors.tasks import own_answered_items, unanswered_gold_items
from annotation.spans import OUTSIDE, places_of
from leaderboard.models import User

# An annotation as it is read: id, spans, comment, whether it was changed late.
_Row = tuple[int, list[dict[str, Any]], str, str]


@dataclass(frozen=True, slots=True)
class Vote:
    """What an accepted annotation that counts says of a caption.

    ``labels`` has one label per word, ``starts`` whether a span begins at the word.
    """

    annotation: int
    labels: tuple[str, ...]
    starts: tuple[bool, ...]
    spans: tuple[dict[str, Any], ...]
    comment: str = ""
    late: Lateness = Lateness.NO


@dataclass(frozen=True)
class Case:
    """A caption with its votes, in an order that tells nothing of who cast them.

    ``scheme`` is the version by which its labels are read.
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
    scheme: int | None = None

    @cached_property
    def disputed(self) -> tuple[int, ...]:
        """The words that not all label alike, from 0."""
        every = zip(*(vote.labels for vote in self.votes), strict=True)
        return tuple(number for number, labels in enumerate(every) if len(set(labels)) > 1)

    @cached_property
    def disputed_edges(self) -> tuple[int, ...]:
        """The words, from 0, of which people differ on whether a span begins there.

        Only those count who give the word and the one before it the same label.
        """
        return tuple(
            word
            for word in range(1, len(self.words))
            if any(
                len(set(self.edge_votes(word, label).values())) > 1
                for label in {vote.labels[word] for vote in self.votes}
            )
        )

    def edge_votes(self, word: int, label: str) -> dict[int, bool]:
        """Whether a span begins at a word, by annotation.

        Of those annotations that give it and the word before it this label.
        """
        if word == 0 or label == OUTSIDE:
            return {}
        return {
            vote.annotation: vote.starts[word]
            for vote in self.votes
            if vote.labels[word - 1] == label == vote.labels[word]
        }

    @cached_property
    def in_dispute(self) -> tuple[int, ...]:
        """The words on whose label, or on whether a span begins there, people differ."""
        if len({(vote.labels, vote.starts) for vote in self.votes}) < 2:
            return ()
        return tuple(sorted({*self.disputed, *self.disputed_edges}))

    @property
    def share(self) -> float:
        """Share of the words that are in dispute."""
        return len(self.in_dispute) / len(self.words) if self.words else 0.0

    @property
    def votes_of_words(self) -> list[dict[str, str]]:
        """What each annotation says of each word, by the annotation's id as a text."""
        return [
            {str(vote.annotation): vote.labels[number] for vote in self._by_annotation}
            for number in range(len(self.words))
        ]

    @property
    def edges_of_words(self) -> list[dict[str, bool]]:
        """Whether a span of each annotation begins at each word, by its id as a text."""
        return [
            {str(vote.annotation): vote.starts[number] for vote in self._by_annotation}
            for number in range(len(self.words))
        ]

    @cached_property
    def _by_annotation(self) -> list[Vote]:
        return sorted(self.votes, key=lambda vote: vote.annotation)

    @property
    def ready(self) -> bool:
        """Whether people have labelled it through: several accepted it, nobody else is going to."""
        return self.complete and len(self.votes) > 1

    @property
    def reopened(self) -> bool:
        """Whether a person took back what was settled: then it does not settle itself again."""
        return self.gold is None and bool(self.past) and self.past[0].end == GoldEnd.TAKEN_BACK

    @property
    def decidable(self) -> bool:
        """Whether a person can decide it: labelled through, settled, or settled and reopened."""
        known = self.gold is not None or (self.reopened and bool(self.votes))
        return self.ready or (self.complete and known)

    @property
    def outdated(self) -> bool:
        """Whether annotations say of a word what they did not say when it was settled."""
        stored: list[dict[str, Any]] = self.gold.provenance if self.gold else []
        votes = [row.get("votes") for row in stored]
        edges = [row["edge"].get("votes") for row in stored if "edge" in row]
        # What was settled elsewhere and brought in says nothing of votes, and what was settled
        # before edges were compared nothing of edges.
        changed = self.gold is not None and None not in votes and votes != self.votes_of_words
        return changed or (len(edges) == len(stored) > 0 and edges != self.edges_of_words)

    @property
    def waits_for_decision(self) -> bool:
        """Whether a person has to decide it, for the first time or again."""
        if self.gold is None:
            return self.decidable and bool(self.in_dispute or self.reopened)
        return self.outdated and not needs_no_decision(self)

    @property
    def decided(self) -> bool:
        """Whether a person decided what is settled, and nobody's agreement alone."""
        return self.gold is not None and by_person(self.gold, self.past[0] if self.past else None)

    @property
    def stamp(self) -> str:
        """Change with every vote, with what is settled and with each time that it ended."""
        gold = self.gold and (
            self.gold.labels,
            sorted(places_of(self.gold.spans)),
            self.gold.settled_at.isoformat(),
        )
        state = (self.votes_of_words, self.edges_of_words, gold, len(self.past))
        return sha256(repr(state).encode()).hexdigest()[:24]


def by_person(gold: Gold | PastGold, before: PastGold | None) -> bool:
    """Whether a person chose a label or an edge, or settled what had been settled ``before``."""
    stored: list[dict[str, Any]] = gold.provenance
    hows = {how for row in stored for how in (row.get("how"), row.get("edge", {}).get("how"))}
    return "chosen" in hows or (before is not None and before.end != GoldEnd.RENEWED)


def cases_of(
    project: Project, items: Iterable[int] | None = None, *, removed: bool = False
) -> list[Case]:
    """Read the captions of a project (or some of them), in its order, in four queries.

    With ``removed`` those that were removed are among them.
    """
    rows_of = Item.with_removed if removed else Item.objects
    chosen = rows_of.filter(project=project)
    if items is not None:
        chosen = chosen.filter(pk__in=list(items))
    votes = _votes(chosen)
    golds = {gold.item_id: gold for gold in Gold.with_removed.filter(item__in=chosen)}
    past = defaultdict(list)
    # What labels have changed of is the same decision, which stands or is past by itself.
    ended = PastGold.with_removed.filter(item__in=chosen).exclude(end=GoldEnd.RELABELLED)
    for row in ended.select_related("settled_by", "ended_by"):
        past[row.item_id].append(row)
    rows = (
        chosen.annotate(
            open=Count("assignments", filter=Q(assignments__done=False, assignments__test=False))
        )
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
            scheme=project.scheme_id,
        )
        for pk, position, tokens, copies, waiting in rows
    ]


def _votes(chosen: QuerySet[Item]) -> dict[int, list[_Row]]:
    votes = defaultdict(list)
    rows = Annotation.with_removed.counting().filter(item__in=chosen, answer=Answer.ACCEPT)
    rows = rows.filter(test=False)
    for pk, item, spans, comment, late in rows.values_list(
        "pk", "item", "spans", "comment", "late"
    ):
        votes[item].append((pk, spans, comment, late))
    return votes


def _blind(item: int, rows: Iterable[_Row], words: int) -> tuple[Vote, ...]:
    """Put votes in the order of the letters."""
    return tuple(
        Vote(
            annotation=pk,
            labels=word_labels(spans, words),
            starts=word_starts(spans, words),
            spans=tuple(spans),
            comment=comment,
            late=Lateness(late),
        )
        for pk, spans, comment, late in sorted(rows, key=lambda row: letter_order(item, row[0]))
    )


@dataclass(frozen=True)
class AdjudicationBoard:
    """The captions of a project by how far they are settled.

    ``open`` wait for a decision, the greatest share of disputed words first, those last on
    which all agree and that were taken back;
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
    waiting = [case for case in cases if case.waits_for_decision]
    return AdjudicationBoard(
        open=tuple(
            sorted(
                (case for case in waiting if case.gold is None),
                key=lambda case: (-case.share, case.position),
            )
        ),
        outdated=tuple(case for case in waiting if case.gold is not None),
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
    board = adjudication_board(project)
    hidden, own = unanswered_gold_items(project, user), own_answered_items(project, user)
    outdated = _without(board.outdated, hidden)
    return replace(
        board,
        open=_without(board.open, own),
        outdated=_without(outdated, own),
        settled=_without(board.settled, hidden),
        yours=len(hidden),
        own=sum(case.item in own for case in (*board.open, *outdated)),
    )


def _without(cases: tuple[Case, ...], left_out: frozenset[int]) -> tuple[Case, ...]:
    return tuple(case for case in cases if case.item not in left_out)


def is_single(case: Case) -> bool:
    """Whether one person alone had to label it, has done so, and it is not settled."""
    alone = case.copies == 1 and len(case.votes) == 1
    return alone and case.gold is None and not case.reopened


def needs_no_decision(case: Case) -> bool:
    """Whether all agree and no decision of a person would be overwritten."""
    if not case.ready or case.in_dispute or case.reopened:
        return False
    return case.gold is None or (case.outdated and not case.decided)


def case_for(item: Item, user: User) -> Case | None:
    """A caption as ``user`` may see it to decide; None where what people say of it is hidden.

    That is where they may still label it, and where it is neither labelled through nor settled.
    """
    case = cases_of(item.project, [item.pk])[0]
    hidden = item.pk in unanswered_gold_items(item.project, user)
    return None if hidden or not (case.decidable or case.gold) else case
