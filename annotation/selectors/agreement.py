"""What people said of the captions of a project that measure agreement."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.db.models import Count, Max, Sum

from annotation.agreement.captions import Caption, Labelling, names_in
from annotation.models import Annotation, Answer, Item, Member, Project
from annotation.spans import OUTSIDE


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Work on captions that measure agreement which takes no part in it.

    ``rejected``, ``skipped`` and ``surplus`` count annotations (surplus: others had
    taken all places); ``alone`` counts captions that one person alone accepted,
    ``yours`` those that are hidden from who looks, for they may still label them.
    """

    rejected: int
    skipped: int
    surplus: int
    alone: int
    yours: int = 0

    def __bool__(self) -> bool:
        return any((self.rejected, self.skipped, self.surplus, self.alone, self.yours))


@dataclass(frozen=True, slots=True)
class Reading:
    """What is compared. ``captions`` have two people or more, in the order of the project.

    The people in them are users' ids as texts; ``people`` names each. ``names`` are
    the labels in the order of the scheme, "O" last; a caption's key is its item's id.
    """

    captions: tuple[Caption, ...]
    people: dict[str, str]
    names: tuple[str, ...]
    left_out: LeftOut


def agreement_stamp(project: Project) -> str:
    """Change whenever an annotation, a name or a caption of the project does."""
    annotations = Annotation.objects.filter(item__project=project).aggregate(
        count=Count("pk"), places=Count("place"), versions=Sum("version"), last=Max("updated_at")
    )
    items = Item.objects.filter(project=project).aggregate(count=Count("pk"), last=Max("pk"))
    members = list(Member.objects.filter(project=project).values_list("pk", "user", "name"))
    told = (project.pk, annotations, items, members)
    return sha256(repr(told).encode()).hexdigest()


def reading_of(project: Project) -> Reading:
    """Read what counts: accepted annotations that hold a place of a caption for several."""
    items = dict(
        Item.objects.filter(project=project, copies__gt=1)
        .order_by("position")
        .values_list("pk", "tokens")
    )
    answers: Counter[str] = Counter()
    said: dict[int, dict[str, Labelling]] = defaultdict(dict)
    at: dict[int, datetime] = {}
    for row in _annotations(project):
        if row["place"] is None:
            answers["surplus"] += 1
            continue
        if row["answer"] != Answer.ACCEPT:
            answers[row["answer"]] += 1
            continue
        item = row["item"]
        said[item][str(row["user"])] = Labelling.of(row["spans"], len(items[item]))
        at[item] = max(at.get(item, row["created_at"]), row["created_at"])
    captions = tuple(
        Caption(pk, tuple(str(token["text"]) for token in tokens), said[pk], at[pk])
        for pk, tokens in items.items()
        if len(said.get(pk, ())) > 1
    )
    return Reading(
        captions=captions,
        people=_people(project, captions),
        names=_names(project, captions),
        left_out=LeftOut(
            rejected=answers[Answer.REJECT],
            skipped=answers[Answer.IGNORE],
            surplus=answers["surplus"],
            alone=sum(len(people) == 1 for people in said.values()),
        ),
    )


def _annotations(project: Project) -> Iterable[Mapping[str, Any]]:
    rows = Annotation.objects.filter(item__project=project, item__copies__gt=1).order_by("pk")
    return rows.values("item", "user", "place", "answer", "spans", "created_at")


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
