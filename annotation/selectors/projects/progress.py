"""How far the work is, for one person and for a project."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.agreement.captions import word_labels
from annotation.models import Annotation, Answer, Assignment, Item, Member, Project, Revision, Role
from leaderboard.models import User

# Pauses longer than this are no work.
PAUSE = timedelta(minutes=5)
# The first few answers of a sitting say little of its pace.
FEWEST = 5
# With fewer captions the share would tell what single words of them were settled as.
FEWEST_SETTLED = 20


@dataclass(frozen=True, slots=True)
class OwnProgress:
    """One person's work in a project.

    ``left`` are captions that could still come; ``per_hour`` is the pace of the
    present sitting, None before its fifth caption; ``against_gold`` is the
    share of words labelled as in the gold set, in whole per cent, over
    ``gold_words`` words (None over 0 words before ``FEWEST_SETTLED`` captions).
    """

    answered: int
    today: int
    left: int
    per_hour: float | None
    against_gold: float | None
    gold_words: int


@dataclass(frozen=True, slots=True)
class ProjectProgress:
    """A project: captions, assignments, and how many of each are done."""

    items: int
    items_done: int
    assignments: int
    assignments_done: int
    flagged: int

    @property
    def share(self) -> float:
        """Share of the assignments that are done."""
        return self.assignments_done / self.assignments if self.assignments else 0.0


def own_progress(project: Project, user: User, now: datetime) -> OwnProgress:
    """Read one person's progress, in four queries."""
    mine = Annotation.objects.filter(item__project=project, user=user)
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    told = mine.aggregate(answered=Count("pk"), today=Count("pk", filter=Q(created_at__gte=day)))
    share, words = _against_gold(project, user)
    return OwnProgress(
        answered=told["answered"],
        today=told["today"],
        left=_left(project, user, now),
        per_hour=_pace(mine.order_by("-created_at").values_list("created_at", flat=True)[:200]),
        against_gold=share,
        gold_words=words,
    )


def _left(project: Project, user: User, now: datetime) -> int:
    """Count captions with an assignment that is the person's or free."""
    mine = Assignment.objects.filter(item=OuterRef("item"), user=user)
    open_assignments = Assignment.objects.filter(project=project, done=False)
    free = open_assignments.filter(Q(user=None) | Q(expires_at__lt=now)).filter(~Exists(mine))
    held = open_assignments.filter(user=user)
    found = free.values("item").distinct().count()
    return found + held.count()


def _pace(times: Iterable[datetime]) -> float | None:
    """Give captions per hour since the last pause, from the times of answers, latest first."""
    sitting = list(times)
    count = 1
    while count < len(sitting) and sitting[count - 1] - sitting[count] <= PAUSE:
        count += 1
    if count < FEWEST:
        return None
    seconds = (sitting[0] - sitting[count - 1]).total_seconds()
    return (count - 1) * 3600 / seconds if seconds > 0 else None


def _against_gold(project: Project, user: User) -> tuple[float | None, int]:
    """Give the share of words labelled as in the gold set, and of how many words.

    It compares what the person said when a caption was settled, or said first where
    that was later. What they say afterwards changes nothing: it would tell, word by
    word, what was settled.
    """
    rows = list(
        _said_when_settled(project, user)
        .filter(answer=Answer.ACCEPT)
        .values_list("spans", "annotation__item__gold__labels")
    )
    words = sum(len(gold) for _, gold in rows)
    if len(rows) < FEWEST_SETTLED or not words:
        return None, 0
    same = sum(
        one == other
        for spans, gold in rows
        for one, other in zip(word_labels(spans, len(gold)), gold, strict=True)
    )
    return round(same / words, 2), words


def _said_when_settled(project: Project, user: User) -> QuerySet[Revision]:
    """Give one revision for each settled caption that the person answered."""
    same = Revision.objects.filter(annotation=OuterRef("annotation")).order_by("version")
    before = same.filter(saved_at__lte=OuterRef("annotation__item__gold__settled_at"))
    stood = Coalesce(
        Subquery(before.order_by("-version").values("pk")[:1]), Subquery(same.values("pk")[:1])
    )
    return Revision.objects.filter(
        annotation__user=user,
        annotation__item__project=project,
        annotation__item__gold__isnull=False,
        pk=stood,
    )


def project_progress(project: Project) -> ProjectProgress:
    """Read a project's progress, in three queries."""
    open_assignment = Assignment.objects.filter(item=OuterRef("pk"), done=False)
    items = Item.objects.filter(project=project)
    assignments = Assignment.objects.filter(project=project).aggregate(
        every=Count("pk"), done=Count("pk", filter=Q(done=True))
    )
    flagged = Annotation.objects.filter(item__project=project, flagged=True).count()
    counted = items.annotate(open=Exists(open_assignment)).aggregate(
        every=Count("pk"), done=Count("pk", filter=Q(open=False))
    )
    return ProjectProgress(
        items=counted["every"],
        items_done=counted["done"],
        assignments=assignments["every"],
        assignments_done=assignments["done"],
        flagged=flagged,
    )


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """A project; ``role`` and ``own`` are None for staff who are not in it."""

    project: Project
    role: Role | None
    own: OwnProgress | None
    whole: ProjectProgress


def project_rows(projects: Iterable[Project], user: User, now: datetime) -> list[ProjectRow]:
    """Describe projects to a person; eight queries for each (people have a few)."""
    roles = {row.project_id: Role(row.role) for row in Member.objects.filter(user=user)}
    return [
        ProjectRow(
            project=project,
            role=roles.get(project.pk),
            own=own_progress(project, user, now) if project.pk in roles else None,
            whole=project_progress(project),
        )
        for project in projects
    ]
