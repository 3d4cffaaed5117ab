"""People's answers to the captions of a project that measure agreement."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any

from django.db.models import Count, F, Max, Sum

from annotation.agreement.captions import Caption, Labelling, letter_order, names_in
from annotation.models import ANSWERED, Annotation, Answer, Item, Member, Project, Revision
from annotation.selectors.projects import worker_names
from annotation.selectors.relabelling import relabelled, route_of
from annotation.selectors.schemes import answers_of_other_inventories
from annotation.spans import OUTSIDE, places_of


class Participation(StrEnum):
    """Whether an annotation takes part in agreement, and why not."""

    COUNTS = "counts"
    REJECTED = "reject"
    SKIPPED = "ignore"
    SURPLUS = "surplus"
    LATE = "late"


# Spans and lateness of an annotation when it was first accepted.
_First = tuple[list[dict[str, Any]], bool]


def _judged(row: Annotation, initial: _First | None, *, first: bool) -> Participation:
    if row.assignment_id is None:
        return Participation.SURPLUS
    if first and initial is not None:
        return Participation.LATE if initial[1] else Participation.COUNTS
    # What was never accepted is not compared, whichever answers are.
    return Participation.COUNTS if row.answer == Answer.ACCEPT else Participation(row.answer)


def _first_accepted(project: Project) -> dict[int, _First]:
    """Spans and lateness of each annotation when it was first accepted, by its id.

    Labels of another inventory, which a file brought, are not what its maker accepted here,
    nor are those that a later version of the labels asked for again, or that were sent back.
    """
    route = route_of(project)
    revisions = Revision.objects.filter(
        version__gt=F("annotation__set_aside"),
        annotation__item__project=project,
        annotation__item__copies__gt=1,
        answer=Answer.ACCEPT,
        inventory="",
    ).order_by("annotation", "version")
    accepted: dict[int, _First] = {}
    rows = revisions.values_list("annotation", "spans", "late", "scheme")
    for annotation, spans, late, scheme in rows:
        if annotation not in accepted and not route.asked_again_since(scheme):
            now = relabelled(spans, route.labels_since(scheme))
            accepted[annotation] = now, bool(late)
    return accepted


class AnswerVersion(StrEnum):
    """Which answers are compared: as they were accepted first, or as they are now."""

    FIRST = "first"
    NOW = "now"


@dataclass(frozen=True, slots=True)
class AgreementData:
    """What is compared. ``captions`` have two people or more, in the order of the project.

    The people in them are users' ids as texts; ``people`` names each. ``names`` are
    the labels in the order of the scheme, "O" last; a caption's key is its item's id.
    ``changed`` counts the annotations in them that do not stand as they were first
    accepted, ``late`` those of them that were changed when others' answers could be known.

    ``left_out`` counts what takes no part, where there is any: ``rejected``, ``skipped`` and
    ``surplus`` annotations (surplus: others had taken all assignments), ``late`` ones first
    accepted when their maker could know what others say, those of all captions with labels of
    another ``inventory``, which a file brought; captions that one person ``alone`` accepted, and
    ``yours``, hidden from who looks, for they may still label them.
    """

    captions: tuple[Caption, ...]
    people: dict[str, str]
    names: tuple[str, ...]
    left_out: Mapping[str, int]
    answers: AnswerVersion = AnswerVersion.FIRST
    changed: int = 0
    late: int = 0


def agreement_stamp(project: Project) -> str:
    """Change whenever an annotation, a name or a caption of the project does."""
    annotations = Annotation.objects.filter(item__project=project).aggregate(
        count=Count("pk"),
        assignments=Count("assignment"),
        versions=Sum("version"),
        last=Max("updated_at"),
    )
    items = Item.objects.filter(project=project).aggregate(count=Count("pk"), last=Max("pk"))
    known = Member.objects.filter(project=project)
    members = list(known.values_list("pk", "user", "name", "given_at"))
    removed = Item.with_removed.filter(project=project).aggregate(last=Max("removed_at"))
    state = (project.pk, project.scheme_id, annotations, items, removed, members)
    return sha256(repr(state).encode()).hexdigest()


def agreement_data(project: Project, answers: AnswerVersion = AnswerVersion.FIRST) -> AgreementData:
    """Read what counts: accepted annotations that hold an assignment of a caption for several.

    Those with labels of another inventory, which a file brought, are never compared. ``FIRST``:
    as they were accepted first, whatever changed later; those that were first accepted late take
    no part then. Else as they stand.
    """
    first, accepted = answers == AnswerVersion.FIRST, _first_accepted(project)
    items = dict(
        Item.objects.filter(project=project, copies__gt=1)
        .order_by("position")
        .values_list("pk", "tokens")
    )
    left: Counter[str] = Counter()
    rows: dict[int, list[Annotation]] = defaultdict(list)
    # Whether those that do not stand as they were first accepted were changed late.
    changed: dict[int, bool] = {}
    every = Annotation.objects.filter(ANSWERED, item__project=project, item__copies__gt=1)
    columns = ("item", "user", "assignment", "answer", "spans", "late", "created_at")
    for row in every.order_by("pk").only(*columns):
        initial = accepted.get(row.pk)
        judged = _judged(row, initial, first=first)
        if judged != Participation.COUNTS:
            left[judged] += 1
            continue
        rows[row.item_id].append(row)
        if initial is not None:
            same = row.answer == Answer.ACCEPT and places_of(initial[0]) == places_of(row.spans)
            if not same:
                changed[row.pk] = bool(row.late)
            row.spans = initial[0] if first else row.spans
    captions = tuple(
        _caption(pk, tokens, rows[pk]) for pk, tokens in items.items() if len(rows.get(pk, ())) > 1
    )
    left_out = {
        "rejected": left[Participation.REJECTED],
        "skipped": left[Participation.SKIPPED],
        "surplus": left[Participation.SURPLUS],
        "late": left[Participation.LATE],
        "inventory": answers_of_other_inventories(project).count(),
        "alone": sum(len(group) == 1 for group in rows.values()),
    }
    known = project.scheme.names
    compared = {row.pk for caption in captions for row in rows[int(caption.key)]}
    return AgreementData(
        captions=captions,
        people=_people(project, captions),
        names=(*known, *sorted(names_in(captions) - {*known, OUTSIDE}), OUTSIDE),
        left_out={name: count for name, count in left_out.items() if count},
        answers=answers,
        changed=len(changed.keys() & compared),
        late=sum(changed[pk] for pk in changed.keys() & compared),
    )


def _caption(pk: int, tokens: list[dict[str, object]], rows: list[Annotation]) -> Caption:
    in_order = sorted(rows, key=lambda row: letter_order(pk, row.pk))
    labellings = {str(row.user_id): Labelling.of(row.spans, len(tokens)) for row in in_order}
    words = tuple(str(token["text"]) for token in tokens)
    return Caption(pk, words, labellings, max(row.created_at for row in rows))


def _people(project: Project, captions: tuple[Caption, ...]) -> dict[str, str]:
    """Name the people in captions, members in the order of joining, then who has left."""
    inside = {person for caption in captions for person in caption.labellings}
    members = Member.objects.filter(project=project).values_list("user", "name")
    known = {str(user): name for user, name in members if str(user) in inside}
    left = [int(person) for person in inside - known.keys()]
    names = worker_names(project) if left else {}
    return known | {str(user): names[user] for user in sorted(left)}
