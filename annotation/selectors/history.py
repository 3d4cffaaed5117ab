"""A person's own answers, latest first."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import F, QuerySet

from annotation.models import Annotation, Project, Revision
from annotation.selectors.segments import Segment, segments
from leaderboard.models import User

# Earlier versions of an answer that a page shows; the API gives every one.
MOST_VERSIONS = 10


@dataclass(frozen=True, slots=True)
class VersionRow:
    """How an answer stood before it was changed, with its caption cut into labelled runs."""

    revision: Revision
    segments: list[Segment]


@dataclass(frozen=True, slots=True)
class AnsweredRow:
    """One answer, with its caption cut into labelled runs, and how it stood, latest first."""

    annotation: Annotation
    segments: list[Segment]
    versions: list[VersionRow]


def history_of(project: Project, user: User, *, before: int | None = None) -> QuerySet[Annotation]:
    """Give the annotations of a person in a project, those made last first.

    ``before`` is the id of an annotation: only those made earlier are given.
    """
    found = Annotation.objects.filter(item__project=project, user=user).select_related("item")
    if before is not None:
        found = found.filter(pk__lt=before)
    return found.order_by("-pk")


def answered_rows(
    project: Project, user: User, *, before: int | None, limit: int
) -> list[AnsweredRow]:
    """Give at most ``limit`` of a person's answers as a page lists them, in two queries."""
    inventory = project.scheme.inventory
    rows = list(history_of(project, user, before=before)[:limit])
    earlier = _earlier(row.pk for row in rows if row.version > 1)
    return [
        AnsweredRow(
            row,
            segments(row.item.tokens, row.spans, inventory, row.extra.get("taken", ())),
            [
                VersionRow(old, segments(row.item.tokens, old.spans, inventory, old.taken or ()))
                for old in earlier[row.pk]
            ],
        )
        for row in rows
    ]


def _earlier(annotations: Iterable[int]) -> defaultdict[int, list[Revision]]:
    """Give by annotation the versions before the present one, latest first."""
    present = F("annotation__version")
    found = defaultdict(list)
    rows = Revision.objects.filter(
        annotation__in=list(annotations),
        version__lt=present,
        version__gte=present - MOST_VERSIONS,
    )
    for row in rows.order_by("annotation", "-version"):
        found[row.annotation_id].append(row)
    return found


def versions_of(item_id: int, user: User) -> QuerySet[Revision]:
    """Give every version of a person's answer to a caption, the first one first."""
    rows = Revision.objects.filter(annotation__item=item_id, annotation__user=user)
    return rows.order_by("version")
