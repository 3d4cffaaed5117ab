"""Settling what is right: gold labels, with how each word came to its label."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.db import transaction

from annotation.models import Annotation, Gold, GoldEnd, Item, PastGold, Project
from annotation.selectors.adjudication.cases import (
    AdjudicationBoard,
    Case,
    adjudication_board,
    cases_of,
    is_single,
    needs_no_decision,
)
from annotation.services.projects import ProjectAct
from annotation.spans import OUTSIDE, span_of
from leaderboard.models import User

# How a word came to its label.
AGREED, CHOSEN, SINGLE = "agreed", "chosen", "single"
_AT_ONCE = 500
LONGEST_REASON = 500


class GoldFault(ValueError):
    """A decision that does not fit the caption; the text says which and why."""


class OwnCaption(GoldFault):
    """A decision on a caption by someone who labelled it."""

    def __init__(self) -> None:
        super().__init__(
            "You labelled this caption yourself, so someone else decides it. "
            "A manager of the project can allow adjudicators to decide their own."
        )


class CaseChanged(Exception):
    """Someone settled the caption otherwise, or an annotation of it changed, meanwhile."""

    def __init__(self, case: Case) -> None:
        super().__init__(
            "This caption was settled or its annotations were changed while you looked at it. "
            "Look again and choose."
        )
        self.case = case


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person chose for each word in dispute (numbers from 0).

    ``seen`` is the stamp of the case that was looked at.
    """

    choices: Mapping[int, str]
    seen: str


@transaction.atomic
def gold_decide(*, item: Item, decision: Decision, by: User, now: datetime) -> Gold:
    """Settle a caption. Raises ``GoldFault`` or ``CaseChanged``; then nothing is changed.

    What was settled before stays as past. Nobody decides a caption that they
    labelled, unless the project allows it: they would be judge in their own cause.
    Of two people who settle it at once the second is refused, unless both
    choose the same: then the first one's decision stands.
    """
    # Annotations of the caption change under the same lock.
    Item.objects.select_for_update().get(pk=item.pk)
    _require_other(item, by)
    case = cases_of(item.project, [item.pk])[0]
    labels = _labels(case, decision.choices, frozenset(item.project.scheme.names))
    if case.stamp != decision.seen:
        if case.gold is not None and not case.outdated and case.gold.labels == labels:
            return case.gold
        raise CaseChanged(case)
    _end(case, GoldEnd.REPLACED, by=by, now=now)
    gold = _gold(
        case, labels, lambda number: CHOSEN if number in case.disputed else AGREED, by=by, now=now
    )
    gold.save(force_insert=True)
    return gold


def _require_other(item: Item, by: User) -> None:
    own = Annotation.objects.filter(item=item, user=by)
    if not item.project.settle_own and own.exists():
        raise OwnCaption


def _labels(case: Case, choices: Mapping[int, str], names: frozenset[str]) -> list[str]:
    if not case.ready:
        raise GoldFault("This caption is not ready: fewer than two people have accepted it so far.")
    for number, label in choices.items():
        if number not in case.disputed:
            raise GoldFault(f"Word {number} is not in dispute. Choose only for those that are.")
        if label not in names and label != OUTSIDE:
            known = ", ".join([*sorted(names), OUTSIDE])
            raise GoldFault(f"There is no label {label!r}. Choose from: {known}.")
    missing = [case.words[number] for number in case.disputed if number not in choices]
    if missing:
        words = ", ".join(repr(word) for word in missing)
        raise GoldFault(f"Choose a label for every word in dispute; still open: {words}.")
    return [choices.get(number, case.votes[0].labels[number]) for number in range(len(case.words))]


@transaction.atomic
def gold_accept_unanimous(
    *, project: Project, by: User | None, now: datetime, board: AdjudicationBoard | None = None
) -> int:
    """Settle every caption on whose words all agree; return how many there were.

    A caption that a person decided is left as it is, even where all agree now.
    ``board`` is what the caller has read of the project, which is not read again.
    """
    items = [case.item for case in (board or adjudication_board(project)).agreed]
    return _settle_all(project, items, needs_no_decision, AGREED, by, now)


@transaction.atomic
def gold_accept_single(*, project: Project, by: User, now: datetime) -> int:
    """Take the captions that one person alone had to label as settled; return how many."""
    items = [case.item for case in adjudication_board(project).single]
    return _settle_all(project, items, is_single, SINGLE, by, now)


def _settle_all(
    project: Project,
    items: list[int],
    still: Callable[[Case], bool],
    how: str,
    by: User | None,
    now: datetime,
) -> int:
    count = 0
    for start in range(0, len(items), _AT_ONCE):
        part = items[start : start + _AT_ONCE]
        # Read again under the lock; always in one order, so that two at once do not block
        # each other for ever.
        list(Item.objects.select_for_update().filter(pk__in=part).order_by("pk"))
        cases = [case for case in cases_of(project, part) if still(case)]
        for case in cases:
            _end(case, GoldEnd.RENEWED, by=by, now=now)
        Gold.objects.bulk_create(
            _gold(case, list(case.votes[0].labels), lambda _: how, by=by, now=now) for case in cases
        )
        count += len(cases)
    return count


def _end(case: Case, end: GoldEnd, *, by: User | None, now: datetime, reason: str = "") -> None:
    """Make what is settled of a caption past; nothing where nothing is."""
    gold = case.gold
    if gold is None:
        return
    PastGold.objects.create(
        item_id=case.item,
        labels=gold.labels,
        spans=gold.spans,
        provenance=gold.provenance,
        settled_by_id=gold.settled_by_id,
        settled_at=gold.settled_at,
        end=end,
        reason=reason[:LONGEST_REASON],
        ended_by=by,
        ended_at=now,
    )
    gold.delete()


def _gold(
    case: Case, labels: list[str], how: Callable[[int], str], *, by: User | None, now: datetime
) -> Gold:
    return Gold(
        item_id=case.item,
        labels=labels,
        spans=spans_of(case, labels),
        provenance=_provenance(case, labels, how, by),
        settled_by=by,
        settled_at=now,
    )


def _provenance(
    case: Case, labels: list[str], how: Callable[[int], str], by: User | None
) -> list[dict[str, Any]]:
    rows = []
    for number, votes in enumerate(case.votes_of_words):
        came = how(number)
        rows.append(
            {
                "how": came,
                "by": by.pk if by is not None and came == CHOSEN else None,
                "from": [int(key) for key, label in votes.items() if label == labels[number]],
                "votes": votes,
            }
        )
    return rows


def spans_of(case: Case, labels: list[str]) -> list[dict[str, Any]]:
    """Make spans of word labels.

    Neighbours with one label are one span, unless those who gave both words
    this label draw two spans there.
    """
    breaks = [0]
    for before, after in pairwise(range(len(labels))):
        if labels[before] != labels[after] or not _joined(case, before, labels[before]):
            breaks.append(after)
    return [
        span_of(first, last - 1, labels[first], case.tokens)
        for first, last in pairwise([*breaks, len(labels)])
        if labels[first] != OUTSIDE
    ]


def _joined(case: Case, word: int, label: str) -> bool:
    """Whether a word and the next are one span for at least half of those who call both so."""
    joins = [
        any(
            span["token_start"] <= word and span["token_end"] > word and span["label"] == label
            for span in vote.spans
        )
        for vote in case.votes
        if vote.labels[word] == label == vote.labels[word + 1]
    ]
    return not joins or 2 * sum(joins) >= len(joins)


@transaction.atomic
def gold_reopen(*, item: Item, by: User, now: datetime, reason: str = "") -> None:
    """Take back what was settled of a caption that people dispute. Raises ``GoldFault``.

    It stays as past, with who took it back and why, and the caption waits again.
    """
    Item.objects.select_for_update().get(pk=item.pk)
    _require_other(item, by)
    case = cases_of(item.project, [item.pk])[0]
    if case.gold is None:
        return
    if not case.disputed and case.ready and not case.decided:
        raise GoldFault("All who labelled this caption agree; there is nothing to decide.")
    _end(case, GoldEnd.TAKEN_BACK, by=by, now=now, reason=reason)
    ProjectAct(by, now).note("take-back", item.project, caption=item.position + 1, reason=reason)
