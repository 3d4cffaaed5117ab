"""The captions of a project that match what is looked for."""

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet, TextChoices, TextField, Value
from django.db.models.functions import Cast, StrIndex

from annotation.models import Annotation, Answer, Gold, Item, Project, Suggestion
from annotation.selectors.captions.facts import (
    CaptionFacts,
    CaptionState,
    Mark,
    caption_facts,
    removed_facts,
)

# From this share of words in dispute on, agreement on a caption is called low.
LOW_SHARE = 1 / 3
# Below this the labeller is called unsure of a span, from the other on sure.
UNSURE, SURE = 0.5, 0.8


class CaptionAgreement(TextChoices):
    """How far those who answered a caption agree on its words."""

    AGREE = "agree", "All agree"
    DIFFER = "differ", "In dispute"
    LOW = "low", "A third of the words or more in dispute"


class Confidence(TextChoices):
    """How sure the labeller is of the span of a caption that it is least sure of."""

    LOW = "low", f"Under {UNSURE:.0%}"
    MIDDLE = "middle", f"{UNSURE:.0%} to {SURE:.0%}"
    HIGH = "high", f"{SURE:.0%} and more"


class CaptionOrder(TextChoices):
    """In which order captions are listed."""

    NUMBER = "number", "Number"
    CHANGED = "changed", "Last changed first"
    DISPUTE = "dispute", "Most dispute first"
    UNSURE = "unsure", "Least sure labeller first"


@dataclass(frozen=True, slots=True)
class CaptionQuery:
    """Which captions are looked for; "" and None mean any.

    ``text`` is part of the caption, or its number. ``label`` was given by ``person`` (the id
    of a user), without one by anybody or by who decided.
    """

    text: str = ""
    label: str = ""
    person: int | None = None
    state: str = ""
    mark: str = ""
    agreement: str = ""
    confidence: str = ""
    order: str = CaptionOrder.NUMBER


@dataclass(frozen=True, slots=True)
class CaptionViewer:
    """Who looks: ``named`` tells whether they see who did what.

    Others, who decide without knowing that, see the captions that they could decide now or
    that are settled, without the ``hidden`` ones, which they may still label.
    """

    named: bool
    hidden: frozenset[int] = frozenset()

    def sees(self, row: CaptionFacts) -> bool:
        """Whether the caption is shown."""
        return self.named or (row.readable and row.item not in self.hidden)

    def sees_mark(self, row: CaptionFacts, mark: Mark) -> bool:
        """Whether the caption has the mark; of tests only managers see any."""
        return mark in row.marks or (self.named and mark in row.test_marks)


@dataclass(frozen=True, slots=True)
class CaptionMatches:
    """The captions that match, in order; ``unseen`` ones are hidden from who looks.

    ``states`` counts, by state, those that match but for the state that is looked for;
    ``every`` is how many are shown where nothing is looked for. Removed ones are shown only
    where that state is looked for.
    """

    rows: list[CaptionFacts]
    states: Counter[CaptionState]
    every: int
    unseen: int


def caption_matches(project: Project, viewer: CaptionViewer, query: CaptionQuery) -> CaptionMatches:
    """Find them; the number of queries does not depend on how many captions there are."""
    facts = caption_facts(project)
    seen = [row for row in facts if viewer.sees(row)]
    removed = removed_facts(project) if viewer.named else []
    item_sets = _found_in_database(project, query)
    # How sure the labeller is of the span that it is least sure of, where asked for.
    sure: dict[int, float] = {}
    if query.confidence or query.order == CaptionOrder.UNSURE:
        rows = Suggestion.objects.filter(item__project=project).values_list("item", "spans")
        sure = {
            item: min(float(one["confidence"]) for one in spans) for item, spans in rows if spans
        }
    matching = [
        row
        for row in (*seen, *removed)
        if all(row.item in items for items in item_sets) and _meets(row, query, viewer, sure)
    ]
    states = Counter(row.state for row in matching)
    if query.state:
        matching = [row for row in matching if row.state == query.state]
    else:
        matching = [row for row in matching if row.state != CaptionState.REMOVED]
    return CaptionMatches(
        _ordered(matching, query, sure), states, len(seen), len(facts) - len(seen)
    )


def _found_in_database(project: Project, query: CaptionQuery) -> list[frozenset[int]]:
    item_sets = []
    if query.text:
        has, number = Q(text__icontains=query.text), query.text.removeprefix("#")
        # Longer numbers no database has.
        if number.isascii() and number.isdigit() and len(number) < 10 and int(number):
            has |= Q(position=int(number) - 1)
        items = Item.with_removed.filter(has, project=project)
        item_sets.append(frozenset(items.values_list("pk", flat=True)))
    if query.label:
        item_sets.append(_with_label(project, query.label, query.person))
    return item_sets


def _with_label(project: Project, label: str, person: int | None) -> frozenset[int]:
    """Captions of which an accepted answer that counts, or what is settled, has a label."""
    answers = Annotation.with_removed.counting().filter(
        item__project=project, answer=Answer.ACCEPT, test=False
    )
    if person is not None:
        answers = answers.filter(user=person)
    items = _labelled(answers, label)
    if person is None:
        items |= _labelled(Gold.with_removed.filter(item__project=project), label)
    return items


def _labelled(rows: QuerySet[Any], label: str) -> frozenset[int]:
    """The captions of rows with a span of this label.

    Spans are stored as JSON with a space after the colon; quotes inside of texts are escaped
    there, so that nothing but a key and its value can read so.
    """
    stored = json.dumps(label, ensure_ascii=connection.vendor == "sqlite")
    place = StrIndex(Cast("spans", TextField()), Value(f'"label": {stored}'))
    return frozenset(rows.alias(place=place).filter(place__gt=0).values_list("item", flat=True))


def _meets(
    row: CaptionFacts, query: CaptionQuery, viewer: CaptionViewer, sure: dict[int, float]
) -> bool:
    people = {*row.answered, *row.uncounted, *row.at_hand}
    return (
        (query.person is None or query.person in people)
        and (not query.mark or viewer.sees_mark(row, Mark(query.mark)))
        and (not query.agreement or _agrees(row, CaptionAgreement(query.agreement)))
        and (not query.confidence or query.confidence == _confidence(sure.get(row.item)))
    )


def _agrees(row: CaptionFacts, agreement: CaptionAgreement) -> bool:
    match agreement:
        case CaptionAgreement.AGREE:
            return row.in_dispute == 0
        case CaptionAgreement.DIFFER:
            return row.share > 0
        case CaptionAgreement.LOW:
            return row.share >= LOW_SHARE


def _confidence(sure: float | None) -> Confidence | None:
    if sure is None:
        return None
    if sure < UNSURE:
        return Confidence.LOW
    return Confidence.MIDDLE if sure < SURE else Confidence.HIGH


def has_suggestions(project: Project) -> bool:
    """Whether a labeller has suggested anything for captions of the project."""
    return Suggestion.objects.filter(item__project=project).exists()


def _ordered(
    rows: list[CaptionFacts], query: CaptionQuery, sure: dict[int, float]
) -> list[CaptionFacts]:
    """Sort rows, which are in the order of their numbers; equal ones stay in that order."""
    match query.order:
        case CaptionOrder.CHANGED:
            return sorted(rows, key=lambda row: row.changed_at, reverse=True)
        case CaptionOrder.DISPUTE:
            return sorted(rows, key=lambda row: -row.share)
        case CaptionOrder.UNSURE:
            return sorted(rows, key=lambda row: sure.get(row.item, 2.0))
    return rows
