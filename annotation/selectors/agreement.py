"""What people said of the captions of a project that measure agreement."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

from django.db.models import Count, Max, Sum

from annotation.agreement.captions import Caption, Labelling, letter_order, names_in
from annotation.models import Annotation, Item, Member, Project
from annotation.selectors.given import Given, Judgement, given_of
from annotation.spans import OUTSIDE


class Answers(StrEnum):
    """Which answers are compared: as they were accepted first, or as they stand now."""

    FIRST = "first"
    NOW = "now"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Work on captions that measure agreement which takes no part in it.

    ``rejected``, ``skipped`` and ``surplus`` count annotations (surplus: others had
    taken all places), and ``late`` those first accepted when their maker could know
    what others say; ``alone`` counts captions that one person alone accepted,
    ``yours`` those that are hidden from who looks, for they may still label them.
    """

    rejected: int
    skipped: int
    surplus: int
    alone: int
    late: int = 0
    yours: int = 0

    def __bool__(self) -> bool:
        told = (self.rejected, self.skipped, self.surplus, self.alone, self.late, self.yours)
        return any(told)


@dataclass(frozen=True, slots=True)
class Reading:
    """What is compared. ``captions`` have two people or more, in the order of the project.

    The people in them are users' ids as texts; ``people`` names each. ``names`` are
    the labels in the order of the scheme, "O" last; a caption's key is its item's id.
    ``changed`` counts the annotations in them that do not stand as they were first
    accepted, ``late`` those of them that were changed when others' answers could be known.
    """

    captions: tuple[Caption, ...]
    people: dict[str, str]
    names: tuple[str, ...]
    left_out: LeftOut
    answers: Answers = Answers.FIRST
    changed: int = 0
    late: int = 0


def agreement_stamp(project: Project) -> str:
    """Change whenever an annotation, a name or a caption of the project does."""
    annotations = Annotation.objects.filter(item__project=project).aggregate(
        count=Count("pk"), places=Count("place"), versions=Sum("version"), last=Max("updated_at")
    )
    items = Item.objects.filter(project=project).aggregate(count=Count("pk"), last=Max("pk"))
    members = list(Member.objects.filter(project=project).values_list("pk", "user", "name"))
    told = (project.pk, annotations, items, members)
    return sha256(repr(told).encode()).hexdigest()


def reading_of(project: Project, answers: Answers = Answers.FIRST) -> Reading:
    """Read what counts: accepted annotations that hold a place of a caption for several."""
    items = dict(
        Item.objects.filter(project=project, copies__gt=1)
        .order_by("position")
        .values_list("pk", "tokens")
    )
    left: Counter[str] = Counter()
    rows: dict[int, list[Given]] = defaultdict(list)
    for row in given_of(project, first=answers == Answers.FIRST):
        if row.judgement == Judgement.COUNTS:
            rows[row.item].append(row)
        else:
            left[row.judgement] += 1
    captions = tuple(
        _caption(pk, tokens, rows[pk]) for pk, tokens in items.items() if len(rows.get(pk, ())) > 1
    )
    compared = [row for caption in captions for row in rows[int(caption.key)]]
    return Reading(
        captions=captions,
        people=_people(project, captions),
        names=_names(project, captions),
        left_out=LeftOut(
            rejected=left[Judgement.REJECTED],
            skipped=left[Judgement.SKIPPED],
            surplus=left[Judgement.SURPLUS],
            late=left[Judgement.LATE],
            alone=sum(len(found) == 1 for found in rows.values()),
        ),
        answers=answers,
        changed=sum(row.changed for row in compared),
        late=sum(row.changed_late for row in compared),
    )


def _caption(pk: int, tokens: list[dict[str, object]], rows: list[Given]) -> Caption:
    in_order = sorted(rows, key=lambda row: letter_order(pk, row.annotation))
    said = {str(row.user): Labelling.of(row.spans, len(tokens)) for row in in_order}
    words = tuple(str(token["text"]) for token in tokens)
    at: datetime = max(row.at for row in rows)
    return Caption(pk, words, said, at)


def _people(project: Project, captions: tuple[Caption, ...]) -> dict[str, str]:
    """Name the people in captions, members in the order of joining, then who has left."""
    inside = {person for caption in captions for person in caption.said}
    members = Member.objects.filter(project=project).values_list("user", "name")
    known = {str(user): name for user, name in members if str(user) in inside}
    left = [int(person) for person in inside - known.keys()]
    gone = (
        Annotation.objects.filter(item__project=project, user__in=left)
        .order_by("user")
        .values_list("user", "user__username")
        .distinct()
    )
    return known | {str(user): name for user, name in gone}


def _names(project: Project, captions: tuple[Caption, ...]) -> tuple[str, ...]:
    known = project.scheme.names
    return (*known, *sorted(names_in(captions) - {*known, OUTSIDE}), OUTSIDE)
