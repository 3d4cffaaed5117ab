"""What is known of each caption of a project: how far it is, who has it, what was said of it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import compress
from typing import NamedTuple

from django.core.cache import caches
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet, TextChoices

from annotation.models import Annotation, Answer, Assignment, Gold, GoldEnd, Item, PastGold, Project
from annotation.selectors.adjudication.cases import cases_of
from leaderboard.web.page_cache import CACHE


class CaptionState(TextChoices):
    """How far a caption is; each is in exactly one state."""

    FREE = "free", "Not handed out"
    AT_HAND = "at_hand", "In work"
    WAITING = "waiting", "Waiting for answers"
    ONCE = "once", "Answered once"
    DONE = "done", "Done"
    TO_DECIDE = "to_decide", "To decide"
    SETTLED = "settled", "Settled"
    REMOVED = "removed", "Removed"


class Mark(TextChoices):
    """What was noted of a caption: by who answered it, or by who sent an answer back."""

    FLAGGED = "flagged", "Flagged"
    COMMENTED = "commented", "Commented"
    SKIPPED = "skipped", "Skipped"
    REJECTED = "rejected", "Rejected"
    SENT_BACK = "sent_back", "Sent back"


# Of test captions, which their makers do not know from others, flags and comments are told too.
NOTED = {
    Mark.FLAGGED: Q(flagged=True),
    Mark.COMMENTED: ~Q(comment=""),
    Mark.SKIPPED: Q(answer=Answer.IGNORE, test=False),
    Mark.REJECTED: Q(answer=Answer.REJECT, test=False),
    Mark.SENT_BACK: Q(sent_back__isnull=False),
}


@dataclass(slots=True)
class CaptionFacts:
    """One caption.

    ``answered`` are the ids of users whose answers count, ``at_hand`` of those who have it to
    answer, ``uncounted`` of those whose answers are only kept; ``wanted`` is the number of
    answers asked for. ``marks`` are what they noted, ``test_marks`` what somebody did who had it
    as a test. ``in_dispute`` of ``words`` are in dispute, None where fewer than two
    accepted answers count. ``readable`` tells whether who decides may see its labels.
    ``removed_by`` is the id of the user who removed it, None where nobody did or who did has left.
    """

    item: int
    position: int
    changed_at: datetime
    state: CaptionState = CaptionState.FREE
    wanted: int = 0
    answered: list[int] = field(default_factory=list)
    uncounted: list[int] = field(default_factory=list)
    at_hand: list[int] = field(default_factory=list)
    accepted: int = 0
    marks: set[Mark] = field(default_factory=set)
    test_marks: set[Mark] = field(default_factory=set)
    in_dispute: int | None = None
    words: int = 0
    readable: bool = False
    removed_at: datetime | None = None
    removed_by: int | None = None

    @property
    def number(self) -> int:
        """The caption's number, from 1."""
        return self.position + 1

    @property
    def share(self) -> float:
        """Share of the words that are in dispute, 0 to 1; below 0 where nothing is compared."""
        if self.in_dispute is None:
            return -1.0
        return self.in_dispute / self.words if self.words else 0.0


def caption_facts(project: Project, *, only: int | None = None) -> list[CaptionFacts]:
    """What is known of each caption, in the order of the project, in nine queries at most.

    ``only`` is the id of the one that is asked for.
    """
    items = Item.objects.filter(project=project).order_by("position")
    if only is not None:
        items = items.filter(pk=only)
    facts = {
        pk: CaptionFacts(pk, position, at)
        for pk, position, at in items.values_list("pk", "position", "created_at")
    }
    here = {"item__project": project} if only is None else {"item": only}
    unfinished = _read_assignments(Assignment.objects.filter(**here), facts)
    versions = _read_answers(Annotation.every.filter(**here), facts)
    settled = Gold.objects.filter(**here).values_list("item", "pk", "settled_at")
    golds = {item: (pk, at) for item, pk, at in settled}
    past = PastGold.objects.filter(**here).order_by("ended_at", "pk").values_list("item", "end")
    taken_back = {item for item, end in dict(past).items() if end == GoldEnd.TAKEN_BACK}
    taken_back -= golds.keys()
    stamps = {}
    for pk, row in facts.items():
        complete = project.closed or pk not in unfinished
        gold, at = golds.get(pk, (0, row.changed_at))
        row.changed_at = max(row.changed_at, at)
        row.state = _state(row, settled=gold != 0, complete=complete)
        if row.accepted > 1 or gold or pk in taken_back:
            votes = sorted(versions[pk])
            stamps[pk] = hash((complete, gold, pk in taken_back, tuple(votes)))
    for pk, compared in compared_captions(project, stamps).items():
        row = facts[pk]
        row.words, row.readable = compared.words, compared.readable
        row.in_dispute = compared.in_dispute if row.accepted > 1 else None
        if compared.waits:
            row.state = CaptionState.TO_DECIDE
    return list(facts.values())


def removed_facts(project: Project, *, only: int | None = None) -> list[CaptionFacts]:
    """What is known of captions that were removed, in the order of the project; not compared."""
    items = Item.with_removed.filter(project=project, removed_at__isnull=False)
    if only is not None:
        items = items.filter(pk=only)
    facts = {
        item.pk: CaptionFacts(
            item.pk,
            item.position,
            item.created_at,
            CaptionState.REMOVED,
            removed_at=item.removed_at,
            removed_by=item.removed_by_id,
        )
        for item in items.order_by("position").only(
            "position", "created_at", "removed_at", "removed_by"
        )
    }
    if facts:
        here = Q(item__in=items)
        _read_assignments(Assignment.with_removed.filter(here, test=False), facts)
        _read_answers(Annotation.with_removed.filter(here), facts)
    return list(facts.values())


def _state(row: CaptionFacts, *, settled: bool, complete: bool) -> CaptionState:
    if settled:
        return CaptionState.SETTLED
    if row.answered and complete:
        return CaptionState.ONCE if len(row.answered) == 1 else CaptionState.DONE
    if row.at_hand and not complete:
        return CaptionState.AT_HAND
    return CaptionState.WAITING if row.answered else CaptionState.FREE


def _read_assignments(
    assignments: QuerySet[Assignment], facts: dict[int, CaptionFacts]
) -> set[int]:
    """Note who has which caption; give those that still lack answers."""
    unfinished = set()
    rows = assignments.order_by("number").values_list("item", "user", "done")
    for item, user, done in rows:
        # Others add captions meanwhile.
        if (row := facts.get(item)) is None:
            continue
        row.wanted += 1
        if not done:
            unfinished.add(item)
            if user is not None:
                row.at_hand.append(user)
    return unfinished


def _read_answers(
    annotations: QuerySet[Annotation], facts: dict[int, CaptionFacts]
) -> defaultdict[int, list[tuple[int, int]]]:
    """Note what was answered; give id and version of the accepted answers that count."""
    versions = defaultdict(list)
    columns = (
        "item", "user", "assignment", "inventory", "answer", "test", "updated_at", "pk", "version",
    )  # fmt: skip
    flags = [ExpressionWrapper(noted, BooleanField()) for noted in NOTED.values()]
    rows = annotations.order_by("created_at", "pk").values_list(*columns, *flags)
    for item, user, assignment, inventory, answer, test, at, pk, version, *noted in rows:
        if (row := facts.get(item)) is None:
            continue
        marks = set(compress(NOTED, noted))
        (row.test_marks if test else row.marks).update(marks)
        if test:
            continue
        row.changed_at = max(row.changed_at, at)
        if Mark.SENT_BACK in marks:
            # Its maker has it at hand, or others have.
            continue
        counts = assignment is not None and not inventory
        (row.answered if counts else row.uncounted).append(user)
        if counts and answer == Answer.ACCEPT:
            row.accepted += 1
            versions[item].append((pk, version))
        if user in row.at_hand:
            row.at_hand.remove(user)
    return versions


_COMPARED_FOR = 86_400
# Beyond this the whole project is read, and not a list of captions that long.
MOST_LISTED = 500


class ComparedCaption(NamedTuple):
    """``in_dispute`` of ``words`` are in dispute; whether it waits for a decision.

    ``readable``: whether who decides may see what people say of it. ``stamp`` is that of what
    was compared.
    """

    stamp: int
    in_dispute: int
    words: int
    waits: bool
    readable: bool


def compared_captions(project: Project, stamps: Mapping[int, int]) -> dict[int, ComparedCaption]:
    """Compare captions, by id; ``stamps`` change with all that the comparison depends on.

    Reading all answers of 10,000 captions takes seconds, so what is known of those that did
    not change is cached.
    """
    key = f"compared-captions-{project.pk}"
    cached: dict[int, tuple[int, int, int, bool, bool]] = caches[CACHE].get(key) or {}
    known = {pk: ComparedCaption(*row) for pk, row in cached.items() if row[0] == stamps.get(pk)}
    stale = [pk for pk in stamps if pk not in known]
    if not stale:
        return known
    for case in cases_of(project, None if len(stale) > MOST_LISTED else stale):
        if case.item in stamps:
            known[case.item] = ComparedCaption(
                stamps[case.item],
                len(case.in_dispute),
                len(case.words),
                case.waits_for_decision,
                case.decidable or case.gold is not None,
            )
    caches[CACHE].set(key, cached | {pk: tuple(row) for pk, row in known.items()}, _COMPARED_FOR)
    return known
