"""How far a project is, and how far one person in it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, OuterRef, Q

from annotation.models import (
    ANSWERED,
    COUNTING,
    UNCOUNTED,
    Annotation,
    Assignment,
    Item,
    Project,
)
from annotation.selectors.against_gold import share_as_gold
from annotation.selectors.qualification import met_in_qualification, must_qualify
from annotation.selectors.stages.hands import noted_hands
from annotation.selectors.test_captions import tests_ahead
from leaderboard.models import User

# Pauses longer than this are no work.
PAUSE = timedelta(minutes=5)
# The first few answers of a sitting say little of its pace.
FEWEST = 5
# Answers that came in by a file. They were made elsewhere, whatever time the file says or lacks:
# they are nobody's work of today, and tell nothing of a pace.
IMPORTED = Q(extra__has_key="line")


@dataclass(frozen=True, slots=True)
class OwnProgress:
    """One person's work in a project.

    ``answered`` and ``today`` are answers that count, ``uncounted`` those that are kept beside
    them. ``must_qualify``: nothing is handed out before the qualification. ``left`` are
    captions that could still come; ``per_hour`` is the pace of the present sitting, None before
    its fifth caption; ``against_gold`` is the share of words labelled as in the gold set, in
    whole per cent, over ``gold_words`` words (None over 0 words before ``FEWEST_SETTLED``
    captions).
    """

    answered: int
    today: int
    uncounted: int
    must_qualify: bool
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
    mine = Annotation.every.filter(item__project=project, user=user)
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    today = Q(created_at__gte=day) & ~IMPORTED
    counts = mine.aggregate(
        answered=Count("pk", filter=COUNTING),
        today=Count("pk", filter=COUNTING & today),
        uncounted=Count("pk", filter=UNCOUNTED),
    )
    share, words = share_as_gold(project, user, day)
    here = mine.exclude(IMPORTED).order_by("-created_at")
    return OwnProgress(
        **counts,
        left=captions_left(project, user, now),
        per_hour=_pace(here.values_list("created_at", flat=True)[:200]),
        against_gold=share,
        must_qualify=_must_qualify(project, user),
        gold_words=words,
    )


def captions_left(project: Project, user: User, now: datetime) -> int:
    """Count captions not answered yet with an assignment that is the person's or free.

    Test captions among them are counted before they come: each caption makes it one less.
    """
    if project.closed:
        return 0
    mine = Assignment.every.filter(item=OuterRef("item"), user=user)
    answered = Annotation.every.filter(ANSWERED, item=OuterRef("item"), user=user)
    open_assignments = Assignment.every.filter(~Exists(answered), project=project, done=False)
    open_assignments = open_assignments.exclude(Exists(met_in_qualification(user)), test=False)
    unknown = open_assignments.exclude(Exists(noted_hands(user)))
    free = unknown.filter(Q(user=None) | Q(expires_at__lt=now), ~Exists(mine), test=False)
    held = open_assignments.filter(user=user)
    count = free.values("item").distinct().count()
    return count + tests_ahead(project, user, count) + held.count()


def members_with_captions_left(project: Project, now: datetime) -> list[User]:
    """The members who can log in and have captions left to label; none in a closed project."""
    if project.closed:
        return []
    people = [
        row.user for row in project.members.filter(user__is_active=True).select_related("user")
    ]
    return [user for user in people if captions_left(project, user, now)]


def _must_qualify(project: Project, user: User) -> bool:
    if not project.qualification_on:
        return False
    return any(must_qualify(project, one) for one in project.members.filter(user=user))


def _pace(times: Iterable[datetime]) -> float | None:
    """Captions per hour since the last pause, from the times of answers, latest first."""
    sitting = list(times)
    count = 1
    while count < len(sitting) and sitting[count - 1] - sitting[count] <= PAUSE:
        count += 1
    if count < FEWEST:
        return None
    seconds = (sitting[0] - sitting[count - 1]).total_seconds()
    return (count - 1) * 3600 / seconds if seconds > 0 else None


def project_progress(project: Project) -> ProjectProgress:
    """Read a project's progress, in three queries."""
    open_assignment = Assignment.objects.filter(item=OuterRef("pk"), done=False)
    items = Item.objects.filter(project=project)
    return ProjectProgress(
        **items.annotate(open=Exists(open_assignment)).aggregate(
            items=Count("pk"), items_done=Count("pk", filter=Q(open=False))
        ),
        **Assignment.objects.filter(project=project).aggregate(
            assignments=Count("pk"), assignments_done=Count("pk", filter=Q(done=True))
        ),
        flagged=Annotation.objects.filter(item__project=project, flagged=True).count(),
    )
