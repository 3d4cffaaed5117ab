"""Settling what is right: gold labels, with how each word came to its label."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from unicodedata import category

from django.db import transaction

from annotation.batches import in_batches
from annotation.models import Annotation, Gold, GoldEnd, Item, PastGold, Project
from annotation.models.gold import LONGEST_NOTE
from annotation.selectors.adjudication.cases import (
    AdjudicationBoard,
    Case,
    adjudication_board,
    cases_of,
    is_single,
    needs_no_decision,
)
from annotation.selectors.adjudication.standing import (
    CHOSEN,
    Said,
    Standing,
    how_agreed,
    standing_edge,
    standing_label,
)
from annotation.services.answers import caption_gone
from annotation.services.projects import ProjectAct
from annotation.spans import OUTSIDE, spans_of_words
from earmark.captions.faults import in_quotes
from leaderboard.models import User
from leaderboard.web.refusals import Refused


class CaseChanged(Refused):
    """Someone settled the caption otherwise, or an annotation of it changed, meanwhile."""

    def __init__(self, case: Case) -> None:
        super().__init__(
            "This caption was settled, or its annotations changed, while you had it open. Check "
            "it again and choose."
        )
        self.case = case


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person chose for words of a caption (numbers from 0), and why.

    ``choices`` has labels; words that it lacks keep what stands. ``edges`` tells whether a
    span begins at a word or goes on from the word before, which counts where both have one
    label. ``seen`` is the stamp of the case that was looked at.
    """

    choices: Mapping[int, str]
    seen: str
    edges: Mapping[int, bool] = field(default_factory=dict)
    note: str = ""


def _lock(item: Item) -> None:
    """Annotations of the caption change under the same lock. Raises ``Http404``."""
    if not Item.objects.select_for_update(no_key=True).filter(pk=item.pk):
        raise caption_gone()


@transaction.atomic
def gold_decide(*, item: Item, decision: Decision, by: User, now: datetime) -> Gold:
    """Settle a caption, or correct it; raises ``CaseChanged`` where another one was seen.

    What was settled before stays as past. Nobody decides a caption that they
    labelled, unless the project allows it: they would be judge in their own cause.
    Of two people who settle it at once the second is refused, unless both
    choose the same: then the first one's decision stands.
    """
    _lock(item)
    # Its labels may have changed while this waited.
    item.project.refresh_from_db(fields=["scheme"])
    _require_other(item, by)
    note = _short("note", decision.note)
    case = cases_of(item.project, [item.pk])[0]
    if not case.decidable:
        raise Refused(
            "This caption is not ready: others are still labelling it, or fewer than two people "
            "have accepted it.",
            status=422,
        )
    gold = _gold(case, decision, frozenset(item.project.scheme.names), by=by, now=now)
    gold.note = note
    was = case.gold
    same = was is not None and (was.labels, was.spans) == (gold.labels, gold.spans)
    if was is not None and same and not case.outdated and note in {"", was.note}:
        return was
    if case.stamp != decision.seen:
        raise CaseChanged(case)
    _end(case, GoldEnd.REPLACED, by=by, now=now)
    gold.save(force_insert=True)
    return gold


def _require_other(item: Item, by: User) -> None:
    own = Annotation.objects.filter(item=item, user=by)
    if not item.project.settle_own and own.exists():
        raise Refused(
            "You labelled this caption yourself, so someone else decides it. "
            "A manager of the project can allow adjudicators to decide their own.",
            status=422,
        )


def note_cleaned(text: str) -> str:
    """A note on one line, without what nobody types and databases refuse."""
    typed = (mark for mark in text if mark.isspace() or category(mark) != "Cc")
    return " ".join("".join(typed).split())


def _short(what: str, text: str) -> str:
    text = note_cleaned(text)
    if len(text) > LONGEST_NOTE:
        raise Refused(
            f"The {what} {in_quotes(text)} has {len(text):,} characters. "
            f"Shorten it to {LONGEST_NOTE}.",
            status=422,
        )
    return text


def _gold(
    case: Case, decision: Decision, names: frozenset[str], *, by: User | None, now: datetime
) -> Gold:
    """What the caption is settled as, unsaved. Refused where the decision does not fit it."""
    for word in (*decision.choices, *decision.edges):
        if not 0 <= word < len(case.words):
            raise Refused(
                f"There is no word {word}. The caption has {len(case.words)} words, counted from "
                "0.",
                status=422,
            )
    for label in decision.choices.values():
        if label not in names and label != OUTSIDE:
            known = ", ".join([*sorted(names), OUTSIDE])
            raise Refused(
                f"There is no label {in_quotes(label)}. Choose from: {known}.", status=422
            )
    words = range(len(case.words))
    labels = _complete(case, [_label(case, word, decision.choices.get(word), by) for word in words])
    label_names = [label.said for label in labels]
    edges = _complete_edges(
        case, [_edge(case, word, label_names, decision.edges.get(word), by) for word in words]
    )
    return Gold(
        item_id=case.item,
        labels=label_names,
        spans=spans_of_words(label_names, [edge.said for edge in edges], case.tokens),
        provenance=_provenance(case, labels, edges),
        settled_by=by,
        settled_at=now,
        scheme_id=case.scheme,
    )


def _provenance(
    case: Case, labels: Sequence[Standing[str]], edges: Sequence[Standing[bool]]
) -> list[dict[str, Any]]:
    """How each word came to its label and each span to its edge, as ``Gold`` keeps it."""
    rows = zip(labels, edges, case.votes_of_words, case.edges_of_words, strict=True)
    return [
        {
            "how": label.how,
            "by": label.by,
            "from": [int(key) for key, name in votes.items() if name == label.said],
            "votes": votes,
            "edge": {"how": edge.how, "by": edge.by, "votes": begins},
        }
        for label, edge, votes, begins in rows
    ]


def _label(case: Case, word: int, choice: str | None, by: User | None) -> Standing[str] | None:
    standing = standing_label(case, word)
    return _decided(case, standing, choice, {vote.labels[word] for vote in case.votes}, by)


def _decided(
    case: Case,
    standing: Standing[Said] | None,
    choice: Said | None,
    votes: Collection[Said],
    by: User | None,
) -> Standing[Said] | None:
    """What was chosen where it is another than what stands; agreed where all say so."""
    if choice is None or (standing is not None and standing.said == choice):
        return standing
    if set(votes) == {choice}:
        return Standing(choice, how_agreed(case))
    return Standing(choice, CHOSEN, by.pk if by else None)


def _complete(case: Case, labels: list[Standing[str] | None]) -> tuple[Standing[str], ...]:
    missing = [word for word, label in zip(case.words, labels, strict=True) if label is None]
    if missing:
        words = ", ".join(in_quotes(word) for word in missing)
        raise Refused(f"Choose a label for every word in dispute; still open: {words}.", status=422)
    return tuple(label for label in labels if label is not None)


def _edge(
    case: Case, word: int, labels: list[str], choice: bool | None, by: User | None
) -> Standing[bool] | None:
    if word == 0 or labels[word] != labels[word - 1] or labels[word] == OUTSIDE:
        return Standing(labels[word] != OUTSIDE, how_agreed(case))
    standing = standing_edge(case, word, labels[word])
    votes = case.edge_votes(word, labels[word]).values()
    return _decided(case, standing, choice, set(votes), by)


def _complete_edges(case: Case, edges: list[Standing[bool] | None]) -> tuple[Standing[bool], ...]:
    missing = [
        f"between {in_quotes(case.words[word - 1])} and {in_quotes(case.words[word])}"
        for word, edge in enumerate(edges)
        if edge is None
    ]
    if missing:
        raise Refused(
            "Choose one span or two wherever annotators disagree; still open: "
            f"{', '.join(missing)}.",
            status=422,
        )
    return tuple(edge for edge in edges if edge is not None)


@transaction.atomic
def gold_accept_unanimous(
    *, project: Project, by: User | None, now: datetime, board: AdjudicationBoard | None = None
) -> int:
    """Settle every caption on whose words all agree; return how many there were.

    A caption that a person decided is left as it is, even where all agree now.
    ``board`` is what the caller has read of the project, which is not read again.
    """
    items = [case.item for case in (board or adjudication_board(project)).agreed]
    return _settle_all(project, items, needs_no_decision, by, now)


@transaction.atomic
def gold_accept_single(*, project: Project, by: User, now: datetime) -> int:
    """Take the captions that one person alone had to label as settled; return how many."""
    items = [case.item for case in adjudication_board(project).single]
    return _settle_all(project, items, is_single, by, now)


def _settle_all(
    project: Project,
    items: list[int],
    still: Callable[[Case], bool],
    by: User | None,
    now: datetime,
) -> int:
    count = 0
    for part in in_batches(items):
        # Read again under the lock; always in one order, so that two at once do not block
        # each other for ever.
        locked = Item.objects.select_for_update(no_key=True).filter(pk__in=part).order_by("pk")
        there = list(locked.values_list("pk", flat=True))
        cases = [case for case in cases_of(project, there) if still(case)]
        for case in cases:
            _end(case, GoldEnd.RENEWED, by=by, now=now)
        # What all say, whatever was settled before; nobody chooses any of it.
        unsettled = [replace(case, gold=None) for case in cases]
        Gold.objects.bulk_create(
            _gold(case, Decision({}, seen=""), frozenset(), by=by, now=now) for case in unsettled
        )
        count += len(cases)
    return count


def past_gold(
    gold: Gold, end: GoldEnd, *, by: User | None, now: datetime, reason: str = ""
) -> PastGold:
    """The unsaved row of what was settled until now."""
    return PastGold(
        item_id=gold.item_id,
        labels=gold.labels,
        spans=gold.spans,
        provenance=gold.provenance,
        settled_by_id=gold.settled_by_id,
        settled_at=gold.settled_at,
        note=gold.note,
        scheme_id=gold.scheme_id,
        end=end,
        reason=reason,
        ended_by=by,
        ended_at=now,
    )


def _end(case: Case, end: GoldEnd, *, by: User | None, now: datetime, reason: str = "") -> None:
    """Make what is settled of a caption past; nothing where nothing is."""
    gold = case.gold
    if gold is None:
        return
    past_gold(gold, end, by=by, now=now, reason=reason).save()
    gold.delete()


@transaction.atomic
def gold_reopen(*, item: Item, by: User, now: datetime, seen: str, reason: str = "") -> None:
    """Take back what is settled of a caption, also where all agree.

    It stays as past, with who took it back and why. The caption waits for a person, who
    decides even where all agree. ``seen`` is the stamp of the case that was looked at; else
    it is ``CaseChanged``. Where nothing is settled it is done.
    """
    _lock(item)
    _require_other(item, by)
    reason = _short("reason", reason)
    case = cases_of(item.project, [item.pk])[0]
    if case.gold is None:
        return
    if case.stamp != seen:
        raise CaseChanged(case)
    _end(case, GoldEnd.TAKEN_BACK, by=by, now=now, reason=reason)
    ProjectAct(by, now).note("take-back", item.project, caption=item.position + 1, reason=reason)
