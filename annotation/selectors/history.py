"""A person's own answers, latest first."""

from dataclasses import dataclass

from django.db.models import QuerySet

from annotation.models import Annotation, Project
from annotation.selectors.segments import Segment, segments
from leaderboard.models import User


@dataclass(frozen=True, slots=True)
class AnsweredRow:
    """One answer, with its caption cut into labelled runs."""

    annotation: Annotation
    segments: list[Segment]


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
    """Give at most ``limit`` of a person's answers as a page lists them, in one query."""
    inventory = project.scheme.inventory
    return [
        AnsweredRow(row, segments(row.item.tokens, row.spans, inventory))
        for row in history_of(project, user, before=before)[:limit]
    ]
