"""What a person has done in a project that has nothing left for them, and where to go on."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Func, IntegerField, Sum

from annotation.models import COUNTING, Annotation, Project
from annotation.selectors.progress import IMPORTED, captions_left
from annotation.selectors.projects import OpenWork
from leaderboard.models import User


class JSONArrayLength(Func):
    """How many elements a stored list has."""

    function = "JSON_ARRAY_LENGTH"
    output_field = IntegerField()

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """PostgreSQL stores the list as ``jsonb``, whose function has another name."""
        return self.as_sql(compiler, connection, function="JSONB_ARRAY_LENGTH", **extra)


@dataclass(frozen=True, slots=True)
class FinishedWork:
    """Totals of the answers that a person gave here and that count.

    ``words`` are all words of these captions; ``seconds`` is how long the captions were
    before the person. ``next_project`` is None where no other project has captions left.
    """

    captions: int
    words: int
    seconds: float
    next_project: OpenWork | None


def finished_work(project: Project, user: User, now: datetime) -> FinishedWork:
    """Read it, in two queries and two for each other open project until one has captions left."""
    # Test captions are among them: totals without them would tell that there were any.
    mine = Annotation.every.filter(COUNTING, item__project=project, user=user)
    totals = mine.exclude(IMPORTED).aggregate(
        captions=Count("pk"), words=Sum(JSONArrayLength("item__tokens")), seconds=Sum("seconds")
    )
    return FinishedWork(
        captions=totals["captions"],
        words=totals["words"] or 0,
        seconds=totals["seconds"] or 0.0,
        next_project=_next_project(project, user, now),
    )


def _next_project(project: Project, user: User, now: datetime) -> OpenWork | None:
    """The next one by name after ``project``, then from the first."""
    others = list(Project.objects.filter(members__user=user, closed=False).exclude(pk=project.pk))
    others.sort(key=lambda other: (other.name, other.pk) < (project.name, project.pk))
    for other in others:
        if left := captions_left(other, user, now):
            return OpenWork(other, left)
    return None
