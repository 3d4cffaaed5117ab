"""A person's own answers, latest first."""

from django.db.models import QuerySet

from annotation.models import Annotation, Project
from leaderboard.models import User


def history_of(project: Project, user: User, *, before: int | None = None) -> QuerySet[Annotation]:
    """Give the annotations of a person in a project, those made last first.

    ``before`` is the id of an annotation: only those made earlier are given.
    """
    found = Annotation.objects.filter(item__project=project, user=user).select_related("item")
    if before is not None:
        found = found.filter(pk__lt=before)
    return found.order_by("-pk")
